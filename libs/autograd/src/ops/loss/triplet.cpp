// Losses over three points: the anchor should be nearer to the positive than to the negative.
#include <reel/autograd/ops/loss/triplet.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>

#include "ops/loss/loss.hpp"
#include "ops/pointwise/run.hpp"

namespace reel {

using autograd::GradList;
using autograd::record;
using autograd::RuleContext;

namespace {
Tensor triplet(const char* op, const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin,
               double p, double eps, bool swap, std::string_view reduction) {
    loss::check_reduction(op, reduction);
    REEL_CHECK_VALUE(margin > 0, op, ": margin is ", margin, "; expected a positive number");
    REEL_CHECK(anchor.dim() == positive.dim() && anchor.dim() == negative.dim(), op,
               ": anchor, positive and negative have shapes ", anchor.sizes(), ", ", positive.sizes(), " and ",
               negative.sizes(), "; expected the same number of dimensions");
    const Tensor near = pairwise_distance(anchor, positive, p, eps);
    Tensor far = pairwise_distance(anchor, negative, p, eps);
    if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
    return loss::reduce(clamp_min(near - far + margin, 0), reduction);
}
} // namespace

/// max(0, |anchor - positive| - |anchor - negative| + margin) in the p-norm; `swap` takes the nearer of the two to the
/// negative.
REEL_OP(
    "nn.functional.triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2.0, "
    "float eps=1e-06, bool swap=False, bool? size_average=None, bool? reduce=None, str reduction='mean') -> Tensor",
    composite)
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin,
                           double p, double eps, bool swap, std::string_view reduction) {
    return triplet("triplet_margin_loss", anchor, positive, negative, margin, p, eps, swap, reduction);
}
/// The same with the Euclidean distance; distances of one's own: compose them with relu and mean.
REEL_OP("nn.functional.triplet_margin_with_distance_loss(Tensor anchor, Tensor positive, Tensor negative, *, float "
        "margin=1.0, bool swap=False, "
        "str reduction='mean') -> Tensor",
        composite, samples(call(numbers({2, 3, 6}), numbers({2, 3, 6}) + 0.4, numbers({2, 3, 6}, 49))))
Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         double margin, bool swap, std::string_view reduction) {
    return triplet("triplet_margin_with_distance_loss", anchor, positive, negative, margin, 2, 1e-6, swap, reduction);
}

} // namespace reel
