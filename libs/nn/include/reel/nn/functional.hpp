// Functional forms of the layers: the same options, nothing held.
#pragma once

#include <tuple>

#include <reel/autograd/enum.hpp>
#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/functional/activation.hpp>
#include <reel/nn/functional/distance.hpp>
#include <reel/nn/functional/loss.hpp>
#include <reel/nn/functional/normalization.hpp>
#include <reel/nn/functional/pooling.hpp>
#include <reel/nn/functional/vision.hpp>
#include <reel/nn/modules/conv.hpp>
#include <reel/nn/modules/embedding.hpp>
#include <reel/nn/modules/fractional_pooling.hpp>

namespace reel::nn::functional {

template <std::size_t D> struct ConvFuncOptions {
    using padding_t = typename ConvOptions<D>::padding_t;
    REEL_ARG(Tensor, bias) = {};
    REEL_ARG(ExpandingArray<D>, stride) = 1;
    REEL_ARG(padding_t, padding) = ExpandingArray<D>(0);
    REEL_ARG(ExpandingArray<D>, dilation) = 1;
    REEL_ARG(std::int64_t, groups) = 1;

public:
    ConvFuncOptions& padding(std::initializer_list<std::int64_t> values) {
        return padding(padding_t(ExpandingArray<D>(values)));
    }
};
using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;
using Conv3dFuncOptions = ConvFuncOptions<3>;
template <std::size_t D> struct ConvTransposeFuncOptions {
    REEL_ARG(Tensor, bias) = {};
    REEL_ARG(ExpandingArray<D>, stride) = 1;
    REEL_ARG(ExpandingArray<D>, padding) = 0;
    REEL_ARG(ExpandingArray<D>, output_padding) = 0;
    REEL_ARG(std::int64_t, groups) = 1;
    REEL_ARG(ExpandingArray<D>, dilation) = 1;
};
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<1>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<2>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<3>;

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias = {});
Tensor conv1d(const Tensor& input, const Tensor& weight, const Conv1dFuncOptions& options = {});
Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options = {});
Tensor conv3d(const Tensor& input, const Tensor& weight, const Conv3dFuncOptions& options = {});
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const ConvTranspose1dFuncOptions& options = {});
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const ConvTranspose2dFuncOptions& options = {});
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const ConvTranspose3dFuncOptions& options = {});

struct EmbeddingFuncOptions {
    REEL_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt;
    REEL_ARG(std::optional<double>, max_norm) = std::nullopt;
    REEL_ARG(double, norm_type) = 2.;
    REEL_ARG(bool, scale_grad_by_freq) = false;
    REEL_ARG(bool, sparse) = false;
};
Tensor embedding(const Tensor& indices, const Tensor& weight, const EmbeddingFuncOptions& options = {});
struct EmbeddingBagFuncOptions {
    using mode_t = EmbeddingBagOptions::mode_t;
    REEL_ARG(Tensor, offsets) = {};
    REEL_ARG(std::optional<double>, max_norm) = std::nullopt;
    REEL_ARG(double, norm_type) = 2.;
    REEL_ARG(bool, scale_grad_by_freq) = false;
    REEL_ARG(mode_t, mode) = kMean;
    REEL_ARG(bool, sparse) = false;
    REEL_ARG(Tensor, per_sample_weights) = {};
    REEL_ARG(bool, include_last_offset) = false;
    REEL_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt;
};
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& options = {});
Tensor one_hot(const Tensor& indices, std::int64_t num_classes = -1);

using ReLUFuncOptions = ReLUOptions;
using LeakyReLUFuncOptions = LeakyReLUOptions;
using GELUFuncOptions = GELUOptions;
using SiLUFuncOptions = SiLUOptions;
using SoftplusFuncOptions = SoftplusOptions;
using ELUFuncOptions = ELUOptions;
Tensor relu(const Tensor& input, const ReLUFuncOptions& options = {});
Tensor leaky_relu(const Tensor& input, const LeakyReLUFuncOptions& options = {});
Tensor gelu(const Tensor& input, const GELUFuncOptions& options = {});
Tensor silu(const Tensor& input, const SiLUFuncOptions& options = {});
Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {});
Tensor elu(const Tensor& input, const ELUFuncOptions& options = {});
Tensor logsigmoid(const Tensor& input);
Tensor tanhshrink(const Tensor& input);
Tensor softsign(const Tensor& input);
struct SoftmaxFuncOptions {
    SoftmaxFuncOptions(std::int64_t dim) : dim_(dim) {}
    REEL_ARG(std::int64_t, dim);
    REEL_ARG(std::optional<ScalarType>, dtype) = std::nullopt;
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
using SoftminFuncOptions = SoftmaxFuncOptions;
Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options);
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options);
/// softmax of the negated input.
Tensor softmin(const Tensor& input, const SoftminFuncOptions& options);
struct GumbelSoftmaxFuncOptions {
    REEL_ARG(double, tau) = 1;
    REEL_ARG(bool, hard) = false;
    REEL_ARG(int, dim) = -1;
};
Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options = {});
/// Coordinates for grid_sample: see reel::affine_grid.
Tensor affine_grid(const Tensor& theta, IntArrayRef size, bool align_corners = false);

struct DropoutFuncOptions {
    REEL_ARG(double, p) = 0.5;
    REEL_ARG(bool, training) = true;
    REEL_ARG(bool, inplace) = false;
};
struct AlphaDropoutFuncOptions {
    REEL_ARG(double, p) = 0.5;
    REEL_ARG(bool, training) = false;
    REEL_ARG(bool, inplace) = false;
};
using Dropout1dFuncOptions = DropoutFuncOptions;
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;
Tensor dropout(const Tensor& input, const DropoutFuncOptions& options = {});
Tensor dropout1d(const Tensor& input, const DropoutFuncOptions& options = {});
Tensor dropout2d(const Tensor& input, const DropoutFuncOptions& options = {});
Tensor dropout3d(const Tensor& input, const DropoutFuncOptions& options = {});
Tensor alpha_dropout(const Tensor& input, const AlphaDropoutFuncOptions& options = {});
Tensor feature_alpha_dropout(const Tensor& input, const AlphaDropoutFuncOptions& options = {});

struct BatchNormFuncOptions {
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(Tensor, bias) = {};
    REEL_ARG(bool, training) = false;
    REEL_ARG(double, momentum) = 0.1;
    REEL_ARG(double, eps) = 1e-5;
};
struct LayerNormFuncOptions {
    LayerNormFuncOptions(std::vector<std::int64_t> normalized_shape) : normalized_shape_(std::move(normalized_shape)) {}
    REEL_ARG(std::vector<std::int64_t>, normalized_shape);
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(Tensor, bias) = {};
    REEL_ARG(double, eps) = 1e-5;
};
struct GroupNormFuncOptions {
    GroupNormFuncOptions(std::int64_t num_groups) : num_groups_(num_groups) {}
    REEL_ARG(std::int64_t, num_groups);
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(Tensor, bias) = {};
    REEL_ARG(double, eps) = 1e-5;
};
struct NormalizeFuncOptions {
    REEL_ARG(double, p) = 2.0;
    REEL_ARG(std::int64_t, dim) = 1;
    REEL_ARG(double, eps) = 1e-12;
    REEL_ARG(std::optional<Tensor>, out) = std::nullopt; ///< resized, and written to
};
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options = {});
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);
Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});

using MaxPool1dFuncOptions = MaxPool1dOptions;
using MaxPool2dFuncOptions = MaxPool2dOptions;
using MaxPool3dFuncOptions = MaxPool3dOptions;
using AvgPool1dFuncOptions = AvgPool1dOptions;
using AvgPool2dFuncOptions = AvgPool2dOptions;
using AvgPool3dFuncOptions = AvgPool3dOptions;
using AdaptiveAvgPool1dFuncOptions = AdaptiveAvgPool1dOptions;
using AdaptiveAvgPool2dFuncOptions = AdaptiveAvgPool2dOptions;
using AdaptiveAvgPool3dFuncOptions = AdaptiveAvgPool3dOptions;
using LPPool1dFuncOptions = LPPool1dOptions;
using LPPool2dFuncOptions = LPPool2dOptions;
using LPPool3dFuncOptions = LPPool3dOptions;
#define REEL_POOL_FUNCTIONS(D)                                                                                         \
    inline Tensor max_pool##D##d(const Tensor& input, const MaxPool##D##dFuncOptions& options) {                       \
        return std::get<0>(nn::detail::max_pool(options, input));                                                      \
    }                                                                                                                  \
    inline std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(const Tensor& input,                                 \
                                                                  const MaxPool##D##dFuncOptions& options) {           \
        return nn::detail::max_pool(options, input);                                                                   \
    }                                                                                                                  \
    inline Tensor avg_pool##D##d(const Tensor& input, const AvgPool##D##dFuncOptions& options) {                       \
        return nn::detail::avg_pool(options, input);                                                                   \
    }                                                                                                                  \
    inline Tensor lp_pool##D##d(const Tensor& input, const LPPool##D##dFuncOptions& options) {                         \
        return nn::detail::lp_pool(options, input);                                                                    \
    }                                                                                                                  \
    inline Tensor adaptive_avg_pool##D##d(const Tensor& input, const AdaptiveAvgPool##D##dFuncOptions& options) {      \
        return nn::detail::adaptive_avg_pool(options, input);                                                          \
    }
REEL_POOL_FUNCTIONS(1)
REEL_POOL_FUNCTIONS(2)
REEL_POOL_FUNCTIONS(3)
#undef REEL_POOL_FUNCTIONS
using FractionalMaxPool2dFuncOptions = FractionalMaxPool2dOptions;
using FractionalMaxPool3dFuncOptions = FractionalMaxPool3dOptions;
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(const Tensor& input,
                                                              const FractionalMaxPool2dFuncOptions& options);
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(const Tensor& input,
                                                              const FractionalMaxPool3dFuncOptions& options);
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options);

struct PadFuncOptions {
    using mode_t = Choice<enumtype::kConstant, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
    PadFuncOptions(std::vector<std::int64_t> pad) : pad_(std::move(pad)) {}
    REEL_ARG(std::vector<std::int64_t>, pad);
    REEL_ARG(mode_t, mode) = kConstant;
    REEL_ARG(double, value) = 0;
};
Tensor pad(const Tensor& input, const PadFuncOptions& options);

using MSELossFuncOptions = MSELossOptions;
using L1LossFuncOptions = L1LossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using KLDivFuncOptions = KLDivLossOptions;
Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {});
Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {});
Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& options = {});
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options = {});
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossFuncOptions& options = {});
/// Throws when the options hold a beta too.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossFuncOptions& options, double beta);
Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& options = {});
Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {});

} // namespace reel::nn::functional
