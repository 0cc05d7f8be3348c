// Normalisation without batch statistics.
#pragma once

#include <optional>
#include <vector>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/number.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct LayerNormOptions {
    LayerNormOptions(std::vector<std::int64_t> normalized_shape) : normalized_shape_(std::move(normalized_shape)) {}
    LayerNormOptions(std::initializer_list<std::int64_t> normalized_shape) : normalized_shape_(normalized_shape) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::vector<std::int64_t>, normalized_shape);
    REEL_ARG(double, eps) = 1e-5;
    REEL_ARG(bool, elementwise_affine) = true;
    REEL_ARG(bool, bias) = true; ///< only with `elementwise_affine`
};
/// (x - mean) / sqrt(var + eps) weight + bias over the trailing dimensions.
class LayerNormImpl : public Cloneable<LayerNormImpl> {
public:
    explicit LayerNormImpl(std::vector<std::int64_t> normalized_shape)
        : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
    explicit LayerNormImpl(const LayerNormOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    LayerNormOptions options;
    Tensor weight, bias;
};
REEL_MODULE(LayerNorm);

/// `eps` nullopt: the dtype's epsilon.
struct RMSNormOptions {
    RMSNormOptions(std::vector<std::int64_t> normalized_shape) : normalized_shape_(std::move(normalized_shape)) {}
    RMSNormOptions(std::initializer_list<std::int64_t> normalized_shape) : normalized_shape_(normalized_shape) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::vector<std::int64_t>, normalized_shape);
    REEL_ARG(std::optional<double>, eps) = std::nullopt;
    REEL_ARG(bool, elementwise_affine) = true;
};
/// x / sqrt(mean x^2 + eps) weight over the trailing dimensions.
class RMSNormImpl : public Cloneable<RMSNormImpl> {
public:
    explicit RMSNormImpl(std::vector<std::int64_t> normalized_shape)
        : RMSNormImpl(RMSNormOptions(std::move(normalized_shape))) {}
    explicit RMSNormImpl(const RMSNormOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    RMSNormOptions options;
    Tensor weight;
};
REEL_MODULE(RMSNorm);

struct GroupNormOptions {
    GroupNormOptions(std::int64_t num_groups, std::int64_t num_channels)
        : num_groups_(num_groups), num_channels_(num_channels) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, num_groups);
    REEL_ARG(std::int64_t, num_channels);
    REEL_ARG(double, eps) = 1e-5;
    REEL_ARG(bool, affine) = true;
    REEL_ARG(bool, bias) = true; ///< only with `affine`
};
/// Normalises groups of channels of each example; scale and shift per channel.
class GroupNormImpl : public Cloneable<GroupNormImpl> {
public:
    GroupNormImpl(std::int64_t num_groups, std::int64_t num_channels)
        : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
    explicit GroupNormImpl(const GroupNormOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    GroupNormOptions options;
    Tensor weight, bias;
};
REEL_MODULE(GroupNorm);

struct LocalResponseNormOptions {
    LocalResponseNormOptions(std::int64_t size) : size_(size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, size);
    REEL_ARG(Number, alpha) = 1e-4;
    REEL_ARG(Number, beta) = 0.75;
    REEL_ARG(Number, k) = 1.0;
};
/// x / (k + alpha mean of x^2 over `size` neighbouring channels)^beta.
class LocalResponseNormImpl : public Cloneable<LocalResponseNormImpl> {
public:
    explicit LocalResponseNormImpl(const LocalResponseNormOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    LocalResponseNormOptions options;
};
REEL_MODULE(LocalResponseNorm);

struct CrossMapLRN2dOptions {
    CrossMapLRN2dOptions(std::int64_t size) : size_(size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, size);
    REEL_ARG(Number, alpha) = 1e-4;
    REEL_ARG(Number, beta) = 0.75;
    REEL_ARG(Number, k) = 1;
};
/// x / (k + alpha / size sum of x^2 over the channels up to (size - 1) / 2 away)^beta, over [N, C, H, W].
class CrossMapLRN2dImpl : public Cloneable<CrossMapLRN2dImpl> {
public:
    CrossMapLRN2dImpl(std::int64_t size) : CrossMapLRN2dImpl(CrossMapLRN2dOptions(size)) {}
    explicit CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    CrossMapLRN2dOptions options;
};
REEL_MODULE(CrossMapLRN2d);

} // namespace reel::nn
