// Marks first steps.
#pragma once

#include <string>
#include <vector>

#include <reel/rl/envs/transforms/transform.hpp>

namespace reel::rl {

/// Adds "is_init", bool [*batch_size, 1] beside each group of flags: true where reset, false after steps.
class InitTracker : public Transform {
public:
    explicit InitTracker(const std::string& init_key = "is_init");
    std::string name() const override { return "InitTracker"; }
    TensorDict reset(const std::optional<TensorDict>& td, TensorDict fresh) override;
    TensorDict step(const TensorDict& td, TensorDict next) override;
    EnvSpecs transform_specs(EnvSpecs specs) const override;
    void attach(const EnvSpecs& specs) override;

private:
    TensorDict marked(TensorDict td, bool value) const;
    std::string init_key_;
    std::vector<NestedKey> done_keys_; ///< of each group
};

} // namespace reel::rl
