// The two layer norms of the variants, over the library's op.
#include <reel/nn/norms/layer_norm.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn/init.hpp>

#include "modules/python_text.hpp"
#include "norms/arguments.hpp"

namespace reel::nn::norms {

namespace {
void check_shape(const char* module, const std::vector<std::int64_t>& input_size) {
    REEL_CHECK_VALUE(!input_size.empty(), module, ": input_size is empty; expected the size of at least one axis");
    for (const std::int64_t n : input_size)
        REEL_CHECK_VALUE(n >= 0, module, ": input_size ", text::tuple(input_size), " has a negative entry");
}
std::string described(const std::vector<std::int64_t>& input_size, double eps, bool affine, bool bias) {
    return str(text::tuple(input_size), ", eps=", text::number(eps), ", elementwise_affine=", text::boolean(affine),
               ", bias=", text::boolean(affine && bias));
}
} // namespace

LayerNormImpl::LayerNormImpl(const LayerNormOptions& o) : options(o) {
    check_shape("LayerNorm", options.input_size());
    LayerNormImpl::reset();
}
void LayerNormImpl::reset() {
    const bool affine = options.elementwise_affine();
    weight = register_parameter("weight", affine ? reel::empty(options.input_size()) : Tensor(), affine);
    const bool with_bias = affine && options.bias();
    bias = register_parameter("bias", with_bias ? reel::empty(options.input_size()) : Tensor(), with_bias);
    reset_parameters();
}
void LayerNormImpl::reset_parameters() {
    if (weight.defined()) init::ones_(weight);
    if (bias.defined()) init::zeros_(bias);
}
Tensor LayerNormImpl::forward(const Tensor& input) {
    return reel::layer_norm(input, options.input_size(), weight, bias, options.eps());
}
std::string LayerNormImpl::extra_repr() const {
    return described(options.input_size(), options.eps(), options.elementwise_affine(), options.bias());
}

LayerNormNoBiasImpl::LayerNormNoBiasImpl(const LayerNormNoBiasOptions& o) : options(o) {
    check_shape("LayerNormNoBias", options.input_size());
}
Tensor LayerNormNoBiasImpl::forward(const Tensor& input) {
    return reel::layer_norm(input, options.input_size(), {}, {}, options.eps());
}
std::string LayerNormNoBiasImpl::extra_repr() const {
    return described(options.input_size(), options.eps(), false, false);
}

namespace {
std::vector<std::int64_t> shape_of(const ConstructorArgs& a) {
    const Value& v = a.at("input_size");
    return v.isSequence() ? v.toIntVector() : std::vector<std::int64_t>{v.toInt()};
}
[[maybe_unused]] const bool registered[] = {
    register_module_class("norms.LayerNorm",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              check_positional("LayerNorm", args, 1);
                              const ConstructorArgs a(
                                  "LayerNorm", {"input_size", "eps", "elementwise_affine", "bias", "device", "dtype"},
                                  args, kwargs);
                              LayerNormOptions o(shape_of(a));
                              o.eps(a.get<double>("eps", 1e-5))
                                  .elementwise_affine(a.get<bool>("elementwise_affine", true))
                                  .bias(a.get<bool>("bias", true));
                              return text::built<LayerNormImpl>(a, o);
                          }),
    register_module_class(
        "norms.LayerNormNoBias",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            check_positional("LayerNormNoBias", args, 1);
            for (const auto& argument : kwargs)
                REEL_CHECK_TYPE(argument.first.toStringRef() != "elementwise_affine",
                                "LayerNormNoBias: 'elementwise_affine' is given twice: the class "
                                "itself sets it to False");
            // bias is taken and has no effect (LN-2)
            const ConstructorArgs a("LayerNormNoBias", {"input_size", "eps", "bias", "device", "dtype"}, args, kwargs);
            LayerNormNoBiasOptions o(shape_of(a));
            o.eps(a.get<double>("eps", 1e-5));
            return text::built<LayerNormNoBiasImpl>(a, o);
        }),
};
} // namespace

} // namespace reel::nn::norms
