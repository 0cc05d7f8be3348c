// Losses as modules.
#pragma once

#include <concepts>
#include <optional>

#include <reel/autograd/enum.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

using reduction_t = Choice<enumtype::kNone, enumtype::kMean, enumtype::kSum>;

struct MSELossOptions {
    MSELossOptions() : reduction_(kMean) {}
    MSELossOptions(std::convertible_to<reduction_t> auto reduction) : reduction_(reduction) {}
    void fields(OptionVisitor& v);
    REEL_ARG(reduction_t, reduction);
};
/// (input - target)^2.
class MSELossImpl : public Cloneable<MSELossImpl> {
public:
    explicit MSELossImpl(const MSELossOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    MSELossOptions options;
};
REEL_MODULE(MSELoss);

/// `weight`: one factor per class.
struct NLLLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(std::int64_t, ignore_index) = -100;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Negative log-likelihood of class indices under log-probabilities [N, C, ...].
class NLLLossImpl : public Cloneable<NLLLossImpl> {
public:
    explicit NLLLossImpl(NLLLossOptions options = {}) : options(std::move(options)) { NLLLossImpl::reset(); }
    void reset() override;
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    NLLLossOptions options;
    Tensor weight;
};
REEL_MODULE(NLLLoss);

struct CrossEntropyLossOptions {
    void fields(OptionVisitor& v);
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
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    CrossEntropyLossOptions options;
    Tensor weight;
};
REEL_MODULE(CrossEntropyLoss);

using kl_reduction_t = Choice<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;

struct L1LossOptions {
    L1LossOptions() : reduction_(kMean) {}
    L1LossOptions(std::convertible_to<reduction_t> auto reduction) : reduction_(reduction) {}
    void fields(OptionVisitor& v);
    REEL_ARG(reduction_t, reduction);
};
/// |input - target|.
class L1LossImpl : public Cloneable<L1LossImpl> {
public:
    explicit L1LossImpl(L1LossOptions options = {}) : options(std::move(options)) { L1LossImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    L1LossOptions options;
};
REEL_MODULE(L1Loss);

struct SmoothL1LossOptions {
    SmoothL1LossOptions() = default;
    SmoothL1LossOptions(std::convertible_to<reduction_t> auto reduction) : reduction_(reduction) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::optional<double>, beta) = std::nullopt;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Squares below `beta`, absolute differences above.
class SmoothL1LossImpl : public Cloneable<SmoothL1LossImpl> {
public:
    explicit SmoothL1LossImpl(SmoothL1LossOptions options = {}) : options(std::move(options)) {
        SmoothL1LossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    SmoothL1LossOptions options;
};
REEL_MODULE(SmoothL1Loss);

struct HuberLossOptions {
    HuberLossOptions() = default;
    HuberLossOptions(std::convertible_to<reduction_t> auto reduction) : reduction_(reduction) {}
    void fields(OptionVisitor& v);
    REEL_ARG(double, delta) = 1.0;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Squares below `delta`, lines above.
class HuberLossImpl : public Cloneable<HuberLossImpl> {
public:
    explicit HuberLossImpl(HuberLossOptions options = {}) : options(std::move(options)) { HuberLossImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    HuberLossOptions options;
};
REEL_MODULE(HuberLoss);

struct BCELossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Binary cross entropy of probabilities.
class BCELossImpl : public Cloneable<BCELossImpl> {
public:
    explicit BCELossImpl(BCELossOptions options = {}) : options(std::move(options)) { BCELossImpl::reset(); }
    void reset() override;
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    BCELossOptions options;
    Tensor weight;
};
REEL_MODULE(BCELoss);

struct BCEWithLogitsLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(Tensor, pos_weight) = {};
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Binary cross entropy of logits.
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
public:
    explicit BCEWithLogitsLossImpl(BCEWithLogitsLossOptions options = {}) : options(std::move(options)) {
        BCEWithLogitsLossImpl::reset();
    }
    void reset() override;
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    BCEWithLogitsLossOptions options;
    Tensor weight, pos_weight;
};
REEL_MODULE(BCEWithLogitsLoss);

struct KLDivLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(bool, log_target) = false;
    REEL_ARG(kl_reduction_t, reduction) = kMean;
};
/// Kullback-Leibler divergence of log-probabilities from `target` (its logarithm with `log_target`).
class KLDivLossImpl : public Cloneable<KLDivLossImpl> {
public:
    explicit KLDivLossImpl(KLDivLossOptions options = {}) : options(std::move(options)) { KLDivLossImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    KLDivLossOptions options;
};
REEL_MODULE(KLDivLoss);

struct HingeEmbeddingLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(double, margin) = 1.0;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// x where target is 1, max(0, margin - x) where it is -1.
class HingeEmbeddingLossImpl : public Cloneable<HingeEmbeddingLossImpl> {
public:
    explicit HingeEmbeddingLossImpl(HingeEmbeddingLossOptions options = {}) : options(std::move(options)) {
        HingeEmbeddingLossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    HingeEmbeddingLossOptions options;
};
REEL_MODULE(HingeEmbeddingLoss);

struct CosineEmbeddingLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(double, margin) = 0.0;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// 1 - cos where target is 1, max(0, cos - margin) where it is -1.
class CosineEmbeddingLossImpl : public Cloneable<CosineEmbeddingLossImpl> {
public:
    explicit CosineEmbeddingLossImpl(CosineEmbeddingLossOptions options = {}) : options(std::move(options)) {
        CosineEmbeddingLossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input1, input2, target";
    Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
    CosineEmbeddingLossOptions options;
};
REEL_MODULE(CosineEmbeddingLoss);

struct MarginRankingLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(double, margin) = 0.0;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// max(0, -target (input1 - input2) + margin).
class MarginRankingLossImpl : public Cloneable<MarginRankingLossImpl> {
public:
    explicit MarginRankingLossImpl(MarginRankingLossOptions options = {}) : options(std::move(options)) {
        MarginRankingLossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input1, input2, target";
    Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
    MarginRankingLossOptions options;
};
REEL_MODULE(MarginRankingLoss);

struct MultiMarginLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, p) = 1;
    REEL_ARG(double, margin) = 1.0;
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// The hinge loss over classes.
class MultiMarginLossImpl : public Cloneable<MultiMarginLossImpl> {
public:
    explicit MultiMarginLossImpl(MultiMarginLossOptions options = {}) : options(std::move(options)) {
        MultiMarginLossImpl::reset();
    }
    void reset() override;
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    MultiMarginLossOptions options;
    Tensor weight;
};
REEL_MODULE(MultiMarginLoss);

struct MultiLabelMarginLossOptions {
    MultiLabelMarginLossOptions() : reduction_(kMean) {}
    MultiLabelMarginLossOptions(std::convertible_to<reduction_t> auto reduction) : reduction_(reduction) {}
    void fields(OptionVisitor& v);
    REEL_ARG(reduction_t, reduction);
};
/// The hinge loss over several classes per example.
class MultiLabelMarginLossImpl : public Cloneable<MultiLabelMarginLossImpl> {
public:
    explicit MultiLabelMarginLossImpl(MultiLabelMarginLossOptions options = {}) : options(std::move(options)) {
        MultiLabelMarginLossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    MultiLabelMarginLossOptions options;
};
REEL_MODULE(MultiLabelMarginLoss);

struct SoftMarginLossOptions {
    SoftMarginLossOptions() : reduction_(kMean) {}
    SoftMarginLossOptions(std::convertible_to<reduction_t> auto reduction) : reduction_(reduction) {}
    void fields(OptionVisitor& v);
    REEL_ARG(reduction_t, reduction);
};
/// log(1 + exp(-target input)).
class SoftMarginLossImpl : public Cloneable<SoftMarginLossImpl> {
public:
    explicit SoftMarginLossImpl(SoftMarginLossOptions options = {}) : options(std::move(options)) {
        SoftMarginLossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    SoftMarginLossOptions options;
};
REEL_MODULE(SoftMarginLoss);

struct MultiLabelSoftMarginLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Binary cross entropy over classes, averaged per example.
class MultiLabelSoftMarginLossImpl : public Cloneable<MultiLabelSoftMarginLossImpl> {
public:
    explicit MultiLabelSoftMarginLossImpl(MultiLabelSoftMarginLossOptions options = {}) : options(std::move(options)) {
        MultiLabelSoftMarginLossImpl::reset();
    }
    void reset() override;
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    MultiLabelSoftMarginLossOptions options;
    Tensor weight;
};
REEL_MODULE(MultiLabelSoftMarginLoss);

struct PoissonNLLLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(bool, log_input) = true;
    REEL_ARG(bool, full) = false;
    REEL_ARG(double, eps) = 1e-8;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Negative log-likelihood of counts under a Poisson distribution.
class PoissonNLLLossImpl : public Cloneable<PoissonNLLLossImpl> {
public:
    explicit PoissonNLLLossImpl(PoissonNLLLossOptions options = {}) : options(std::move(options)) {
        PoissonNLLLossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    PoissonNLLLossOptions options;
};
REEL_MODULE(PoissonNLLLoss);

struct GaussianNLLLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(bool, full) = false;
    REEL_ARG(double, eps) = 1e-6;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Negative log-likelihood under a normal distribution with variances `var`.
class GaussianNLLLossImpl : public Cloneable<GaussianNLLLossImpl> {
public:
    explicit GaussianNLLLossImpl(GaussianNLLLossOptions options = {}) : options(std::move(options)) {
        GaussianNLLLossImpl::reset();
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input, target, var";
    Tensor forward(const Tensor& input, const Tensor& target, const Tensor& var);
    GaussianNLLLossOptions options;
};
REEL_MODULE(GaussianNLLLoss);

struct CTCLossOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, blank) = 0;
    REEL_ARG(bool, zero_infinity) = false;
    REEL_ARG(reduction_t, reduction) = kMean;
};
/// Connectionist temporal classification of log-probabilities [T, N, C].
class CTCLossImpl : public Cloneable<CTCLossImpl> {
public:
    explicit CTCLossImpl(CTCLossOptions options = {}) : options(std::move(options)) { CTCLossImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "log_probs, targets, input_lengths, target_lengths";
    Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                   const Tensor& target_lengths);
    CTCLossOptions options;
};
REEL_MODULE(CTCLoss);

} // namespace reel::nn
