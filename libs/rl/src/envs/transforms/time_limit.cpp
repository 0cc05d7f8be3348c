#include <reel/rl/envs/transforms/time_limit.hpp>

#include <algorithm>

#include <reel/autograd/tensor_factory.hpp>

#include "detail/host_tensor.hpp"
#include "envs/masks.hpp"
#include "envs/transforms/keys.hpp"

namespace reel::rl {

TimeLimit::TimeLimit(std::int64_t max_episode_steps) : max_episode_steps_(max_episode_steps) {
    REEL_CHECK_VALUE(max_episode_steps >= 1, "TimeLimit: expected max_episode_steps of at least 1, got ",
                     max_episode_steps);
}
void TimeLimit::attach(const EnvSpecs& specs) {
    Transform::attach(specs);
    std::int64_t n = 1;
    for (const std::int64_t size : specs.batch_size) n *= size;
    elapsed_.assign(std::size_t(n), 0);
    done_keys_ = detail::done_keys(specs.done);
}
TensorDict TimeLimit::reset(const std::optional<TensorDict>& td, TensorDict fresh) {
    const Tensor mask = reset_mask(td);
    const bool* const chosen = mask.defined() ? mask.data_ptr<bool>() : nullptr;
    for (std::size_t i = 0; i < elapsed_.size(); ++i)
        if (!chosen || chosen[i]) elapsed_[i] = 0;
    return fresh;
}
TensorDict TimeLimit::step(const TensorDict&, TensorDict next) {
    bool any = false;
    for (std::int64_t& count : elapsed_) any |= ++count >= max_episode_steps_;
    if (!any) return next;
    const std::vector<std::int64_t>& batch = parent().batch_size;
    const auto [reached, is_reached] = detail::host_tensor<bool>(batch);
    std::transform(elapsed_.begin(), elapsed_.end(), is_reached,
                   [&](std::int64_t count) { return count >= max_episode_steps_; });
    for (const NestedKey& done : done_keys_) {
        const Tensor flag = next[done];
        std::vector<std::int64_t> sizes = batch;
        sizes.resize(std::size_t(flag.dim()), 1);
        detail::truncate(next, done, "truncated", reached.reshape(sizes).expand(flag.sizes()).contiguous(), true);
    }
    return next;
}
void TimeLimit::state_dict(TensorDict& state, const NestedKey& prefix) const {
    state.set(NestedKey("elapsed").under(prefix), reel::tensor(elapsed_));
}
void TimeLimit::load_state_dict(const TensorDict& state, const NestedKey& prefix) {
    const Tensor saved = state[NestedKey("elapsed").under(prefix)].contiguous();
    REEL_CHECK(saved.scalar_type() == kLong && saved.numel() == std::int64_t(elapsed_.size()),
               "TimeLimit.load_state_dict: expected 'elapsed' of sizes [", elapsed_.size(), "] and dtype int64, got ",
               saved.sizes(), " and ", dtype_name(saved.scalar_type()));
    std::copy_n(saved.data_ptr<std::int64_t>(), elapsed_.size(), elapsed_.begin());
}

} // namespace reel::rl
