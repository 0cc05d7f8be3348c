// One call under way: messages to and from the other members, each held against what this rank expects.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "group/group.hpp"

namespace reel::distributed::detail {

/// Members are named by their place in the group.
class Exchange {
public:
    Exchange(Group& group, const Envelope& envelope, Deadline deadline);
    std::int64_t me() const { return group_.me(); }
    std::int64_t size() const { return group_.size(); }
    const Envelope& envelope() const { return envelope_; }
    Group& group() { return group_; }

    /// What is long goes in pieces, so that it is used while the rest is on its way; one piece at least.
    static constexpr std::size_t piece_bytes = std::size_t(1) << 17;
    void send(std::int64_t member, const void* bytes, std::size_t size);
    /// The same under an envelope of its own, for parts of other shapes.
    void send_as(std::int64_t member, Envelope envelope, const void* bytes, std::size_t size);
    /// Who will be waited for from here on: that one of them is gone is noticed while waiting for another.
    void await(std::vector<std::int64_t> members);
    void await_others();
    /// For who waits for a rank that waits for others: that one is the first to say who did not come.
    void wait_longer(std::chrono::milliseconds time);
    /// The next piece.
    Message receive(std::int64_t member);
    Message receive_as(std::int64_t member, const Envelope& expected);
    /// What the member sent by one `send`.
    void receive_into(std::int64_t member, void* bytes, std::size_t size);
    void receive_into_as(std::int64_t member, const Envelope& expected, void* bytes, std::size_t size);
    /// Throws when the group has ended, another member is gone, or the time is over: for calls whose bytes come by
    /// other ways than messages.
    void check();
    /// Tells all other members that this rank takes no part.
    void refuse(const std::string& reason);

private:
    void send_piece(std::int64_t member, Envelope envelope, const void* bytes, std::size_t size);
    [[noreturn]] void fail(const std::string& what, bool remote = false);
    [[noreturn]] void fail_lost(std::int64_t rank);
    [[noreturn]] void fail_late();
    [[noreturn]] void fail_ended();
    [[noreturn]] void fail_misfit(std::int64_t rank, const Envelope& expected, const Envelope& came);
    [[noreturn]] void refused_by(std::int64_t rank, const std::string& reason);

    Group& group_;
    Envelope envelope_;
    Deadline deadline_;
    std::vector<std::int64_t> needed_;          // ranks of the world
    std::vector<std::uint8_t> sent_, received_; // pieces, by member
    std::optional<Deadline> lost_;              // how long to wait for what a member that is gone had still sent
};

} // namespace reel::distributed::detail
