// Several transforms, one after the other.
#pragma once

#include <vector>

#include <reel/rl/envs/transforms/transform.hpp>

namespace reel::rl {

/// In order on results, in reverse order on inputs (EN-8).
class Compose : public Transform {
public:
    explicit Compose(std::vector<TransformPtr> transforms = {});
    template <class T, class... Ts>
    requires requires(T&& t) { as_transform(std::forward<T>(t)); }
    explicit Compose(T&& first, Ts&&... others)
        : Compose(std::vector<TransformPtr>{as_transform(std::forward<T>(first)),
                                            as_transform(std::forward<Ts>(others))...}) {}
    std::string name() const override { return "Compose"; }
    const std::vector<TransformPtr>& transforms() const { return transforms_; }
    std::size_t size() const { return transforms_.size(); }
    /// IndexError beyond the last; negative ones count from it.
    const TransformPtr& operator[](std::int64_t i) const;
    template <class T> void append(T&& transform) { push_back(as_transform(std::forward<T>(transform))); }

    TensorDict reset(const std::optional<TensorDict>& td, TensorDict fresh) override;
    TensorDict step(const TensorDict& td, TensorDict next) override;
    TensorDict inv(const TensorDict& td) override;
    TensorDict forward(const TensorDict& td) override;
    EnvSpecs transform_specs(EnvSpecs specs) const override;
    void attach(const EnvSpecs& specs) override;
    void state_dict(TensorDict& state, const NestedKey& prefix) const override;
    void load_state_dict(const TensorDict& state, const NestedKey& prefix) override;

private:
    void push_back(TransformPtr transform);
    std::vector<TransformPtr> transforms_;
};

} // namespace reel::rl
