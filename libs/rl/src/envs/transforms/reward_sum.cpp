#include <reel/rl/envs/transforms/reward_sum.hpp>

#include <reel/rl/specs/unbounded.hpp>

#include "envs/transforms/keys.hpp"

namespace reel::rl {
namespace {

std::vector<NestedKey> sums_of(const std::vector<NestedKey>& rewards) {
    std::vector<NestedKey> keys;
    for (const NestedKey& key : rewards) keys.push_back(key.with_back("episode_" + key.back()));
    return keys;
}

} // namespace

RewardSum::RewardSum(std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys)
    : in_keys_(std::move(in_keys)), out_keys_(std::move(out_keys)) {
    if (!in_keys_.empty() && out_keys_.empty()) out_keys_ = sums_of(in_keys_);
    REEL_CHECK_VALUE(in_keys_.empty() || in_keys_.size() == out_keys_.size(),
                     "RewardSum: expected as many out_keys as in_keys, got ", out_keys_.size(), " and ",
                     in_keys_.size());
}
void RewardSum::attach(const EnvSpecs& specs) {
    Transform::attach(specs);
    if (in_keys_.empty()) in_keys_ = specs.reward.leaf_keys();
    if (out_keys_.empty()) out_keys_ = sums_of(in_keys_);
}
EnvSpecs RewardSum::transform_specs(EnvSpecs specs) const {
    const std::vector<NestedKey> in = in_keys_.empty() ? specs.reward.leaf_keys() : in_keys_;
    const std::vector<NestedKey> out = out_keys_.empty() ? sums_of(in) : out_keys_;
    REEL_CHECK_VALUE(in.size() == out.size(), "RewardSum: expected as many out_keys as there are rewards, got ",
                     out.size(), " and ", in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        const TensorSpec& reward = specs.reward[in[i]];
        specs.observation.set(out[i], Unbounded(IntArrayRef(reward.shape()), reward.dtype()));
    }
    return specs;
}
TensorDict RewardSum::reset(const std::optional<TensorDict>&, TensorDict fresh) {
    for (std::size_t i = 0; i < in_keys_.size(); ++i) fresh.set(out_keys_[i], parent().reward[in_keys_[i]].zero());
    return fresh;
}
TensorDict RewardSum::step(const TensorDict& td, TensorDict next) {
    for (std::size_t i = 0; i < in_keys_.size(); ++i) next.set(out_keys_[i], td[out_keys_[i]].add(next[in_keys_[i]]));
    return next;
}

} // namespace reel::rl
