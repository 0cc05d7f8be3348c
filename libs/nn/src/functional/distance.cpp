// Functional forms of the similarities, the distances and the losses on them.
#include <reel/autograd/ops/loss/triplet.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/nn/functional/distance.hpp>

#include <reel/autograd/tensor_operators.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn::functional {

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, const CosineSimilarityFuncOptions& o) {
    return reel::cosine_similarity(x1, x2, o.dim(), o.eps());
}
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, const PairwiseDistanceFuncOptions& o) {
    return reel::pairwise_distance(x1, x2, o.p(), o.eps(), o.keepdim());
}
Tensor pdist(const Tensor& input, double p) { return reel::pdist(input, p); }

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& o) {
    return reel::triplet_margin_loss(anchor, positive, negative, o.margin(), o.p(), o.eps(), o.swap(),
                                     text::name_of(o.reduction()));
}
Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         const TripletMarginWithDistanceLossFuncOptions& o) {
    const auto distance = [&o](const Tensor& a, const Tensor& b) {
        return o.distance_function() ? (*o.distance_function())(a, b) : reel::pairwise_distance(a, b);
    };
    const Tensor near = distance(anchor, positive);
    Tensor far = distance(anchor, negative);
    if (o.swap()) far = reel::minimum(far, distance(positive, negative));
    const Tensor loss = reel::clamp_min(near - far + o.margin(), Scalar(0));
    if (o.reduction() == kNone) return loss;
    return o.reduction() == kMean ? reel::mean(loss) : reel::sum(loss);
}

} // namespace reel::nn::functional
