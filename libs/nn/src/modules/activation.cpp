// Activation modules over the ops of the same names.
#include <reel/nn/modules/activation.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn/factory.hpp>

namespace reel::nn {

Tensor ReLUImpl::forward(const Tensor& input) { return options.inplace() ? reel::relu_(input) : reel::relu(input); }
Tensor GELUImpl::forward(const Tensor& input) { return reel::gelu(input, options.approximate()); }
Tensor SiLUImpl::forward(const Tensor& input) {
    const Tensor y = reel::silu(input);
    return options.inplace() ? const_cast<Tensor&>(input).copy_(y) : y;
}
Tensor SoftmaxImpl::forward(const Tensor& input) { return reel::softmax(input, options.dim()); }
Tensor LogSoftmaxImpl::forward(const Tensor& input) { return reel::log_softmax(input, options.dim()); }
Tensor SigmoidImpl::forward(const Tensor& input) { return reel::sigmoid(input); }
Tensor TanhImpl::forward(const Tensor& input) { return reel::tanh(input); }

namespace {
[[maybe_unused]] const bool registered[] = {
    register_module_class("ReLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              return std::make_shared<ReLUImpl>(
                                  ConstructorArgs("ReLU", {"inplace"}, args, kwargs).get<bool>("inplace", false));
                          }),
    register_module_class(
        "GELU",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            return std::make_shared<GELUImpl>(GELUOptions().approximate(
                ConstructorArgs("GELU", {"approximate"}, args, kwargs).get<std::string>("approximate", "none")));
        }),
    register_module_class("SiLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              return std::make_shared<SiLUImpl>(
                                  ConstructorArgs("SiLU", {"inplace"}, args, kwargs).get<bool>("inplace", false));
                          }),
    register_module_class("Softmax",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              return std::make_shared<SoftmaxImpl>(
                                  ConstructorArgs("Softmax", {"dim"}, args, kwargs).get<std::int64_t>("dim"));
                          }),
    register_module_class("LogSoftmax",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              return std::make_shared<LogSoftmaxImpl>(
                                  ConstructorArgs("LogSoftmax", {"dim"}, args, kwargs).get<std::int64_t>("dim"));
                          }),
    register_module_class("Sigmoid",
                          [](const Args&, const Kwargs&) -> ModulePtr { return std::make_shared<SigmoidImpl>(); }),
    register_module_class("Tanh", [](const Args&, const Kwargs&) -> ModulePtr { return std::make_shared<TanhImpl>(); }),
};
} // namespace

} // namespace reel::nn
