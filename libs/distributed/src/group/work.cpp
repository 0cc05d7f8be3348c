#include <reel/distributed/work.hpp>

#include <reel/autograd/error.hpp>

#include "group/group.hpp"

namespace reel::distributed {

namespace {
/// Waits until `limit`; what takes longer is at its end for all.
void wait_for(detail::WorkState& state, std::chrono::milliseconds limit) {
    detail::Group& group = *state.group;
    if (!group.world().mailbox().wait_until(
            detail::deadline_after(limit), [&] { return state.completed(); }, state.posted)) {
        const detail::Failure late{
            str(group.where(state.envelope), ": not done within the ", double(limit.count()) / 1000.0, " s of wait")};
        group.fail(late);
        detail::raise(late);
    }
    if (const auto failure = state.failure()) detail::raise(*failure);
}
} // namespace

void Work::wait() const {
    if (!state_) return;
    // a call that a thread runs has that thread to keep the time
    wait_for(*state_, state_->posted ? state_->group->timeout() : std::chrono::milliseconds::max());
}

void Work::wait(std::chrono::milliseconds timeout) const {
    if (state_) wait_for(*state_, std::min(timeout, state_->group->timeout()));
}

bool Work::is_completed() const {
    if (!state_ || state_->completed()) return true;
    state_->group->world().mailbox().pump();
    return state_->completed();
}

std::exception_ptr Work::exception() const {
    const auto failure = state_ ? state_->failure() : std::nullopt;
    return failure ? detail::exception_of(*failure) : nullptr;
}

WorkTimes Work::times() const {
    wait();
    return state_ ? state_->times : WorkTimes();
}

std::vector<Tensor> Work::result() const {
    wait();
    return state_ ? state_->outputs : std::vector<Tensor>{};
}

} // namespace reel::distributed
