// The two layer norms of the variants, over the library's op.
#include <reel/autograd/ops/nn/layer_norm.hpp>
#include <reel/nn/norms/layer_norm.hpp>

#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/parameter_memory.hpp"
#include "modules/python_text.hpp"

namespace reel::nn::norms {

namespace {
void check_shape(const char* module, const std::vector<std::int64_t>& input_size) {
    REEL_CHECK_VALUE(!input_size.empty(), module, ": input_size is empty; expected the size of at least one axis");
    for (const std::int64_t n : input_size)
        REEL_CHECK_VALUE(n >= 0, module, ": input_size ", text::tuple(input_size), " has a negative entry");
}
} // namespace

void LayerNormOptions::fields(OptionVisitor& v) {
    v.required("input_size", input_size_, Shown::value);
    v.keyword_only();
    v("eps", eps_);
    v("elementwise_affine", elementwise_affine_);
    v.printed("bias", elementwise_affine_ && bias_);
    v.hidden("bias", bias_);
    v.device_and_dtype();
}
void LayerNormNoBiasOptions::fields(OptionVisitor& v) {
    v.required("input_size", input_size_, Shown::value);
    v.keyword_only();
    v("eps", eps_);
    v.printed("elementwise_affine", false);
    v.printed("bias", false);
    v.argument("bias"); // is taken and has no effect (LN-2)
    v.device_and_dtype();
}

LayerNormImpl::LayerNormImpl(const LayerNormOptions& o) : options(o) {
    check_shape("LayerNorm", options.input_size());
    LayerNormImpl::reset();
}
void LayerNormImpl::reset() {
    const bool affine = options.elementwise_affine();
    weight = register_parameter("weight", detail::parameter_memory(options.input_size(), affine), affine);
    const bool with_bias = affine && options.bias();
    bias = register_parameter("bias", detail::parameter_memory(options.input_size(), with_bias), with_bias);
    reset_parameters();
}
void LayerNormImpl::reset_parameters() {
    if (weight.defined()) init::ones_(weight);
    if (bias.defined()) init::zeros_(bias);
}
Tensor LayerNormImpl::forward(const Tensor& input) {
    return reel::layer_norm(input, options.input_size(), weight, bias, options.eps());
}

LayerNormNoBiasImpl::LayerNormNoBiasImpl(const LayerNormNoBiasOptions& o) : options(o) {
    check_shape("LayerNormNoBias", options.input_size());
}
Tensor LayerNormNoBiasImpl::forward(const Tensor& input) {
    return reel::layer_norm(input, options.input_size(), {}, {}, options.eps());
}

} // namespace reel::nn::norms

namespace reel::nn {

void register_layer_norm() {
    register_module_class("norms.LayerNorm", &make_layer<norms::LayerNormImpl>);
    register_module_class("norms.LayerNormNoBias", [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
        for (const auto& argument : kwargs)
            REEL_CHECK_TYPE(argument.first.toStringRef() != "elementwise_affine",
                            "LayerNormNoBias: 'elementwise_affine' is given twice: the class "
                            "itself sets it to False");
        return make_layer<norms::LayerNormNoBiasImpl>(args, kwargs);
    });
}

} // namespace reel::nn
