// Base of what changes the dictionaries of an environment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <reel/rl/envs/env_specs.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

class Transform;
using TransformPtr = std::shared_ptr<Transform>;
/// A transform given by value moves into shared ownership.
template <class T>
requires std::is_base_of_v<Transform, std::remove_cvref_t<T>> TransformPtr as_transform(T&& transform) {
    return std::make_shared<std::remove_cvref_t<T>>(std::forward<T>(transform));
}
inline TransformPtr as_transform(TransformPtr transform) { return transform; }

/// A change of what an environment returns and of what it reads. Derived classes override `call` (one dictionary of
/// results), or `reset` and `step` where the two differ or the past matters, `inv_call` for inputs, and
/// `transform_specs` to say what that does to the specs.
class Transform {
public:
    virtual ~Transform();
    /// How it is named in messages: "StepCounter".
    virtual std::string name() const = 0;
    /// After a reset: changes and returns `fresh`, what the environment wrote. `td` is what `reset` was called with;
    /// masks of a partial reset are in it under the reset keys.
    virtual TensorDict reset(const std::optional<TensorDict>& td, TensorDict fresh);
    /// After a step from the root `td`: changes and returns `next`.
    virtual TensorDict step(const TensorDict& td, TensorDict next);
    /// Before a step: a dictionary for the environment; `td` itself where nothing changes. `td` is not changed.
    virtual TensorDict inv(const TensorDict& td) { return inv_call(td); }
    /// Outside of an environment: `call` on a dictionary and on its "next", if any; a shallow copy.
    virtual TensorDict forward(const TensorDict& td);
    /// The specs of the environment with this transform, made of those without.
    virtual EnvSpecs transform_specs(EnvSpecs specs) const { return specs; }
    /// Called with the specs of what comes before it, which `transform_specs` has accepted, when it joins an
    /// environment. Error when it is in another one.
    virtual void attach(const EnvSpecs& specs);
    bool is_attached() const { return parent_.has_value(); }
    /// Specs of what comes before it; Error where there is nothing.
    const EnvSpecs& parent() const;
    /// What it keeps from step to step, under names of its own.
    virtual void state_dict(TensorDict&, const NestedKey& /*prefix*/) const {}
    virtual void load_state_dict(const TensorDict&, const NestedKey& /*prefix*/) {}

protected:
    Transform() = default;
    Transform(const Transform&) = default;
    Transform& operator=(const Transform&) = default;
    /// Changes and returns a dictionary of results.
    virtual TensorDict call(TensorDict td) { return td; }
    /// `td` or a changed shallow copy.
    virtual TensorDict inv_call(const TensorDict& td) { return td; }
    /// Mask [*batch_size] of a partial reset of the environments; undefined when all are reset.
    Tensor reset_mask(const std::optional<TensorDict>& td) const;

private:
    std::optional<EnvSpecs> parent_;
};

} // namespace reel::rl
