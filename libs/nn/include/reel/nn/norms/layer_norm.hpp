// Layer norm of a size, and the one of the variants that has no parameters.
#pragma once

#include <initializer_list>
#include <vector>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn::norms {

/// `input_size`: the size of the last axis, or the shape of that many last axes.
struct LayerNormOptions {
    LayerNormOptions(std::int64_t input_size) : input_size_{input_size} {}
    LayerNormOptions(std::vector<std::int64_t> input_size) : input_size_(std::move(input_size)) {}
    LayerNormOptions(std::initializer_list<std::int64_t> input_size) : input_size_(input_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::vector<std::int64_t>, input_size);
    REEL_ARG(double, eps) = 1e-5;
    REEL_ARG(bool, elementwise_affine) = true;
    REEL_ARG(bool, bias) = true; ///< only with `elementwise_affine`
};
/// The ordinary layer norm (LN-1): (x - mean) / sqrt(var + eps) weight + bias over the last axes, biased variance.
/// Input `[*, *input_size]` of a floating dtype, output alike; parameters `weight` (ones) and `bias` (zeros) of shape
/// `input_size`. Training and evaluation are alike. Error naming both shapes when the input does not end in
/// `input_size`, ValueError for an empty or negative one. Source: darts 0.48.1, `layer_norm_variants.LayerNorm`.
class LayerNormImpl : public Cloneable<LayerNormImpl> {
public:
    explicit LayerNormImpl(std::int64_t input_size) : LayerNormImpl(LayerNormOptions(input_size)) {}
    explicit LayerNormImpl(const LayerNormOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    LayerNormOptions options;
    Tensor weight, bias;
};
REEL_MODULE(LayerNorm);

/// `input_size`: the size of the last axis, or the shape of that many last axes. There is no affine option (LN-2).
struct LayerNormNoBiasOptions {
    LayerNormNoBiasOptions(std::int64_t input_size) : input_size_{input_size} {}
    LayerNormNoBiasOptions(std::vector<std::int64_t> input_size) : input_size_(std::move(input_size)) {}
    LayerNormNoBiasOptions(std::initializer_list<std::int64_t> input_size) : input_size_(input_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::vector<std::int64_t>, input_size);
    REEL_ARG(double, eps) = 1e-5;
};
/// Layer norm without any parameter (LN-2): despite its name it has no weight either, and its state is empty.
/// (x - mean) / sqrt(var + eps) over the last axes; shapes, dtypes and errors as LayerNorm's.
/// Source: darts 0.48.1, `layer_norm_variants.LayerNormNoBias`.
class LayerNormNoBiasImpl : public Cloneable<LayerNormNoBiasImpl> {
public:
    explicit LayerNormNoBiasImpl(std::int64_t input_size) : LayerNormNoBiasImpl(LayerNormNoBiasOptions(input_size)) {}
    explicit LayerNormNoBiasImpl(const LayerNormNoBiasOptions& options);
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    LayerNormNoBiasOptions options;
};
REEL_MODULE(LayerNormNoBias);

} // namespace reel::nn::norms
