// The post-processor as a module.
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/rl/postprocs/multi_step.hpp>

#include <cmath>

#include "postprocs/multi_step_rule.hpp"

namespace reel::rl {

MultiStepImpl::MultiStepImpl(const MultiStepOptions& given) : options(given) {
    MultiStepRule::check("MultiStep", options);
    MultiStepImpl::reset();
}

void MultiStepImpl::reset() {
    const std::int64_t n = options.n_steps() + 1;
    const Tensor powers = empty({1, 1, n}, kFloat);
    for (std::int64_t i = 0; i < n; ++i) powers.data_ptr<float>()[i] = float(std::pow(options.gamma(), double(i)));
    gammas = register_buffer("gammas", powers);
}

TensorDict MultiStepImpl::forward(const TensorDict& tensordict) {
    return MultiStepRule{"MultiStep", options, done_key, done_keys, reward_keys, mask_key}(tensordict);
}

} // namespace reel::rl
