// Softmax over many classes, the rare ones in clusters.
#pragma once

#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/module_list.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// Classes below cutoffs[0] stand in the head; cluster i holds cutoffs[i] up to cutoffs[i + 1] (the last one up to
/// n_classes), behind a projection to in_features / div_value^(i + 1) features.
struct AdaptiveLogSoftmaxWithLossOptions {
    AdaptiveLogSoftmaxWithLossOptions(std::int64_t in_features, std::int64_t n_classes,
                                      std::vector<std::int64_t> cutoffs)
        : in_features_(in_features), n_classes_(n_classes), cutoffs_(std::move(cutoffs)) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, in_features);
    REEL_ARG(std::int64_t, n_classes);
    REEL_ARG(std::vector<std::int64_t>, cutoffs);
    REEL_ARG(double, div_value) = 4.;
    REEL_ARG(bool, head_bias) = false;
};
/// The log probability of each target, and the mean of their negatives.
struct ASMoutput {
    Tensor output;
    Tensor loss;
};
/// Log probabilities of classes that are looked up in proportion to how often they occur.
class AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
public:
    AdaptiveLogSoftmaxWithLossImpl(std::int64_t in_features, std::int64_t n_classes, std::vector<std::int64_t> cutoffs)
        : AdaptiveLogSoftmaxWithLossImpl(
              AdaptiveLogSoftmaxWithLossOptions(in_features, n_classes, std::move(cutoffs))) {}
    explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options);
    void reset() override;
    void reset_parameters();
    /// Input [batch, in_features] with targets [batch], or one example of each.
    static constexpr const char* forward_arguments = "input_, target_";
    ASMoutput forward(const Tensor& input, const Tensor& target);
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    /// [batch, n_classes].
    Tensor log_prob(const Tensor& input);
    /// The likeliest class of each example.
    Tensor predict(const Tensor& input);
    AdaptiveLogSoftmaxWithLossOptions options;
    std::vector<std::int64_t> cutoffs; ///< with n_classes at the end
    std::int64_t shortlist_size, n_clusters, head_size;
    Linear head{nullptr};
    ModuleList tail{nullptr};

private:
    Tensor cluster(std::int64_t i, const Tensor& input) const;
    Tensor full_log_prob(const Tensor& input, const Tensor& head_output) const;
};
REEL_MODULE(AdaptiveLogSoftmaxWithLoss);

} // namespace reel::nn
