#include <reel/rl/envs/transforms/transformed_env.hpp>

namespace reel::rl {
namespace {

EnvPtr checked(EnvPtr env) {
    REEL_CHECK_VALUE(env, "TransformedEnv: expected an environment, got a null pointer");
    return env;
}

} // namespace

TransformedEnv::TransformedEnv(EnvPtr env, std::vector<TransformPtr> transforms)
    : EnvBase(checked(env)->batch_size()), base_env_(std::move(env)) {
    // all are looked at before the first is taken
    EnvSpecs specs = base_env_->specs();
    for (const TransformPtr& t : transforms) {
        REEL_CHECK_VALUE(t, "TransformedEnv: expected a transform, got a null pointer");
        REEL_CHECK(!t->is_attached(), "TransformedEnv: ", t->name(), " transforms an environment already; ",
                   "give this one a transform of its own");
        specs = t->transform_specs(std::move(specs));
    }
    set_specs(base_env_->specs());
    EnvBase::set_action_check(base_env_->action_check());
    for (TransformPtr& t : transforms) push_back(std::move(t));
}
void TransformedEnv::push_back(TransformPtr transform) {
    REEL_CHECK_VALUE(transform, "TransformedEnv.append_transform: expected a transform, got a null pointer");
    EnvSpecs with = transform->transform_specs(specs());
    transform->attach(specs());
    set_specs(std::move(with));
    transform_.append(std::move(transform));
}
void TransformedEnv::set_action_check(ActionCheck check) {
    base_env_->set_action_check(check);
    EnvBase::set_action_check(check);
}
void TransformedEnv::close() {
    base_env_->close();
    EnvBase::close();
}

TensorDict TransformedEnv::do_reset(const std::optional<TensorDict>& td) {
    return transform_.reset(td, reset_part(*base_env_, td));
}
TensorDict TransformedEnv::do_step(const TensorDict& td) {
    return transform_.step(td, step_part(*base_env_, transform_.inv(td)));
}
void TransformedEnv::do_set_seed(std::int64_t seed) { base_env_->set_seed(seed); }
void TransformedEnv::do_state_dict(TensorDict& state) const {
    state.set("base_env", base_env_->state_dict());
    transform_.state_dict(state, "transforms");
}
void TransformedEnv::do_load_state_dict(const TensorDict& state) {
    TensorDict before;
    transform_.state_dict(before, "transforms");
    try {
        transform_.load_state_dict(state, "transforms");
        base_env_->load_state_dict(state.contains("base_env") ? state.dict("base_env") : TensorDict());
    } catch (...) {
        transform_.load_state_dict(before, "transforms");
        throw;
    }
}

} // namespace reel::rl
