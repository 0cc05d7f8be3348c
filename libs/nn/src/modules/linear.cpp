// Linear, Identity, Flatten.
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/products.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/nn/modules/linear.hpp>

#include <cmath>

#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/bound_arguments.hpp"
#include "modules/parameter_memory.hpp"

namespace reel::nn {

void LinearOptions::fields(OptionVisitor& v) {
    v.required("in_features", in_features_);
    v.required("out_features", out_features_);
    v("bias", bias_);
    v.device_and_dtype();
}
void FlattenOptions::fields(OptionVisitor& v) {
    v("start_dim", start_dim_);
    v("end_dim", end_dim_);
}
void UnflattenOptions::fields(OptionVisitor& v) {
    v.required("dim", dim_);
    v.required("unflattened_size", sizes_);
    if (const Value* sizes = v.argument("unflattened_size"))
        REEL_CHECK_TYPE(sizes->isSequence(),
                        "Unflatten: argument 'unflattened_size': expected a list of integers, got ", sizes->repr());
}
void BilinearOptions::fields(OptionVisitor& v) {
    v.required("in1_features", in1_features_);
    v.required("in2_features", in2_features_);
    v.required("out_features", out_features_);
    v("bias", bias_);
    v.device_and_dtype();
}

LinearImpl::LinearImpl(const LinearOptions& o) : options(o) { LinearImpl::reset(); }
void LinearImpl::reset() {
    weight = register_parameter("weight", detail::parameter_memory({options.out_features(), options.in_features()}));
    bias =
        register_parameter("bias", detail::parameter_memory({options.out_features()}, options.bias()), options.bias());
    reset_parameters();
}
void LinearImpl::reset_parameters() {
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    if (!bias.defined()) return;
    const double bound = options.in_features() > 0 ? 1 / std::sqrt(double(options.in_features())) : 0;
    init::uniform_(bias, -bound, bound);
}
Tensor LinearImpl::forward(const Tensor& input) { return reel::linear(input, weight, bias); }

Value IdentityImpl::forward_values(const Args& args, const Kwargs& kwargs) {
    return detail::BoundArguments<IdentityImpl, 1, 1>(*this, args, kwargs)[0];
}

Tensor FlattenImpl::forward(const Tensor& input) {
    return reel::flatten(input, options.start_dim(), options.end_dim());
}

Tensor UnflattenImpl::forward(const Tensor& input) { return reel::unflatten(input, options.dim(), options.sizes()); }

BilinearImpl::BilinearImpl(const BilinearOptions& o) : options(o) { BilinearImpl::reset(); }
void BilinearImpl::reset() {
    REEL_CHECK_VALUE(options.in1_features() > 0, "Bilinear: in1_features is ", options.in1_features(),
                     "; expected a positive number");
    weight = register_parameter(
        "weight", detail::parameter_memory({options.out_features(), options.in1_features(), options.in2_features()}));
    bias =
        register_parameter("bias", detail::parameter_memory({options.out_features()}, options.bias()), options.bias());
    reset_parameters();
}
void BilinearImpl::reset_parameters() {
    const double bound = 1 / std::sqrt(double(options.in1_features()));
    init::uniform_(weight, -bound, bound);
    if (bias.defined()) init::uniform_(bias, -bound, bound);
}
Tensor BilinearImpl::forward(const Tensor& input1, const Tensor& input2) {
    return reel::bilinear(input1, input2, weight, bias);
}

void register_linear() {
    register_layers<LinearImpl, FlattenImpl, UnflattenImpl, BilinearImpl>();
    // takes any arguments and ignores them, as PyTorch's
    register_module_class("Identity",
                          [](const Args&, const Kwargs&) -> ModulePtr { return std::make_shared<IdentityImpl>(); });
}

} // namespace reel::nn
