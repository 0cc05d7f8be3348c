// A collective that may still be under way.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <vector>

namespace reel {
class Tensor;
}
namespace reel::distributed {

namespace detail {
struct WorkState;
}

/// When a call was under way on this rank.
struct WorkTimes {
    std::chrono::steady_clock::time_point begun{}, ended{};
};

/// What the `..._async` forms return. The operands must not be touched until `wait` came back; dropping the handle does
/// not cancel. Work of one group runs in the order in which it was issued.
class Work {
public:
    Work() = default;
    explicit Work(std::shared_ptr<detail::WorkState> state) : state_(std::move(state)) {}
    bool defined() const noexcept { return state_ != nullptr; }
    /// Returns when the call is done. DistError when it failed, or took longer than the group's timeout.
    void wait() const;
    /// The same within the smaller of this and the group's timeout.
    void wait(std::chrono::milliseconds timeout) const;
    bool is_completed() const;
    /// What `wait` would throw; null while under way, or when all went well.
    std::exception_ptr exception() const;
    /// When it was under way; of a message that is received, of no length. Waits.
    WorkTimes times() const;
    /// The tensors that were written. Waits.
    std::vector<Tensor> result() const;

private:
    std::shared_ptr<detail::WorkState> state_;
};

} // namespace reel::distributed
