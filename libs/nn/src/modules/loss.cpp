// Losses as modules.
#include <reel/nn/modules/loss.hpp>

#include <reel/autograd/ops.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn {

Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::mse_loss(input, target, text::name_of(options.reduction()));
}

void NLLLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor NLLLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::nll_loss(input, target, buffers_["weight"], options.ignore_index(),
                          text::name_of(options.reduction()));
}

void CrossEntropyLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::cross_entropy(input, target, buffers_["weight"], options.ignore_index(),
                               text::name_of(options.reduction()), options.label_smoothing());
}

namespace {
Tensor weight_of(const ConstructorArgs& a) { return a.has("weight") ? a.at("weight").toTensor() : Tensor(); }
[[maybe_unused]] const bool registered[] = {
    register_module_class("MSELoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("MSELoss", {"size_average", "reduce", "reduction"}, args, kwargs);
                              return std::make_shared<MSELossImpl>(text::reduction_of("MSELoss", a));
                          }),
    register_module_class(
        "NLLLoss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("NLLLoss", {"weight", "size_average", "ignore_index", "reduce", "reduction"}, args,
                                    kwargs);
            return std::make_shared<NLLLossImpl>(NLLLossOptions()
                                                     .weight(weight_of(a))
                                                     .ignore_index(a.get<std::int64_t>("ignore_index", -100))
                                                     .reduction(text::reduction_of("NLLLoss", a)));
        }),
    register_module_class(
        "CrossEntropyLoss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a(
                "CrossEntropyLoss",
                {"weight", "size_average", "ignore_index", "reduce", "reduction", "label_smoothing"}, args, kwargs);
            return std::make_shared<CrossEntropyLossImpl>(CrossEntropyLossOptions()
                                                              .weight(weight_of(a))
                                                              .ignore_index(a.get<std::int64_t>("ignore_index", -100))
                                                              .reduction(text::reduction_of("CrossEntropyLoss", a))
                                                              .label_smoothing(a.get<double>("label_smoothing", 0.0)));
        }),
};
} // namespace

} // namespace reel::nn
