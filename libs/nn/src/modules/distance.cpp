// Similarities, distances, and the losses on them.
#include <reel/nn/modules/distance.hpp>

#include <reel/nn/functional/distance.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn {

void CosineSimilarityOptions::fields(OptionVisitor& v) {
    v.hidden("dim", dim_);
    v.hidden("eps", eps_);
}
void PairwiseDistanceOptions::fields(OptionVisitor& v) {
    v.hidden("p", p_);
    v.hidden("eps", eps_);
    v.hidden("keepdim", keepdim_);
}
void TripletMarginLossOptions::fields(OptionVisitor& v) {
    v.hidden("margin", margin_);
    v.hidden("p", p_);
    v.hidden("eps", eps_);
    v.hidden("swap", swap_);
    text::reduction(v, reduction_);
}
void TripletMarginWithDistanceLossOptions::fields(OptionVisitor& v) {
    v.argument("distance_function"); // a function of this language, by the option of that name
    v.hidden("margin", margin_);
    v.hidden("swap", swap_);
    text::reduction(v, reduction_, false);
}

Tensor CosineSimilarityImpl::forward(const Tensor& x1, const Tensor& x2) {
    return functional::cosine_similarity(x1, x2, options);
}
Tensor PairwiseDistanceImpl::forward(const Tensor& x1, const Tensor& x2) {
    return functional::pairwise_distance(x1, x2, options);
}
void TripletMarginLossImpl::reset() {
    REEL_CHECK_VALUE(options.margin() > 0, "TripletMarginLoss: margin is ", options.margin(),
                     "; expected a positive number");
}
Tensor TripletMarginLossImpl::forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) {
    return functional::triplet_margin_loss(anchor, positive, negative, options);
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
    if (options.distance_function()) {
        return functional::triplet_margin_with_distance_loss(anchor, positive, negative, options);
    }
    TripletMarginWithDistanceLossOptions held = options; // the submodule's hooks see every pair
    held.distance_function([this](const Tensor& a, const Tensor& b) { return distance_(a, b); });
    return functional::triplet_margin_with_distance_loss(anchor, positive, negative, held);
}

void register_distance() {
    register_layers<CosineSimilarityImpl, PairwiseDistanceImpl, TripletMarginLossImpl,
                    TripletMarginWithDistanceLossImpl>();
}

} // namespace reel::nn
