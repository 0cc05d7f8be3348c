// Ranks of one host: their messages go through memory.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "group/environment.hpp"
#include "transport/shared_ring.hpp"
#include "transport/shared_segment.hpp"

namespace reel::distributed::detail {

/// Memory that this rank and another one have: a ring for each way.
struct Neighbour {
    std::int64_t rank;
    SharedSegment theirs; ///< has the ring that this rank writes
    SharedBell& bell;     ///< in it
    RingWriter writer;
    std::mutex reading; ///< of what follows
    RingReader reader;
    std::deque<Message> collected; ///< taken out of the ring before anybody asked for it
    Neighbour(std::int64_t peer, SharedSegment segment, const RingMemory& written, const RingMemory& read);
};

class Neighbours {
public:
    /// `segment` has this rank's bell, and the rings of which it is the reader.
    Neighbours(std::int64_t world, SharedSegment segment)
        : segment_(std::move(segment)), by_rank_(std::size_t(world)) {}
    const SharedSegment& segment() const { return segment_; }
    SharedBell& bell() const { return *reinterpret_cast<SharedBell*>(segment_.bytes()); }
    void add(std::unique_ptr<Neighbour> neighbour);
    bool has(std::int64_t rank) const { return by_rank_[std::size_t(rank)] != nullptr; }
    std::int64_t count() const { return std::int64_t(all_.size()); }

    /// To one of them; one thread at a time for each. False at the deadline, or when `gone` says so. `nudge` is called
    /// where the other takes nothing out: somebody there should `collect`.
    bool send(std::int64_t rank, const Envelope& envelope, const void* bytes, Deadline deadline,
              const std::function<bool()>& gone, const std::function<void()>& nudge);
    /// Whatever has come, in order, to `deliver`; says whether anything has. Any thread.
    bool pump(const std::function<void(std::int64_t from, Message message)>& deliver);
    /// Takes out of the rings what lies there, so that those who write have room. Any thread.
    void collect();

private:
    bool put(Neighbour& to, const Envelope& envelope, const void* bytes, std::size_t offset, std::size_t here);
    SharedSegment segment_;
    std::vector<Neighbour*> by_rank_;
    std::vector<std::unique_ptr<Neighbour>> all_;
    std::mutex delivering_;
};

} // namespace reel::distributed::detail
