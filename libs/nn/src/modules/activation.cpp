// Activation modules over the ops of the same names.
#include <reel/nn/modules/activation.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn/factory.hpp>

namespace reel::nn {

Tensor ReLUImpl::forward(const Tensor& input) { return options.inplace() ? reel::relu_(input) : reel::relu(input); }
Tensor GELUImpl::forward(const Tensor& input) { return reel::gelu(input, options.approximate()); }
Tensor SigmoidImpl::forward(const Tensor& input) { return reel::sigmoid(input); }
Tensor TanhImpl::forward(const Tensor& input) { return reel::tanh(input); }

namespace {
[[maybe_unused]] const bool registered[] = {
    register_module_class("ReLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              return std::make_shared<ReLUImpl>(ConstructorArgs("ReLU", {"inplace"}, args, kwargs).get<bool>("inplace", false));
                          }),
    register_module_class("GELU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              return std::make_shared<GELUImpl>(GELUOptions().approximate(
                                  ConstructorArgs("GELU", {"approximate"}, args, kwargs).get<std::string>("approximate", "none")));
                          }),
    register_module_class("Sigmoid", [](const Args&, const Kwargs&) -> ModulePtr { return std::make_shared<SigmoidImpl>(); }),
    register_module_class("Tanh", [](const Args&, const Kwargs&) -> ModulePtr { return std::make_shared<TanhImpl>(); }),
};
} // namespace

} // namespace reel::nn
