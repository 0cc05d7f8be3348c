// Similarities, distances, and the losses on them.
#pragma once

#include <functional>

#include <reel/nn/modules/loss.hpp>

namespace reel::nn {

struct CosineSimilarityOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, dim) = 1;
    REEL_ARG(double, eps) = 1e-8;
};
/// x1 . x2 / (|x1| |x2|) along `dim`.
class CosineSimilarityImpl : public Cloneable<CosineSimilarityImpl> {
public:
    explicit CosineSimilarityImpl(const CosineSimilarityOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "x1, x2";
    Tensor forward(const Tensor& x1, const Tensor& x2);
    CosineSimilarityOptions options;
};
REEL_MODULE(CosineSimilarity);

struct PairwiseDistanceOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(double, p) = 2.0;
    REEL_ARG(double, eps) = 1e-6;
    REEL_ARG(bool, keepdim) = false;
};
/// |x1 - x2 + eps|_p over the last dimension.
class PairwiseDistanceImpl : public Cloneable<PairwiseDistanceImpl> {
public:
    explicit PairwiseDistanceImpl(const PairwiseDistanceOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "x1, x2";
    Tensor forward(const Tensor& x1, const Tensor& x2);
    PairwiseDistanceOptions options;
};
REEL_MODULE(PairwiseDistance);

struct TripletMarginLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(double, margin) = 1.0;
    REEL_ARG(double, p) = 2.0;
    REEL_ARG(double, eps) = 1e-6;
    REEL_ARG(bool, swap) = false;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// max(0, d(anchor, positive) - d(anchor, negative) + margin).
class TripletMarginLossImpl : public Cloneable<TripletMarginLossImpl> {
public:
    explicit TripletMarginLossImpl(const TripletMarginLossOptions& options = {}) : options(options) {
        TripletMarginLossImpl::reset();
    }
    void reset() override;
    static constexpr const char* forward_arguments = "anchor, positive, negative";
    Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
    TripletMarginLossOptions options;
};
REEL_MODULE(TripletMarginLoss);

struct TripletMarginWithDistanceLossOptions {
    using reduction_t = nn::reduction_t;
    using distance_function_t = std::function<Tensor(const Tensor&, const Tensor&)>;
    void fields(OptionVisitor& v);
    REEL_ARG(std::optional<distance_function_t>, distance_function) = std::nullopt;
    REEL_ARG(double, margin) = 1.0;
    REEL_ARG(bool, swap) = false;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// The same with any distance; PairwiseDistance, held as a submodule, unless one is given.
class TripletMarginWithDistanceLossImpl : public Cloneable<TripletMarginWithDistanceLossImpl> {
public:
    explicit TripletMarginWithDistanceLossImpl(TripletMarginWithDistanceLossOptions options = {})
        : options(std::move(options)) {
        TripletMarginWithDistanceLossImpl::reset();
    }
    void reset() override;
    static constexpr const char* forward_arguments = "anchor, positive, negative";
    Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
    TripletMarginWithDistanceLossOptions options;

private:
    PairwiseDistance distance_{nullptr};
};
REEL_MODULE(TripletMarginWithDistanceLoss);

} // namespace reel::nn
