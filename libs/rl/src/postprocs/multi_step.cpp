// The post-processor as a module.
#include <reel/rl/postprocs/multi_step.hpp>

#include <cmath>

#include "detail/host_tensor.hpp"
#include "postprocs/multi_step_rule.hpp"

namespace reel::rl {

MultiStepImpl::MultiStepImpl(const MultiStepOptions& given) : options(given) {
    MultiStepRule::check("MultiStep", options);
    MultiStepImpl::reset();
}

void MultiStepImpl::reset() {
    const std::int64_t n = options.n_steps() + 1;
    const auto [powers, power] = detail::host_tensor<float>({1, 1, n});
    for (std::int64_t i = 0; i < n; ++i) power[i] = float(std::pow(options.gamma(), double(i)));
    gammas = register_buffer("gammas", powers);
}

TensorDict MultiStepImpl::forward(const TensorDict& tensordict) {
    return MultiStepRule{"MultiStep", options, done_key, done_keys, reward_keys, mask_key}(tensordict);
}

} // namespace reel::rl
