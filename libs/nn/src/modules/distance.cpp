// Similarities, distances, and the losses on them.
#include <reel/autograd/ops/loss/triplet.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/nn/modules/distance.hpp>

#include <reel/autograd/tensor_operators.hpp>

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

void register_distance() {
    register_layers<CosineSimilarityImpl, PairwiseDistanceImpl, TripletMarginLossImpl,
                    TripletMarginWithDistanceLossImpl>();
}

} // namespace reel::nn
