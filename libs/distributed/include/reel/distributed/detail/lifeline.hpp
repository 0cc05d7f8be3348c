// Who is still there, for transports that do not notice when a process ends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <reel/distributed/detail/mailbox.hpp>

namespace reel::distributed::detail {

/// A connection from each rank to rank 0, on which nothing is said but who has ended. Rank 0 first `open`s it and tells
/// the others, by whatever means there are, at which port.
class Lifeline {
public:
    /// Called once for each rank that has ended without `close`, on a thread of the lifeline's.
    using Lost = std::function<void(std::int64_t rank)>;

    Lifeline(std::int64_t rank, std::int64_t size, Lost lost);
    ~Lifeline();
    Lifeline(const Lifeline&) = delete;
    /// Rank 0: listens, and returns the port.
    std::uint16_t open();
    /// Returns when this rank is connected, on rank 0 when all are; DistError at the deadline.
    void connect(const std::string& host, std::uint16_t port, Deadline deadline);
    /// An end that is no loss.
    void close();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace reel::distributed::detail
