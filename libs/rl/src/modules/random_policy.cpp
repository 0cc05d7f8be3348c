#include <reel/rl/modules/random_policy.hpp>

#include <utility>

namespace reel::rl {

RandomPolicy::RandomPolicy(const TensorSpec& action_spec, const NestedKey& action_key) {
    set_action_spec(action_spec, action_key);
}
RandomPolicy::RandomPolicy(Composite action_spec) : spec_(std::move(action_spec)) {}
void RandomPolicy::set_action_spec(const TensorSpec& action_spec, const NestedKey& action_key) {
    action_spec.checked();
    single_ = {action_key, action_spec};
    spec_.reset();
}
void RandomPolicy::set_action_spec(Composite action_spec) {
    spec_ = std::move(action_spec);
    single_.reset();
}

TensorDict RandomPolicy::operator()(TensorDict td) const {
    REEL_CHECK(has_action_spec(), "RandomPolicy: called before its action spec is known; construct it with one "
                                  "(RandomPolicy(env.action_spec())) or call set_action_spec");
    if (single_) td.set(single_->first, single_->second.rand({}, generator_));
    else td.update(spec_->rand({}, generator_));
    return td;
}

} // namespace reel::rl
