// Threads that do one thing together, again and again.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace reel::rl::detail {

/// A team of `size` members, the calling thread among them; the others are threads that sleep between two calls of
/// `run`. They compute on one thread each, and with the caller's grad mode.
class Team {
public:
    explicit Team(std::size_t size);
    ~Team(); ///< waits for the threads
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    std::size_t size() const;
    /// Calls `work(i)` for every i below `count`; member m takes m, m + size, m + 2 size, ... in this order. Returns
    /// when all have returned. What a call throws ends no other one: it stands under its number in the result.
    std::vector<std::exception_ptr> run(std::size_t count, const std::function<void(std::size_t)>& work);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Throws the first of the errors, if there is one, with "`whose` environment `i`" in its text: errors of Reel keep
/// their type, others become Error.
void throw_first(const std::vector<std::exception_ptr>& errors, const char* whose);

} // namespace reel::rl::detail
