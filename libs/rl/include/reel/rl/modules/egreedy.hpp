// Random actions now and then.
#pragma once

#include <reel/nn/options.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>
#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl {

struct EGreedyModuleOptions {
    REEL_ARG(double, eps_init) = 1.0;
    REEL_ARG(double, eps_end) = 0.1;
    /// Steps from the first to the last value.
    REEL_ARG(std::int64_t, annealing_num_steps) = 1000;
    REEL_ARG(NestedKey, action_key) = "action";
    /// Where a mask (bool, [*B, n]) is that allows choices of a OneHot or Categorical spec; all are by default.
    REEL_ARG(std::optional<NestedKey>, action_mask_key);
};
/// Replaces the action of each element of the batch, with probability `eps`, by a draw from `spec`, unless the
/// exploration type is another than RANDOM (or none). `step` lowers `eps` linearly. Buffers: eps_init, eps_end, eps
/// (float32). Errors: ValueError unless 0 <= eps_end <= eps_init <= 1, and for a mask that allows nothing.
class EGreedyModuleImpl : public TensorDictCloneable<EGreedyModuleImpl> {
public:
    explicit EGreedyModuleImpl(TensorSpec spec, const EGreedyModuleOptions& options = {});
    void reset() override;
    TensorDict forward(TensorDict tensordict) override;
    /// `frames` steps of the annealing.
    void step(std::int64_t frames = 1);
    double epsilon() const { return eps.item<double>(); }
    const TensorSpec& spec() const { return spec_; }
    /// Draws come from it instead of the default generator.
    void set_generator(Generator generator) { generator_ = std::move(generator); }
    std::string repr() const override;

    EGreedyModuleOptions options;
    Tensor eps_init, eps_end, eps;

private:
    Tensor random_action(const TensorDict& tensordict, const Tensor& action) const;
    TensorSpec spec_;
    Generator generator_;
};
REEL_MODULE(EGreedyModule);

} // namespace reel::rl
