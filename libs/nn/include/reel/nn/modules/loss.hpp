// Losses as modules.
#pragma once

#include <optional>

#include <reel/autograd/enum.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

using reduction_t = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>;

struct MSELossOptions {
    MSELossOptions(reduction_t reduction = kMean) : reduction_(reduction) {}
    REEL_ARG(reduction_t, reduction);
};
/// (input - target)^2.
class MSELossImpl : public Cloneable<MSELossImpl> {
public:
    explicit MSELossImpl(const MSELossOptions& options = {}) : options(options) {}
    void reset() override {}
    Tensor forward(const Tensor& input, const Tensor& target);
    MSELossOptions options;
};
REEL_MODULE(MSELoss);

/// `weight`: one factor per class.
struct NLLLossOptions {
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(std::int64_t, ignore_index) = -100;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Negative log-likelihood of class indices under log-probabilities [N, C, ...].
class NLLLossImpl : public Cloneable<NLLLossImpl> {
public:
    explicit NLLLossImpl(NLLLossOptions options = {}) : options(std::move(options)) { NLLLossImpl::reset(); }
    void reset() override;
    Tensor forward(const Tensor& input, const Tensor& target);
    NLLLossOptions options;
    Tensor weight;
};
REEL_MODULE(NLLLoss);

struct CrossEntropyLossOptions {
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(std::int64_t, ignore_index) = -100;
    REEL_ARG(reduction_t, reduction) = kMean;
    REEL_ARG(double, label_smoothing) = 0.0;
};
/// Cross entropy of logits [N, C, ...] with class indices or class probabilities.
class CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
public:
    explicit CrossEntropyLossImpl(CrossEntropyLossOptions options = {}) : options(std::move(options)) {
        CrossEntropyLossImpl::reset();
    }
    void reset() override;
    Tensor forward(const Tensor& input, const Tensor& target);
    CrossEntropyLossOptions options;
    Tensor weight;
};
REEL_MODULE(CrossEntropyLoss);

} // namespace reel::nn
