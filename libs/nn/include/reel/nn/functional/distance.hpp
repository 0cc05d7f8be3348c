// Functional forms of the similarities, the distances and the losses on them.
#pragma once

#include <reel/nn/modules/distance.hpp>

namespace reel::nn::functional {

using CosineSimilarityFuncOptions = CosineSimilarityOptions;
using PairwiseDistanceFuncOptions = PairwiseDistanceOptions;
using TripletMarginLossFuncOptions = TripletMarginLossOptions;
using TripletMarginWithDistanceLossFuncOptions = TripletMarginWithDistanceLossOptions;

/// x1, x2 [*] to [*] without dimension `dim`.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, const CosineSimilarityFuncOptions& options = {});
/// x1, x2 [N, D] to [N].
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, const PairwiseDistanceFuncOptions& options = {});
/// The p-norm distances of all pairs of rows of [N, D], as [N (N - 1) / 2].
Tensor pdist(const Tensor& input, double p = 2.0);
/// max(0, d(anchor, positive) - d(anchor, negative) + margin).
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options = {});
/// The same with the options' distance; pairwise_distance unless one is given.
Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         const TripletMarginWithDistanceLossFuncOptions& options = {});

} // namespace reel::nn::functional
