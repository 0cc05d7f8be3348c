// The n-step rule over the entries of a dictionary.
#include "postprocs/multi_step_rule.hpp"

#include <algorithm>
#include <limits>

#include <reel/autograd/printing.hpp>

#include "postprocs/needed_entry.hpp"
#include "postprocs/reward_sums.hpp"

namespace reel::rl {

namespace {

bool begins_with(IntArrayRef sizes, IntArrayRef start) {
    return sizes.size() >= start.size() && std::equal(start.begin(), start.end(), sizes.begin());
}
bool contains(const std::vector<NestedKey>& keys, const NestedKey& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

/// What was found out before anything is made.
struct MultiStepRule::Input {
    std::shared_ptr<const Lookahead> lookahead;
    std::vector<Tensor> rewards; ///< by key
    Tensor mask;                 ///< undefined for none
    bool own_flags;              ///< done has dimensions behind those of the batch
};

std::int64_t MultiStepRule::reach(const MultiStepOptions& options) {
    return options.n_steps() - (options.counts_current_step() ? 1 : 0);
}

void MultiStepRule::check(const char* name, const MultiStepOptions& options) {
    const std::int64_t least = options.counts_current_step() ? 1 : 0, n = options.n_steps();
    REEL_CHECK_VALUE(n >= least, name, ": n_steps must be a non-negative integer", least ? " other than 0" : "",
                     least ? " when it counts the current step" : "", ", got n_steps=", n);
    REEL_CHECK_VALUE(n < std::numeric_limits<std::int64_t>::max(), name, ": n_steps=", n, " is too large");
    REEL_CHECK_VALUE(options.gamma() > 0 && options.gamma() <= 1, name,
                     ": got out-of-bounds gamma decay: gamma=", Scalar(options.gamma()), "; expected 0 < gamma <= 1");
}

void MultiStepRule::check_leaves(const TensorDict& data, IntArrayRef done) const {
    for (const auto& [key, entry] : data.items(true, true))
        REEL_CHECK(begins_with(entry.tensor().sizes(), done),
                   "tensordict shape must be compatible with the done's shape ", done, ", but the entry ", key,
                   " has sizes ", entry.tensor().sizes(), " (", name, ")");
}

MultiStepRule::Input MultiStepRule::look(const TensorDict& data) const {
    const auto& batch = data.batch_size();
    REEL_CHECK_VALUE(!batch.empty(), name, ": the tensordict's batch size is [], expected [*B, T] with time last");
    REEL_CHECK(batch.back() > 0, name, ": the tensordict's batch size ", IntArrayRef(batch),
               " has no steps: its last dimension is time, expected at least 1");
    const std::int64_t dims = data.batch_dims();
    Tensor done = needed_entry(name, data, done_key.under("next"));
    if (done.dim() == dims + 1 && done.size(-1) == 1) done = done.squeeze(-1);
    Input input;
    input.own_flags = done.dim() > dims;
    if (input.own_flags) check_leaves(data, done.sizes());
    for (const NestedKey& key : reward_keys) {
        const Tensor reward = needed_entry(name, data, key.under("next"));
        REEL_CHECK_TYPE(options.integer_rewards_as_float() || reward.scalar_type() != kBool, name, ": the entry ",
                        key.under("next"), " is bool, expected a floating or integer reward; convert it, or set ",
                        "integer_rewards_as_float");
        input.rewards.push_back(reward);
    }
    input.lookahead = std::make_shared<const Lookahead>(done, dims - 1, reach(options));
    const Entry* mask = mask_key ? data.find(*mask_key) : nullptr;
    if (!mask) return input;
    REEL_CHECK_TYPE(mask->is_tensor(), name, ": the mask ", *mask_key, " is a tensordict, expected a tensor");
    input.mask = mask->tensor();
    if (input.mask.dim() == done.dim() + 1 && input.mask.size(-1) == 1) input.mask = input.mask.squeeze(-1);
    REEL_CHECK(input.mask.sizes() == done.sizes(), name, ": the mask ", *mask_key, " has sizes ",
               mask->tensor().sizes(), ", expected ", done.sizes(), ", or those and a 1");
    return input;
}

bool MultiStepRule::stays(const NestedKey& key) const {
    if (contains(reward_keys, key) || (!options.move_done() && contains(done_keys, key))) return true;
    if (!options.original_reward_per_key()) return false;
    return std::any_of(reward_keys.begin(), reward_keys.end(),
                       [&](const NestedKey& reward) { return key == original_key(reward); });
}

NestedKey MultiStepRule::original_key(const NestedKey& reward_key) const {
    return options.original_reward_per_key() ? reward_key.with_back("original_" + reward_key.back())
                                             : NestedKey("original_reward");
}

void MultiStepRule::move_leaves(TensorDict& next, const Input& input) const {
    for (const auto& [key, entry] : next.items(true, true))
        if (!stays(key)) next.set(key, input.lookahead->move(entry.tensor()));
}

void MultiStepRule::sum_rewards(TensorDict& next, const Input& input) const {
    const bool overwritten = next.contains("original_reward"); // by one that was there and has been moved
    for (std::size_t i = 0; i < reward_keys.size(); ++i) {
        const Tensor& original = input.rewards[i];
        const bool convert = options.integer_rewards_as_float() && isIntegralType(original.scalar_type(), true);
        const Tensor sum =
            window_sums(convert ? original.to(get_default_dtype()) : original, input.lookahead, options.gamma());
        const NestedKey kept = original_key(reward_keys[i]);
        next.del_(reward_keys[i]); // it moves to the end, behind its original
        if (options.original_reward_per_key() ? !next.contains(kept) : !overwritten) next.set(kept, original);
        next.set(reward_keys[i], sum);
    }
}

TensorDict MultiStepRule::operator()(const TensorDict& data) const {
    check(name, options); // they may have been changed since construction
    const Input input = look(data);
    const Lookahead& ahead = *input.lookahead;
    TensorDict out = data.clone(false);
    if (input.own_flags) out.set_batch_size(ahead.sizes);
    TensorDict next = out.dict("next");
    move_leaves(next, input);
    sum_rewards(next, input);
    Tensor nonterminal = ahead.nonterminal();
    if (input.mask.defined()) nonterminal = nonterminal.logical_and(input.mask.cpu());
    const Device device = needed_entry(name, data, done_key.under("next")).device();
    out.set("steps_to_next_obs", ahead.steps.to(device));
    out.set("gamma", ahead.discount(options.gamma()).to(device));
    out.set("nonterminal", nonterminal.to(device));
    if (input.own_flags) out.set_batch_size(data.batch_size());
    return out;
}

} // namespace reel::rl
