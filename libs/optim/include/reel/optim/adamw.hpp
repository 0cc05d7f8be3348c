// Adam with decoupled weight decay.
#pragma once

#include <reel/optim/adam.hpp>

namespace reel::optim {

/// Options of AdamW, with PyTorch's names and defaults.
class AdamWOptions : public AdamOptionsOf<AdamWOptions> {
public:
    static constexpr const char* optimizer_name = "AdamW";
    AdamWOptions() { weight_decay() = 1e-2; }
    AdamWOptions(double lr) : AdamWOptions() { this->lr(lr); }
    static constexpr bool decoupled_weight_decay() { return true; }

protected:
    void decoupling(FieldVisitor& v) override;
};
using AdamWParamState = AdamParamState;

/// I. Loshchilov, F. Hutter: Decoupled Weight Decay Regularization, 2019.
class AdamW : public OptimizerOf<AdamWOptions, AdamWParamState> {
public:
    static constexpr const char* class_name = "AdamW";
    using OptimizerOf::OptimizerOf;
    bool is_linear_in_rate() const override { return true; }
    bool step_supports_amp_scaling() const override { return true; }

protected:
    void update_parameter(const Tensor& p, const Tensor& g, AdamWParamState& s, const AdamWOptions& o) override;
};

extern template class AdamOptionsOf<AdamWOptions>;

} // namespace reel::optim
