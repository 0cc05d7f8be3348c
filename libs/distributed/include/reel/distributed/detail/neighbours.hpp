// Ranks of one host: their messages go through memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <reel/distributed/detail/envelope.hpp>
#include <reel/distributed/detail/mailbox.hpp>

namespace reel::distributed::detail {

/// How ranks talk that have no memory in common yet: a few bytes to or from another one; false at the deadline, or when
/// it is gone.
struct Introduction {
    std::int64_t rank, size;
    Deadline deadline;
    std::function<bool(std::int64_t peer)> same_host; ///< as far as this rank can tell
    std::function<bool(std::int64_t peer, const void* bytes, std::size_t size)> tell;
    std::function<bool(std::int64_t peer, void* bytes, std::size_t size)> hear;
};

/// The other ranks of this host, and the memory that this rank has in common with each, whatever connects the world.
class Neighbours {
public:
    struct Memory;
    explicit Neighbours(std::unique_ptr<Memory> memory);
    ~Neighbours();
    Neighbours(const Neighbours&) = delete;
    /// A collective of the whole world: those that are on this host, as far as the system lets them share memory; null
    /// where there are none, or REEL_SHARED_MEMORY is 0 on one side. DistError when another rank does not answer in
    /// time.
    static std::unique_ptr<Neighbours> meet(const Introduction& introduction);

    bool has(std::int64_t rank) const;
    std::int64_t count() const;
    /// Those who wait at the mailbox call `pump`, which looks into the memory; where all that comes in other ways rings
    /// the mailbox's bell (`rings`), they sleep until it does.
    void serve(Mailbox& box, std::function<bool()> pump, bool rings) const;
    /// To one of them. False at the deadline, or when `gone` says so: half a message may be on its way, and nothing can
    /// follow it.
    bool send(std::int64_t rank, const Envelope& envelope, const void* bytes, Deadline deadline,
              const std::function<bool()>& gone);
    /// Whatever has come, in order, to the mailbox; says whether anything has. Any thread.
    bool pump(Mailbox& box);

private:
    std::unique_ptr<Memory> memory_;
};

} // namespace reel::distributed::detail
