// Where one rank's messages arrive, whatever carries them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/distributed/detail/envelope.hpp>

namespace reel::distributed::detail {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
/// now + `timeout`, without running over.
Deadline deadline_after(std::chrono::milliseconds timeout);

/// Why a group, or one call, came to nothing.
struct Failure {
    std::string reason;
    bool remote = false;  ///< another rank's error, which it has told us of
    bool refused = false; ///< the arguments of this call alone: ValueError, and the group goes on
};
/// Throws what `failure` is: DistError, or ValueError.
[[noreturn]] void raise(const Failure& failure);
std::exception_ptr exception_of(const Failure& failure);
/// Is it an error that only follows from another rank's?
bool follows_from_another(const std::exception& e) noexcept;

class SharedBell;

/// Messages by group, sender and tag, each sequence in the order of sending; what became of groups and peers. Any
/// thread may call any function.
class Mailbox {
public:
    struct Key {
        std::int64_t group, peer, tag;
        auto operator<=>(const Key&) const = default;
    };
    enum class Wait : std::uint8_t { kCame, kFailed, kLost, kLate };
    /// Called once, with a message or with why there will be none; on whichever thread learns it.
    using Receiver = std::function<void(Message*, const Failure*)>;

    explicit Mailbox(std::int64_t world);
    ~Mailbox();
    Mailbox(const Mailbox&) = delete;

    // --- For transports
    void deliver(std::int64_t from, Message message);
    /// Nothing more will come from `peer`, for `reason` ("has ended").
    void lose(std::int64_t peer, const std::string& reason);
    /// For transports without a thread that receives: called by whoever waits; says whether anything came.
    /// With a bell, which rings whenever there is something to pump, those who wait sleep until it does; `spin` before
    /// that, for what is sooner there than a thread that sleeps.
    void set_pump(std::function<bool()> pump, SharedBell* bell = nullptr, bool spin = false);
    bool pump();
    /// Of the calling thread: it works beside one that computes, and takes no core from it by spinning.
    static void work_beside_others();

    // --- For groups
    /// Waits for the first message of `key`. kLost: one of `needed` is gone that has left no message (`peer` says
    /// which).
    Wait take(const Key& key, const std::vector<std::int64_t>& needed, Deadline deadline, Message& message,
              std::int64_t& peer);
    /// Hands the next message of `key` that nobody has asked for before to `receiver`.
    void post(const Key& key, Receiver receiver);
    /// Has anything of `key` arrived?
    bool has(const Key& key) const;
    /// Ends the group here. False when it had ended before.
    bool fail(std::int64_t group, const Failure& failure);
    std::optional<Failure> failure(std::int64_t group) const;
    /// Why `peer` is gone; empty while it is not.
    std::string loss(std::int64_t peer) const;
    /// "call 6 (barrier), 4.2 s ago"; what `peer` was last heard of in `group`.
    std::string last_of(std::int64_t group, std::int64_t peer) const;
    /// Waits until `done()`, pumping where that is needed and nobody else does it. False at the deadline. `done` runs
    /// under the lock, and not again once it was true: it may take what it has waited for.
    bool wait_until(Deadline deadline, const std::function<bool()>& done, bool pumping = true);
    /// Wakes who waits in `wait_until`.
    void notify();

private:
    bool rest_until(Deadline deadline, const std::function<bool()>& done);
    bool listen_until(Deadline deadline, const std::function<bool()>& done);
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace reel::distributed::detail
