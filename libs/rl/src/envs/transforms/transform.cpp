#include <reel/rl/envs/transforms/transform.hpp>

#include "envs/masks.hpp"

namespace reel::rl {

Transform::~Transform() = default;
TensorDict Transform::reset(const std::optional<TensorDict>&, TensorDict fresh) { return call(std::move(fresh)); }
TensorDict Transform::step(const TensorDict&, TensorDict next) { return call(std::move(next)); }
TensorDict Transform::forward(const TensorDict& td) {
    TensorDict out = call(td.clone(false));
    if (const Entry* next = td.find("next"); next && next->is_dict()) out.set("next", call(next->dict().clone(false)));
    return out;
}
void Transform::attach(const EnvSpecs& specs) {
    REEL_CHECK(!parent_, name(), ": it transforms an environment already; give the other one a transform of its own");
    parent_ = specs;
}
const EnvSpecs& Transform::parent() const {
    REEL_CHECK(parent_, name(), ": it belongs to no environment; put it into a TransformedEnv");
    return *parent_;
}
Tensor Transform::reset_mask(const std::optional<TensorDict>& td) const {
    return td ? detail::batch_mask(*td, parent().batch_size, name()) : Tensor();
}

} // namespace reel::rl
