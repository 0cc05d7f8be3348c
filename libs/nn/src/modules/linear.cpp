// Linear, Identity, Flatten.
#include <reel/nn/modules/linear.hpp>

#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/bound_arguments.hpp"
#include "modules/python_text.hpp"

namespace reel::nn {

LinearImpl::LinearImpl(const LinearOptions& o) : options(o) { LinearImpl::reset(); }
void LinearImpl::reset() {
    weight = register_parameter("weight", reel::empty({options.out_features(), options.in_features()}));
    bias =
        register_parameter("bias", options.bias() ? reel::empty({options.out_features()}) : Tensor(), options.bias());
    reset_parameters();
}
void LinearImpl::reset_parameters() {
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    if (!bias.defined()) return;
    const double bound = options.in_features() > 0 ? 1 / std::sqrt(double(options.in_features())) : 0;
    init::uniform_(bias, -bound, bound);
}
Tensor LinearImpl::forward(const Tensor& input) { return reel::linear(input, weight, bias); }
std::string LinearImpl::extra_repr() const {
    return str("in_features=", options.in_features(), ", out_features=", options.out_features(),
               ", bias=", options.bias() ? "True" : "False");
}

Value IdentityImpl::forward_values(const Args& args, const Kwargs& kwargs) {
    return detail::BoundArguments<IdentityImpl, 1, 1>(*this, args, kwargs)[0];
}

Tensor FlattenImpl::forward(const Tensor& input) {
    return reel::flatten(input, options.start_dim(), options.end_dim());
}
std::string FlattenImpl::extra_repr() const {
    return str("start_dim=", options.start_dim(), ", end_dim=", options.end_dim());
}

Tensor UnflattenImpl::forward(const Tensor& input) { return reel::unflatten(input, options.dim(), options.sizes()); }
std::string UnflattenImpl::extra_repr() const {
    return str("dim=", options.dim(), ", unflattened_size=", text::tuple(options.sizes()));
}

BilinearImpl::BilinearImpl(const BilinearOptions& o) : options(o) { BilinearImpl::reset(); }
void BilinearImpl::reset() {
    REEL_CHECK_VALUE(options.in1_features() > 0, "Bilinear: in1_features is ", options.in1_features(),
                     "; expected a positive number");
    weight = register_parameter("weight",
                                reel::empty({options.out_features(), options.in1_features(), options.in2_features()}));
    bias =
        register_parameter("bias", options.bias() ? reel::empty({options.out_features()}) : Tensor(), options.bias());
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
std::string BilinearImpl::extra_repr() const {
    return str("in1_features=", options.in1_features(), ", in2_features=", options.in2_features(),
               ", out_features=", options.out_features(), ", bias=", text::boolean(options.bias()));
}

namespace {
[[maybe_unused]] const bool registered[] = {
    register_module_class(
        "Linear",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("Linear", {"in_features", "out_features", "bias", "device", "dtype"}, args, kwargs);
            return text::built<LinearImpl>(
                a, LinearOptions(a.get<std::int64_t>("in_features"), a.get<std::int64_t>("out_features"))
                       .bias(a.get<bool>("bias", true)));
        }),
    register_module_class("Identity",
                          [](const Args&, const Kwargs&) -> ModulePtr { return std::make_shared<IdentityImpl>(); }),
    register_module_class("Flatten",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Flatten", {"start_dim", "end_dim"}, args, kwargs);
                              return std::make_shared<FlattenImpl>(FlattenOptions()
                                                                       .start_dim(a.get<std::int64_t>("start_dim", 1))
                                                                       .end_dim(a.get<std::int64_t>("end_dim", -1)));
                          }),
    register_module_class("Unflatten",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Unflatten", {"dim", "unflattened_size"}, args, kwargs);
                              return std::make_shared<UnflattenImpl>(a.get<std::int64_t>("dim"),
                                                                     a.at("unflattened_size").toIntVector());
                          }),
    register_module_class(
        "Bilinear",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a(
                "Bilinear", {"in1_features", "in2_features", "out_features", "bias", "device", "dtype"}, args, kwargs);
            return text::built<BilinearImpl>(a, BilinearOptions(a.get<std::int64_t>("in1_features"),
                                                                a.get<std::int64_t>("in2_features"),
                                                                a.get<std::int64_t>("out_features"))
                                                    .bias(a.get<bool>("bias", true)));
        }),
};
} // namespace

} // namespace reel::nn
