// Actions by chance.
#pragma once

#include <optional>
#include <utility>

#include <reel/rl/specs/composite.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// Writes a draw from the action spec under "action" or a given key (EN-7); of a Composite, a draw of each entry under
/// its own key. A Policy. One without a spec gets it from what it is given to (`set_action_spec`).
class RandomPolicy {
public:
    RandomPolicy() = default;
    explicit RandomPolicy(const TensorSpec& action_spec, const NestedKey& action_key = "action");
    explicit RandomPolicy(Composite action_spec);
    bool has_action_spec() const { return single_ || spec_; }
    void set_action_spec(const TensorSpec& action_spec, const NestedKey& action_key = "action");
    void set_action_spec(Composite action_spec);
    /// Draws come from it instead of the default generator.
    void set_generator(Generator generator) { generator_ = std::move(generator); }
    const Generator& generator() const { return generator_; }
    /// Error before a spec is known.
    TensorDict operator()(TensorDict td) const;

private:
    std::optional<std::pair<NestedKey, TensorSpec>> single_;
    std::optional<Composite> spec_;
    Generator generator_;
};

} // namespace reel::rl
