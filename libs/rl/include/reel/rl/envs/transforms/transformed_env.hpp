// An environment and transforms of it.
#pragma once

#include <reel/rl/envs/env_base.hpp>
#include <reel/rl/envs/transforms/compose.hpp>

namespace reel::rl {

/// Applies transforms in order to what reset and step of an environment return and in reverse to what they read (EN-8).
/// Copies share the environment and the transforms. `TransformedEnv env(GymEnv("CartPole-v1"), StepCounter(),
/// RewardSum());`
class TransformedEnv : public EnvBase {
public:
    TransformedEnv(EnvPtr env, std::vector<TransformPtr> transforms);
    template <class E, class... T>
    requires requires(E&& e) { as_env(std::forward<E>(e)); }
    explicit TransformedEnv(E&& env, T&&... transforms)
        : TransformedEnv(as_env(std::forward<E>(env)),
                         std::vector<TransformPtr>{as_transform(std::forward<T>(transforms))...}) {}
    std::string name() const override { return base_env_->name(); }
    const EnvPtr& base_env() const { return base_env_; }
    const Compose& transform() const { return transform_; }
    /// Extends the list; the specs follow.
    template <class T> void append_transform(T&& transform) { push_back(as_transform(std::forward<T>(transform))); }
    Tensor render(std::int64_t index = 0) const override { return base_env_->render(index); }
    std::pair<std::int64_t, std::int64_t> render_size() const override { return base_env_->render_size(); }
    void set_action_check(ActionCheck check) override;
    void close() override;

protected:
    TensorDict do_reset(const std::optional<TensorDict>& td) override;
    TensorDict do_step(const TensorDict& td) override;
    void do_set_seed(std::int64_t seed) override;
    void do_state_dict(TensorDict& state) const override;
    void do_load_state_dict(const TensorDict& state) override;

private:
    void push_back(TransformPtr transform);

    EnvPtr base_env_;
    Compose transform_;
};

} // namespace reel::rl
