#include <reel/autograd/ops/factory/full.hpp>
#include <reel/rl/envs/transforms/init_tracker.hpp>

#include <reel/rl/specs/categorical.hpp>

#include "envs/transforms/keys.hpp"

namespace reel::rl {

InitTracker::InitTracker(const std::string& init_key) : init_key_(init_key) {
    REEL_CHECK_VALUE(!init_key.empty(), "InitTracker: expected a name for its mark, got an empty one");
}
void InitTracker::attach(const EnvSpecs& specs) {
    Transform::attach(specs);
    done_keys_ = detail::done_keys(specs.done);
}
EnvSpecs InitTracker::transform_specs(EnvSpecs specs) const {
    for (const NestedKey& done : detail::done_keys(specs.done)) {
        const NestedKey key = done.with_back(init_key_);
        REEL_CHECK_WITH(KeyError, !specs.observation.contains(key), "InitTracker: the environment has an entry ",
                        key.str(), " already; choose another init_key");
        specs.observation.set(key, Categorical(2, specs.done[done].shape(), kBool));
    }
    return specs;
}
TensorDict InitTracker::marked(TensorDict td, bool value) const {
    for (const NestedKey& done : done_keys_)
        td.set(done.with_back(init_key_), reel::full(parent().done[done].shape(), value, TensorOptions(kBool)));
    return td;
}
TensorDict InitTracker::reset(const std::optional<TensorDict>&, TensorDict fresh) {
    return marked(std::move(fresh), true);
}
TensorDict InitTracker::step(const TensorDict&, TensorDict next) { return marked(std::move(next), false); }

} // namespace reel::rl
