#include <reel/rl/envs/transforms/compose.hpp>

#include <string>

namespace reel::rl {

Compose::Compose(std::vector<TransformPtr> transforms) {
    for (TransformPtr& transform : transforms) push_back(std::move(transform));
}
void Compose::push_back(TransformPtr transform) {
    REEL_CHECK_VALUE(transform, "Compose: expected a transform, got a null pointer");
    REEL_CHECK(!is_attached(), "Compose: it transforms an environment already; append to that one (append_transform)");
    transforms_.push_back(std::move(transform));
}
const TransformPtr& Compose::operator[](std::int64_t i) const {
    const std::int64_t n = std::int64_t(transforms_.size());
    REEL_CHECK_INDEX(i >= -n && i < n, "Compose: there is no transform ", i, " among ", n);
    return transforms_[std::size_t(i < 0 ? i + n : i)];
}

TensorDict Compose::reset(const std::optional<TensorDict>& td, TensorDict fresh) {
    for (const TransformPtr& t : transforms_) fresh = t->reset(td, std::move(fresh));
    return fresh;
}
TensorDict Compose::step(const TensorDict& td, TensorDict next) {
    for (const TransformPtr& t : transforms_) next = t->step(td, std::move(next));
    return next;
}
TensorDict Compose::inv(const TensorDict& td) {
    TensorDict input = td;
    for (auto t = transforms_.rbegin(); t != transforms_.rend(); ++t) input = (*t)->inv(input);
    return input;
}
TensorDict Compose::forward(const TensorDict& td) {
    TensorDict out = td;
    for (const TransformPtr& t : transforms_) out = t->forward(out);
    return out;
}
EnvSpecs Compose::transform_specs(EnvSpecs specs) const {
    for (const TransformPtr& t : transforms_) specs = t->transform_specs(std::move(specs));
    return specs;
}
void Compose::attach(const EnvSpecs& specs) {
    for (const TransformPtr& t : transforms_)
        REEL_CHECK(!t->is_attached(), "Compose: its ", t->name(), " transforms an environment already");
    Transform::attach(specs);
    EnvSpecs before = specs;
    for (const TransformPtr& t : transforms_) {
        t->attach(before);
        before = t->transform_specs(std::move(before));
    }
}
void Compose::state_dict(TensorDict& state, const NestedKey& prefix) const {
    for (std::size_t i = 0; i < transforms_.size(); ++i)
        transforms_[i]->state_dict(state, NestedKey(std::to_string(i)).under(prefix));
}
void Compose::load_state_dict(const TensorDict& state, const NestedKey& prefix) {
    for (std::size_t i = 0; i < transforms_.size(); ++i)
        transforms_[i]->load_state_dict(state, NestedKey(std::to_string(i)).under(prefix));
}

} // namespace reel::rl
