// Similarities, distances, and the losses on them.
#include <reel/nn/modules/distance.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn {

Tensor CosineSimilarityImpl::forward(const Tensor& x1, const Tensor& x2) {
    return reel::cosine_similarity(x1, x2, options.dim(), options.eps());
}
Tensor PairwiseDistanceImpl::forward(const Tensor& x1, const Tensor& x2) {
    return reel::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}
void TripletMarginLossImpl::reset() {
    REEL_CHECK_VALUE(options.margin() > 0, "TripletMarginLoss: margin is ", options.margin(),
                     "; expected a positive number");
}
Tensor TripletMarginLossImpl::forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) {
    return reel::triplet_margin_loss(anchor, positive, negative, options.margin(), options.p(), options.eps(),
                                     options.swap(), text::name_of(options.reduction()));
}
void TripletMarginWithDistanceLossImpl::reset() {
    REEL_CHECK_VALUE(options.margin() > 0, "TripletMarginWithDistanceLoss: margin is ", options.margin(),
                     "; expected a positive number");
    if (!options.distance_function()) {
        distance_ = PairwiseDistance();
        register_module("distance_function", distance_);
    }
}
Tensor TripletMarginWithDistanceLossImpl::forward(const Tensor& anchor, const Tensor& positive,
                                                  const Tensor& negative) {
    const auto distance = [this](const Tensor& a, const Tensor& b) {
        return options.distance_function() ? (*options.distance_function())(a, b) : distance_(a, b);
    };
    const Tensor near = distance(anchor, positive);
    Tensor far = distance(anchor, negative);
    if (options.swap()) far = reel::minimum(far, distance(positive, negative));
    const Tensor loss = reel::clamp_min(near - far + options.margin(), Scalar(0));
    const std::string reduction = text::name_of(options.reduction());
    return reduction == "none" ? loss : reduction == "mean" ? reel::mean(loss) : reel::sum(loss);
}

namespace {
[[maybe_unused]] const bool registered[] = {
    register_module_class(
        "CosineSimilarity",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("CosineSimilarity", {"dim", "eps"}, args, kwargs);
            return std::make_shared<CosineSimilarityImpl>(
                CosineSimilarityOptions().dim(a.get<std::int64_t>("dim", 1)).eps(a.get<double>("eps", 1e-8)));
        }),
    register_module_class("PairwiseDistance",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("PairwiseDistance", {"p", "eps", "keepdim"}, args, kwargs);
                              return std::make_shared<PairwiseDistanceImpl>(
                                  PairwiseDistanceOptions()
                                      .p(a.get<double>("p", 2.0))
                                      .eps(a.get<double>("eps", 1e-6))
                                      .keepdim(a.get<bool>("keepdim", false)));
                          }),
    register_module_class(
        "TripletMarginLoss",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("TripletMarginLoss",
                                    {"margin", "p", "eps", "swap", "size_average", "reduce", "reduction"}, args,
                                    kwargs);
            return std::make_shared<TripletMarginLossImpl>(TripletMarginLossOptions()
                                                               .margin(a.get<double>("margin", 1.0))
                                                               .p(a.get<double>("p", 2.0))
                                                               .eps(a.get<double>("eps", 1e-6))
                                                               .swap(a.get<bool>("swap", false))
                                                               .reduction(text::reduction_of("TripletMarginLoss", a)));
        }),
    register_module_class("TripletMarginWithDistanceLoss",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("TripletMarginWithDistanceLoss",
                                                      {"distance_function", "margin", "swap", "reduction"}, args,
                                                      kwargs);
                              return std::make_shared<TripletMarginWithDistanceLossImpl>(
                                  TripletMarginWithDistanceLossOptions()
                                      .margin(a.get<double>("margin", 1.0))
                                      .swap(a.get<bool>("swap", false))
                                      .reduction(text::reduction_of("TripletMarginWithDistanceLoss", a)));
                          }),
};
} // namespace

} // namespace reel::nn
