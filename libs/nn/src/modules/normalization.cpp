// Layer, RMS and group normalisation.
#include <reel/nn/modules/normalization.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn/init.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

namespace {
Tensor when(bool wanted, IntArrayRef sizes) { return wanted ? reel::empty(sizes) : Tensor(); }
void ones_and_zeros(const Tensor& weight, const Tensor& bias) {
    if (weight.defined()) init::ones_(weight);
    if (bias.defined()) init::zeros_(bias);
}
} // namespace

LayerNormImpl::LayerNormImpl(const LayerNormOptions& o) : options(o) { LayerNormImpl::reset(); }
void LayerNormImpl::reset() {
    weight = register_parameter("weight", when(options.elementwise_affine(), options.normalized_shape()),
                                options.elementwise_affine());
    const bool with_bias = options.elementwise_affine() && options.bias();
    bias = register_parameter("bias", when(with_bias, options.normalized_shape()), with_bias);
    reset_parameters();
}
void LayerNormImpl::reset_parameters() { ones_and_zeros(weight, bias); }
Tensor LayerNormImpl::forward(const Tensor& input) {
    return reel::layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}
std::string LayerNormImpl::extra_repr() const {
    return str(text::tuple(options.normalized_shape()), ", eps=", text::number(options.eps()),
               ", elementwise_affine=", text::boolean(options.elementwise_affine()),
               ", bias=", text::boolean(options.elementwise_affine() && options.bias()));
}

RMSNormImpl::RMSNormImpl(const RMSNormOptions& o) : options(o) { RMSNormImpl::reset(); }
void RMSNormImpl::reset() {
    weight = register_parameter("weight", when(options.elementwise_affine(), options.normalized_shape()),
                                options.elementwise_affine());
    reset_parameters();
}
void RMSNormImpl::reset_parameters() { ones_and_zeros(weight, {}); }
Tensor RMSNormImpl::forward(const Tensor& input) {
    return reel::rms_norm(input, options.normalized_shape(), weight, options.eps());
}
std::string RMSNormImpl::extra_repr() const {
    return str(text::tuple(options.normalized_shape()), ", eps=", text::optional_number(options.eps()),
               ", elementwise_affine=", text::boolean(options.elementwise_affine()));
}

GroupNormImpl::GroupNormImpl(const GroupNormOptions& o) : options(o) { GroupNormImpl::reset(); }
void GroupNormImpl::reset() {
    REEL_CHECK_VALUE(options.num_groups() > 0 && options.num_channels() % options.num_groups() == 0,
                     "GroupNorm: num_channels ", options.num_channels(), " must be divisible by num_groups ",
                     options.num_groups());
    weight = register_parameter("weight", when(options.affine(), options.num_channels()), options.affine());
    const bool with_bias = options.affine() && options.bias();
    bias = register_parameter("bias", when(with_bias, options.num_channels()), with_bias);
    reset_parameters();
}
void GroupNormImpl::reset_parameters() { ones_and_zeros(weight, bias); }
Tensor GroupNormImpl::forward(const Tensor& input) {
    return reel::group_norm(input, options.num_groups(), weight, bias, options.eps());
}
std::string GroupNormImpl::extra_repr() const {
    return str(options.num_groups(), ", ", options.num_channels(), ", eps=", text::number(options.eps()),
               ", affine=", text::boolean(options.affine()),
               ", bias=", text::boolean(options.affine() && options.bias()));
}

Tensor LocalResponseNormImpl::forward(const Tensor& input) {
    return reel::local_response_norm(input, options.size(), options.alpha(), options.beta(), options.k());
}
std::string LocalResponseNormImpl::extra_repr() const {
    return str(options.size(), ", alpha=", text::number(options.alpha()), ", beta=", text::number(options.beta()),
               ", k=", text::number(options.k()));
}

Tensor CrossMapLRN2dImpl::forward(const Tensor& input) {
    return reel::cross_map_lrn2d(input, options.size(), options.alpha(), options.beta(), options.k());
}
std::string CrossMapLRN2dImpl::extra_repr() const {
    return str(options.size(), ", alpha=", text::number(options.alpha()), ", beta=", text::number(options.beta()),
               ", k=", text::number(options.k()));
}

namespace {
std::vector<std::int64_t> shape_of(const ConstructorArgs& a) {
    const Value& v = a.at("normalized_shape");
    return v.isSequence() ? v.toIntVector() : std::vector<std::int64_t>{v.toInt()};
}
[[maybe_unused]] const bool registered[] = {
    register_module_class("LayerNorm",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a(
                                  "LayerNorm",
                                  {"normalized_shape", "eps", "elementwise_affine", "bias", "device", "dtype"}, args,
                                  kwargs);
                              LayerNormOptions o(shape_of(a));
                              o.eps(a.get<double>("eps", 1e-5))
                                  .elementwise_affine(a.get<bool>("elementwise_affine", true))
                                  .bias(a.get<bool>("bias", true));
                              return text::built<LayerNormImpl>(a, o);
                          }),
    register_module_class("RMSNorm",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a(
                                  "RMSNorm", {"normalized_shape", "eps", "elementwise_affine", "device", "dtype"}, args,
                                  kwargs);
                              RMSNormOptions o(shape_of(a));
                              if (a.has("eps")) o.eps(a.get<double>("eps"));
                              o.elementwise_affine(a.get<bool>("elementwise_affine", true));
                              return text::built<RMSNormImpl>(a, o);
                          }),
    register_module_class(
        "GroupNorm",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a(
                "GroupNorm", {"num_groups", "num_channels", "eps", "affine", "device", "dtype", "bias"}, args, kwargs);
            GroupNormOptions o(a.get<std::int64_t>("num_groups"), a.get<std::int64_t>("num_channels"));
            o.eps(a.get<double>("eps", 1e-5)).affine(a.get<bool>("affine", true)).bias(a.get<bool>("bias", true));
            return text::built<GroupNormImpl>(a, o);
        }),
    register_module_class(
        "LocalResponseNorm",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("LocalResponseNorm", {"size", "alpha", "beta", "k"}, args, kwargs);
            LocalResponseNormOptions o(a.get<std::int64_t>("size"));
            o.alpha(text::number(a, "alpha", 1e-4)).beta(text::number(a, "beta", 0.75)).k(text::number(a, "k", 1.0));
            return std::make_shared<LocalResponseNormImpl>(o);
        }),
    register_module_class("CrossMapLRN2d",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("CrossMapLRN2d", {"size", "alpha", "beta", "k"}, args, kwargs);
                              CrossMapLRN2dOptions o(a.get<std::int64_t>("size"));
                              o.alpha(text::number(a, "alpha", 1e-4)).beta(text::number(a, "beta", 0.75));
                              if (a.has("k")) o.k(text::number(a, "k", 1));
                              return std::make_shared<CrossMapLRN2dImpl>(o);
                          }),
};
} // namespace

} // namespace reel::nn
