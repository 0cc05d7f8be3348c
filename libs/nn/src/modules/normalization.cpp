// Layer, RMS and group normalisation.
#include <reel/autograd/ops/nn/batch_norm.hpp>
#include <reel/autograd/ops/nn/cross_map_lrn.hpp>
#include <reel/autograd/ops/nn/layer_norm.hpp>
#include <reel/autograd/ops/nn/local_response_norm.hpp>
#include <reel/nn/modules/normalization.hpp>

#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/parameter_memory.hpp"

namespace reel::nn {

void LayerNormOptions::fields(OptionVisitor& v) {
    v.required("normalized_shape", normalized_shape_, Shown::value);
    v("eps", eps_);
    v("elementwise_affine", elementwise_affine_);
    v.printed("bias", elementwise_affine_ && bias_);
    v.hidden("bias", bias_);
    v.device_and_dtype();
}
void RMSNormOptions::fields(OptionVisitor& v) {
    v.required("normalized_shape", normalized_shape_, Shown::value);
    v("eps", eps_);
    v("elementwise_affine", elementwise_affine_);
    v.device_and_dtype();
}
void GroupNormOptions::fields(OptionVisitor& v) {
    v.required("num_groups", num_groups_, Shown::value);
    v.required("num_channels", num_channels_, Shown::value);
    v("eps", eps_);
    v("affine", affine_);
    v.printed("bias", affine_ && bias_);
    v.device_and_dtype();
    v.hidden("bias", bias_);
}
void LocalResponseNormOptions::fields(OptionVisitor& v) {
    v.required("size", size_, Shown::value);
    v("alpha", alpha_);
    v("beta", beta_);
    v("k", k_);
}
void CrossMapLRN2dOptions::fields(OptionVisitor& v) {
    v.required("size", size_, Shown::value);
    v("alpha", alpha_);
    v("beta", beta_);
    v("k", k_);
}

namespace {
void ones_and_zeros(const Tensor& weight, const Tensor& bias) {
    if (weight.defined()) init::ones_(weight);
    if (bias.defined()) init::zeros_(bias);
}
} // namespace

LayerNormImpl::LayerNormImpl(const LayerNormOptions& o) : options(o) { LayerNormImpl::reset(); }
void LayerNormImpl::reset() {
    weight =
        register_parameter("weight", detail::parameter_memory(options.normalized_shape(), options.elementwise_affine()),
                           options.elementwise_affine());
    const bool with_bias = options.elementwise_affine() && options.bias();
    bias = register_parameter("bias", detail::parameter_memory(options.normalized_shape(), with_bias), with_bias);
    reset_parameters();
}
void LayerNormImpl::reset_parameters() { ones_and_zeros(weight, bias); }
Tensor LayerNormImpl::forward(const Tensor& input) {
    return reel::layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}

RMSNormImpl::RMSNormImpl(const RMSNormOptions& o) : options(o) { RMSNormImpl::reset(); }
void RMSNormImpl::reset() {
    weight =
        register_parameter("weight", detail::parameter_memory(options.normalized_shape(), options.elementwise_affine()),
                           options.elementwise_affine());
    reset_parameters();
}
void RMSNormImpl::reset_parameters() { ones_and_zeros(weight, {}); }
Tensor RMSNormImpl::forward(const Tensor& input) {
    return reel::rms_norm(input, options.normalized_shape(), weight, options.eps());
}

GroupNormImpl::GroupNormImpl(const GroupNormOptions& o) : options(o) { GroupNormImpl::reset(); }
void GroupNormImpl::reset() {
    REEL_CHECK_VALUE(options.num_groups() > 0 && options.num_channels() % options.num_groups() == 0,
                     "GroupNorm: num_channels ", options.num_channels(), " must be divisible by num_groups ",
                     options.num_groups());
    weight = register_parameter("weight", detail::parameter_memory(options.num_channels(), options.affine()),
                                options.affine());
    const bool with_bias = options.affine() && options.bias();
    bias = register_parameter("bias", detail::parameter_memory(options.num_channels(), with_bias), with_bias);
    reset_parameters();
}
void GroupNormImpl::reset_parameters() { ones_and_zeros(weight, bias); }
Tensor GroupNormImpl::forward(const Tensor& input) {
    return reel::group_norm(input, options.num_groups(), weight, bias, options.eps());
}

Tensor LocalResponseNormImpl::forward(const Tensor& input) {
    return reel::local_response_norm(input, options.size(), options.alpha(), options.beta(), options.k());
}

Tensor CrossMapLRN2dImpl::forward(const Tensor& input) {
    return reel::cross_map_lrn2d(input, options.size(), options.alpha(), options.beta(), options.k());
}

void register_normalization() {
    register_layers<LayerNormImpl, RMSNormImpl, GroupNormImpl, LocalResponseNormImpl, CrossMapLRN2dImpl>();
}

} // namespace reel::nn
