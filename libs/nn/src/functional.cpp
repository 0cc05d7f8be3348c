// Functional forms of the layers.
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/products.hpp>
#include <reel/autograd/ops/loss/classification.hpp>
#include <reel/autograd/ops/loss/loss.hpp>
#include <reel/autograd/ops/nn/affine_grid.hpp>
#include <reel/autograd/ops/nn/batch_norm.hpp>
#include <reel/autograd/ops/nn/conv.hpp>
#include <reel/autograd/ops/nn/dropout.hpp>
#include <reel/autograd/ops/nn/embedding.hpp>
#include <reel/autograd/ops/nn/embedding_bag.hpp>
#include <reel/autograd/ops/nn/gumbel_softmax.hpp>
#include <reel/autograd/ops/nn/layer_norm.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/nn/functional.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn::functional {

namespace {
template <std::size_t D> Tensor convolved(const Tensor& x, const Tensor& w, const ConvFuncOptions<D>& o) {
    const auto* numbers = o.padding().numbers();
    if (o.padding() == kSame) {
        if constexpr (D == 1) return reel::conv1d_padded(x, w, o.bias(), o.stride(), "same", o.dilation(), o.groups());
        else if constexpr (D == 2)
            return reel::conv2d_padded(x, w, o.bias(), o.stride(), "same", o.dilation(), o.groups());
        else return reel::conv3d_padded(x, w, o.bias(), o.stride(), "same", o.dilation(), o.groups());
    }
    const ExpandingArray<D> padding = numbers ? *numbers : ExpandingArray<D>(0);
    if constexpr (D == 1) return reel::conv1d(x, w, o.bias(), o.stride(), padding, o.dilation(), o.groups());
    else if constexpr (D == 2) return reel::conv2d(x, w, o.bias(), o.stride(), padding, o.dilation(), o.groups());
    else return reel::conv3d(x, w, o.bias(), o.stride(), padding, o.dilation(), o.groups());
}
Tensor into(bool inplace, const Tensor& input, const Tensor& result) {
    return inplace && !result.is_same(input) ? const_cast<Tensor&>(input).copy_(result) : result;
}
} // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    return reel::linear(input, weight, bias);
}
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
    return reel::bilinear(input1, input2, weight, bias);
}
Tensor conv1d(const Tensor& x, const Tensor& w, const Conv1dFuncOptions& o) { return convolved<1>(x, w, o); }
Tensor conv2d(const Tensor& x, const Tensor& w, const Conv2dFuncOptions& o) { return convolved<2>(x, w, o); }
Tensor conv3d(const Tensor& x, const Tensor& w, const Conv3dFuncOptions& o) { return convolved<3>(x, w, o); }
Tensor conv_transpose1d(const Tensor& x, const Tensor& w, const ConvTranspose1dFuncOptions& o) {
    return reel::conv_transpose1d(x, w, o.bias(), o.stride(), o.padding(), o.output_padding(), o.groups(),
                                  o.dilation());
}
Tensor conv_transpose2d(const Tensor& x, const Tensor& w, const ConvTranspose2dFuncOptions& o) {
    return reel::conv_transpose2d(x, w, o.bias(), o.stride(), o.padding(), o.output_padding(), o.groups(),
                                  o.dilation());
}
Tensor conv_transpose3d(const Tensor& x, const Tensor& w, const ConvTranspose3dFuncOptions& o) {
    return reel::conv_transpose3d(x, w, o.bias(), o.stride(), o.padding(), o.output_padding(), o.groups(),
                                  o.dilation());
}

Tensor embedding(const Tensor& indices, const Tensor& weight, const EmbeddingFuncOptions& o) {
    return reel::functional_embedding(indices, weight, o.padding_idx(), o.max_norm(), o.norm_type(),
                                      o.scale_grad_by_freq(), o.sparse());
}
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& o) {
    const char* mode = o.mode() == kSum ? "sum" : o.mode() == kMean ? "mean" : "max";
    return reel::functional_embedding_bag(input, weight, o.offsets(), o.max_norm(), o.norm_type(),
                                          o.scale_grad_by_freq(), mode, o.sparse(), o.per_sample_weights(),
                                          o.include_last_offset(), o.padding_idx());
}
Tensor one_hot(const Tensor& indices, std::int64_t num_classes) { return reel::one_hot(indices, num_classes); }

Tensor relu(const Tensor& x, const ReLUFuncOptions& o) { return o.inplace() ? reel::relu_(x) : reel::relu(x); }
Tensor leaky_relu(const Tensor& x, const LeakyReLUFuncOptions& o) {
    return o.inplace() ? reel::leaky_relu_(x, o.negative_slope()) : reel::leaky_relu(x, o.negative_slope());
}
Tensor gelu(const Tensor& x, const GELUFuncOptions& o) { return reel::gelu(x, o.approximate()); }
Tensor silu(const Tensor& x, const SiLUFuncOptions& o) { return o.inplace() ? reel::silu_(x) : reel::silu(x); }
Tensor softplus(const Tensor& x, const SoftplusFuncOptions& o) { return reel::softplus(x, o.beta(), o.threshold()); }
Tensor elu(const Tensor& x, const ELUFuncOptions& o) {
    return o.inplace() ? reel::elu_(x, o.alpha()) : reel::elu(x, o.alpha());
}
Tensor logsigmoid(const Tensor& x) { return reel::logsigmoid(x); }
Tensor tanhshrink(const Tensor& x) { return reel::tanhshrink(x); }
Tensor softsign(const Tensor& x) { return reel::softsign(x); }
Tensor softmax(const Tensor& x, const SoftmaxFuncOptions& o) { return reel::softmax(x, o.dim(), o.dtype()); }
Tensor softmin(const Tensor& x, const SoftminFuncOptions& o) { return reel::softmin(x, o.dim(), o.dtype()); }
Tensor log_softmax(const Tensor& x, const LogSoftmaxFuncOptions& o) { return reel::log_softmax(x, o.dim(), o.dtype()); }

Tensor dropout(const Tensor& x, const DropoutFuncOptions& o) {
    return into(o.inplace(), x, reel::dropout(x, o.p(), o.training()));
}
Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& o) {
    return reel::gumbel_softmax(logits, o.tau(), o.hard(), 1e-10, o.dim());
}
Tensor affine_grid(const Tensor& theta, IntArrayRef size, bool align_corners) {
    return reel::affine_grid_generator(theta, size, align_corners);
}
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(const Tensor& x,
                                                              const FractionalMaxPool2dFuncOptions& o) {
    return nn::detail::fractional_max_pool(o, x, o._random_samples());
}
Tensor fractional_max_pool2d(const Tensor& x, const FractionalMaxPool2dFuncOptions& o) {
    return std::get<0>(fractional_max_pool2d_with_indices(x, o));
}
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(const Tensor& x,
                                                              const FractionalMaxPool3dFuncOptions& o) {
    return nn::detail::fractional_max_pool(o, x, o._random_samples());
}
Tensor fractional_max_pool3d(const Tensor& x, const FractionalMaxPool3dFuncOptions& o) {
    return std::get<0>(fractional_max_pool3d_with_indices(x, o));
}

Tensor dropout1d(const Tensor& x, const DropoutFuncOptions& o) {
    return into(o.inplace(), x, reel::dropout1d(x, o.p(), o.training()));
}
Tensor dropout2d(const Tensor& x, const DropoutFuncOptions& o) {
    return into(o.inplace(), x, reel::dropout2d(x, o.p(), o.training()));
}
Tensor dropout3d(const Tensor& x, const DropoutFuncOptions& o) {
    return into(o.inplace(), x, reel::dropout3d(x, o.p(), o.training()));
}
Tensor alpha_dropout(const Tensor& x, const AlphaDropoutFuncOptions& o) {
    return into(o.inplace(), x, reel::alpha_dropout(x, o.p(), o.training()));
}
Tensor feature_alpha_dropout(const Tensor& x, const AlphaDropoutFuncOptions& o) {
    return into(o.inplace(), x, reel::feature_alpha_dropout(x, o.p(), o.training()));
}

Tensor batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& o) {
    return reel::functional_batch_norm(x, running_mean, running_var, o.weight(), o.bias(), o.training(), o.momentum(),
                                       o.eps());
}
Tensor layer_norm(const Tensor& x, const LayerNormFuncOptions& o) {
    return reel::layer_norm(x, o.normalized_shape(), o.weight(), o.bias(), o.eps());
}
Tensor group_norm(const Tensor& x, const GroupNormFuncOptions& o) {
    return reel::group_norm(x, o.num_groups(), o.weight(), o.bias(), o.eps());
}
Tensor normalize(const Tensor& x, const NormalizeFuncOptions& o) {
    const Tensor result = reel::normalize(x, o.p(), o.dim(), o.eps());
    if (!o.out()) return result;
    o.out()->resize_(result.sizes());
    return Tensor(*o.out()).copy_(result);
}

Tensor pad(const Tensor& x, const PadFuncOptions& o) {
    const std::string mode = enumtype::get_enum_name(o.mode());
    const char* name = mode == "kConstant"    ? "constant"
                       : mode == "kReflect"   ? "reflect"
                       : mode == "kReplicate" ? "replicate"
                                              : "circular";
    return reel::pad(x, o.pad(), name, Scalar(o.value()));
}

Tensor mse_loss(const Tensor& x, const Tensor& y, const MSELossFuncOptions& o) {
    return reel::mse_loss(x, y, text::name_of(o.reduction()));
}
Tensor l1_loss(const Tensor& x, const Tensor& y, const L1LossFuncOptions& o) {
    return reel::l1_loss(x, y, text::name_of(o.reduction()));
}
Tensor cross_entropy(const Tensor& x, const Tensor& y, const CrossEntropyFuncOptions& o) {
    return reel::cross_entropy(x, y, o.weight(), o.ignore_index(), text::name_of(o.reduction()), o.label_smoothing());
}
Tensor nll_loss(const Tensor& x, const Tensor& y, const NLLLossFuncOptions& o) {
    return reel::nll_loss(x, y, o.weight(), o.ignore_index(), text::name_of(o.reduction()));
}
Tensor binary_cross_entropy(const Tensor& x, const Tensor& y, const BinaryCrossEntropyFuncOptions& o) {
    return reel::functional_binary_cross_entropy(x, y, o.weight(), text::name_of(o.reduction()));
}
Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& y,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& o) {
    return reel::binary_cross_entropy_with_logits(x, y, o.weight(), text::name_of(o.reduction()), o.pos_weight());
}
Tensor smooth_l1_loss(const Tensor& x, const Tensor& y, const SmoothL1LossFuncOptions& o) {
    return reel::smooth_l1_loss(x, y, text::name_of(o.reduction()), o.beta().value_or(1.0));
}
Tensor smooth_l1_loss(const Tensor& x, const Tensor& y, const SmoothL1LossFuncOptions& o, double beta) {
    REEL_CHECK(!o.beta(), "smooth_l1_loss: beta is given both in the options (", *o.beta(), ") and as an argument (",
               beta, ")");
    return reel::smooth_l1_loss(x, y, text::name_of(o.reduction()), beta);
}
Tensor huber_loss(const Tensor& x, const Tensor& y, const HuberLossFuncOptions& o) {
    return reel::huber_loss(x, y, text::name_of(o.reduction()), o.delta());
}
Tensor kl_div(const Tensor& x, const Tensor& y, const KLDivFuncOptions& o) {
    return reel::kl_div(x, y, text::name_of(o.reduction()), o.log_target());
}

} // namespace reel::nn::functional
