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
    return reel::nll_loss(input, target, weight, options.ignore_index(), text::name_of(options.reduction()));
}

void CrossEntropyLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::cross_entropy(input, target, weight, options.ignore_index(), text::name_of(options.reduction()),
                               options.label_smoothing());
}

Tensor L1LossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::l1_loss(input, target, text::name_of(options.reduction()));
}
Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::smooth_l1_loss(input, target, text::name_of(options.reduction()), options.beta().value_or(1.0));
}
Tensor HuberLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::huber_loss(input, target, text::name_of(options.reduction()), options.delta());
}
void BCELossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor BCELossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::functional_binary_cross_entropy(input, target, weight, text::name_of(options.reduction()));
}
void BCEWithLogitsLossImpl::reset() {
    weight = register_buffer("weight", options.weight());
    pos_weight = register_buffer("pos_weight", options.pos_weight());
}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::binary_cross_entropy_with_logits(input, target, weight, text::name_of(options.reduction()),
                                                  pos_weight);
}
Tensor KLDivLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::kl_div(input, target, text::name_of(options.reduction()), options.log_target());
}
Tensor HingeEmbeddingLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::hinge_embedding_loss(input, target, options.margin(), text::name_of(options.reduction()));
}
Tensor CosineEmbeddingLossImpl::forward(const Tensor& input1, const Tensor& input2, const Tensor& target) {
    return reel::cosine_embedding_loss(input1, input2, target, options.margin(), text::name_of(options.reduction()));
}
Tensor MarginRankingLossImpl::forward(const Tensor& input1, const Tensor& input2, const Tensor& target) {
    return reel::margin_ranking_loss(input1, input2, target, options.margin(), text::name_of(options.reduction()));
}
void MultiMarginLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor MultiMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::multi_margin_loss(input, target, options.p(), options.margin(), weight,
                                   text::name_of(options.reduction()));
}
Tensor MultiLabelMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::multilabel_margin_loss(input, target, text::name_of(options.reduction()));
}
Tensor SoftMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::soft_margin_loss(input, target, text::name_of(options.reduction()));
}
void MultiLabelSoftMarginLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor MultiLabelSoftMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::multilabel_soft_margin_loss(input, target, weight, text::name_of(options.reduction()));
}
Tensor PoissonNLLLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::poisson_nll_loss(input, target, options.log_input(), options.full(), options.eps(),
                                  text::name_of(options.reduction()));
}
Tensor GaussianNLLLossImpl::forward(const Tensor& input, const Tensor& target, const Tensor& var) {
    return reel::gaussian_nll_loss(input, target, var, options.full(), options.eps(),
                                   text::name_of(options.reduction()));
}
Tensor CTCLossImpl::forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                            const Tensor& target_lengths) {
    return reel::ctc_loss(log_probs, targets, input_lengths, target_lengths, options.blank(),
                          text::name_of(options.reduction()), options.zero_infinity());
}

namespace {
Tensor tensor_of(const ConstructorArgs& a, const char* name) { return a.has(name) ? a.at(name).toTensor() : Tensor(); }
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
    register_module_class("L1Loss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("L1Loss", {"size_average", "reduce", "reduction"}, args, kwargs);
                              L1LossOptions o;
                              o.reduction(text::reduction_of("L1Loss", a));
                              return std::make_shared<L1LossImpl>(std::move(o));
                          }),
    register_module_class(
        "SmoothL1Loss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("SmoothL1Loss", {"size_average", "reduce", "reduction", "beta"}, args, kwargs);
            SmoothL1LossOptions o;
            o.beta(a.has("beta") ? std::optional(a.get<double>("beta")) : std::nullopt);
            o.reduction(text::reduction_of("SmoothL1Loss", a));
            return std::make_shared<SmoothL1LossImpl>(std::move(o));
        }),
    register_module_class("HuberLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("HuberLoss", {"reduction", "delta"}, args, kwargs);
                              HuberLossOptions o;
                              o.delta(a.get<double>("delta", 1.0));
                              o.reduction(text::reduction_of("HuberLoss", a));
                              return std::make_shared<HuberLossImpl>(std::move(o));
                          }),
    register_module_class(
        "BCELoss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("BCELoss", {"weight", "size_average", "reduce", "reduction"}, args, kwargs);
            BCELossOptions o;
            o.weight(tensor_of(a, "weight"));
            o.reduction(text::reduction_of("BCELoss", a));
            return std::make_shared<BCELossImpl>(std::move(o));
        }),
    register_module_class("BCEWithLogitsLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("BCEWithLogitsLoss",
                                                      {"weight", "size_average", "reduce", "reduction", "pos_weight"},
                                                      args, kwargs);
                              BCEWithLogitsLossOptions o;
                              o.weight(tensor_of(a, "weight"));
                              o.pos_weight(tensor_of(a, "pos_weight"));
                              o.reduction(text::reduction_of("BCEWithLogitsLoss", a));
                              return std::make_shared<BCEWithLogitsLossImpl>(std::move(o));
                          }),
    register_module_class(
        "KLDivLoss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("KLDivLoss", {"size_average", "reduce", "reduction", "log_target"}, args, kwargs);
            KLDivLossOptions o;
            o.log_target(a.get<bool>("log_target", false));
            o.reduction(text::batch_reduction_of("KLDivLoss", a));
            return std::make_shared<KLDivLossImpl>(std::move(o));
        }),
    register_module_class("HingeEmbeddingLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("HingeEmbeddingLoss",
                                                      {"margin", "size_average", "reduce", "reduction"}, args, kwargs);
                              HingeEmbeddingLossOptions o;
                              o.margin(a.get<double>("margin", 1.0));
                              o.reduction(text::reduction_of("HingeEmbeddingLoss", a));
                              return std::make_shared<HingeEmbeddingLossImpl>(std::move(o));
                          }),
    register_module_class("CosineEmbeddingLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("CosineEmbeddingLoss",
                                                      {"margin", "size_average", "reduce", "reduction"}, args, kwargs);
                              CosineEmbeddingLossOptions o;
                              o.margin(a.get<double>("margin", 0.0));
                              o.reduction(text::reduction_of("CosineEmbeddingLoss", a));
                              return std::make_shared<CosineEmbeddingLossImpl>(std::move(o));
                          }),
    register_module_class("MarginRankingLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("MarginRankingLoss",
                                                      {"margin", "size_average", "reduce", "reduction"}, args, kwargs);
                              MarginRankingLossOptions o;
                              o.margin(a.get<double>("margin", 0.0));
                              o.reduction(text::reduction_of("MarginRankingLoss", a));
                              return std::make_shared<MarginRankingLossImpl>(std::move(o));
                          }),
    register_module_class("MultiMarginLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("MultiMarginLoss",
                                                      {"p", "margin", "weight", "size_average", "reduce", "reduction"},
                                                      args, kwargs);
                              MultiMarginLossOptions o;
                              o.p(a.get<std::int64_t>("p", 1));
                              o.margin(a.get<double>("margin", 1.0));
                              o.weight(tensor_of(a, "weight"));
                              o.reduction(text::reduction_of("MultiMarginLoss", a));
                              return std::make_shared<MultiMarginLossImpl>(std::move(o));
                          }),
    register_module_class(
        "MultiLabelMarginLoss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("MultiLabelMarginLoss", {"size_average", "reduce", "reduction"}, args, kwargs);
            MultiLabelMarginLossOptions o;
            o.reduction(text::reduction_of("MultiLabelMarginLoss", a));
            return std::make_shared<MultiLabelMarginLossImpl>(std::move(o));
        }),
    register_module_class(
        "SoftMarginLoss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("SoftMarginLoss", {"size_average", "reduce", "reduction"}, args, kwargs);
            SoftMarginLossOptions o;
            o.reduction(text::reduction_of("SoftMarginLoss", a));
            return std::make_shared<SoftMarginLossImpl>(std::move(o));
        }),
    register_module_class("MultiLabelSoftMarginLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("MultiLabelSoftMarginLoss",
                                                      {"weight", "size_average", "reduce", "reduction"}, args, kwargs);
                              MultiLabelSoftMarginLossOptions o;
                              o.weight(tensor_of(a, "weight"));
                              o.reduction(text::reduction_of("MultiLabelSoftMarginLoss", a));
                              return std::make_shared<MultiLabelSoftMarginLossImpl>(std::move(o));
                          }),
    register_module_class("PoissonNLLLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a(
                                  "PoissonNLLLoss", {"log_input", "full", "size_average", "eps", "reduce", "reduction"},
                                  args, kwargs);
                              PoissonNLLLossOptions o;
                              o.log_input(a.get<bool>("log_input", true));
                              o.full(a.get<bool>("full", false));
                              o.eps(a.get<double>("eps", 1e-8));
                              o.reduction(text::reduction_of("PoissonNLLLoss", a));
                              return std::make_shared<PoissonNLLLossImpl>(std::move(o));
                          }),
    register_module_class("GaussianNLLLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("GaussianNLLLoss", {"full", "eps", "reduction"}, args, kwargs);
                              GaussianNLLLossOptions o;
                              o.full(a.get<bool>("full", false));
                              o.eps(a.get<double>("eps", 1e-6));
                              o.reduction(text::reduction_of("GaussianNLLLoss", a));
                              return std::make_shared<GaussianNLLLossImpl>(std::move(o));
                          }),
    register_module_class("CTCLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("CTCLoss", {"blank", "reduction", "zero_infinity"}, args, kwargs);
                              CTCLossOptions o;
                              o.blank(a.get<std::int64_t>("blank", 0));
                              o.zero_infinity(a.get<bool>("zero_infinity", false));
                              o.reduction(text::reduction_of("CTCLoss", a));
                              return std::make_shared<CTCLossImpl>(std::move(o));
                          }),
};
} // namespace

} // namespace reel::nn
