// Reversible instance normalisation.
#pragma once

#include <optional>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn::norms {

/// `input_dim`: how many series the last axis holds (of a forecasting model: the target's).
struct RINormOptions {
    RINormOptions(std::int64_t input_dim) : input_dim_(input_dim) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, input_dim);
    REEL_ARG(double, eps) = 1e-5;
    REEL_ARG(bool, affine) = true;
    /// Off: an input of fewer than three axes is refused. On: as the reference, its statistics are those of the whole
    /// tensor, batch and series mixed (RI-7).
    REEL_ARG(bool, match_two_d) = false;
};
/// Reversible instance norm (RI-1 to RI-11): takes the level and the scale off every series of a batch, and gives them
/// back to what a model makes of it.
///
///     Tensor y = model(rin(past_target));  // [batch, time, series] -> [batch, horizon, series, n_params]
///     Tensor forecast = rin->inverse(y);
///
/// Parameters, when `affine`: `affine_weight` (ones) and `affine_bias` (zeros), `[input_dim]`. Training and evaluation
/// are alike. The statistics are constants to the gradient: d forward / dx is weight / stdev. They are plain fields:
/// not in the state, left where they are by `to`, undefined before the first forward; a clone has its own.
/// Source: darts 0.48.1, `layer_norm_variants.RINorm`; Kim et al., "Reversible Instance Normalization", ICLR 2022.
class RINormImpl : public Cloneable<RINormImpl> {
public:
    explicit RINormImpl(std::int64_t input_dim) : RINormImpl(RINormOptions(input_dim)) {}
    explicit RINormImpl(const RINormOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "x";
    /// x, `[batch, *, input_dim]` of a floating dtype: keeps its mean and sqrt(biased variance + eps) over all axes
    /// except the first and the last, then transforms it. Error naming both sizes when affine and the last axis has
    /// another size than `input_dim`; ValueError for fewer than three axes unless `match_two_d`.
    Tensor forward(const Tensor& x);
    /// (x - mean) / stdev, when affine times weight plus bias, by the statistics that are there: for other inputs with
    /// the same level. Batch and series as in the forward, other axes of any length (RI-4). AttributeError before the
    /// first forward; Error naming the sizes that do not fit.
    Tensor transform(const Tensor& x) const;
    /// Back to the scale of the input (RI-5): y, `[batch, *, input_dim, n_params]`, one axis more than x, minus bias,
    /// over weight + eps^2 (when affine), times stdev, plus mean. Errors as `transform`'s, and one for a missing axis.
    Tensor inverse(const Tensor& y) const;
    ModulePtr clone(std::optional<Device> device = std::nullopt, bool keep_hooks = true) const override;
    RINormOptions options;
    Tensor affine_weight, affine_bias;
    /// Of the last forward's input, with axes of 1 in place of those that were reduced; without gradient (RI-2).
    Tensor mean, stdev;

protected:
    bool become_copy_of(const Module& other, std::optional<Device> device, bool keep_hooks) override;

private:
    void own_statistics(std::optional<Device> device);
};
REEL_MODULE(RINorm);

} // namespace reel::nn::norms
