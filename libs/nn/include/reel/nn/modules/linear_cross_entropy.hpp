// The cross entropy of a linear layer's output.
#pragma once

#include <optional>
#include <vector>

#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/loss.hpp>

namespace reel::nn {

/// `out_features`: further dimensions of the loss. `weight`: one factor per class. `ignore_index`: the class that does
/// not count, -100 unless set; only with class indices.
struct LinearCrossEntropyLossOptions {
    LinearCrossEntropyLossOptions(std::int64_t in_features, std::int64_t num_classes)
        : in_features_(in_features), num_classes_(num_classes) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, in_features);
    REEL_ARG(std::int64_t, num_classes);
    REEL_ARG(std::vector<std::int64_t>, out_features) = {};
    REEL_ARG(bool, bias) = false;
    REEL_ARG(reduction_t, reduction) = kMean;
    REEL_ARG(Tensor, weight) = {};
    REEL_ARG(std::optional<std::int64_t>, ignore_index) = std::nullopt;
    REEL_ARG(double, label_smoothing) = 0.0;
};

/// CrossEntropyLoss of a Linear (child "linear") on the input (nn.LinearCrossEntropyLoss). Input [N, in_features] with
/// targets [N, out_features...], class indices, or [N, num_classes, out_features...], probabilities; without
/// `out_features` also one example, [in_features]. The child lends its tensors: it is not called, so its hooks do not
/// run, as in PyTorch. PyTorch's chunks (`options`), which save memory, are not there.
/// Errors: a `weight` that is not [num_classes], a `label_smoothing` outside of [0, 1]; in the call an `ignore_index`
/// together with probabilities, and shapes that do not fit, naming them.
class LinearCrossEntropyLossImpl : public Cloneable<LinearCrossEntropyLossImpl> {
public:
    LinearCrossEntropyLossImpl(std::int64_t in_features, std::int64_t num_classes)
        : LinearCrossEntropyLossImpl(LinearCrossEntropyLossOptions(in_features, num_classes)) {}
    explicit LinearCrossEntropyLossImpl(LinearCrossEntropyLossOptions options);
    void reset() override;
    static constexpr const char* forward_arguments = "input, target";
    Tensor forward(const Tensor& input, const Tensor& target);
    LinearCrossEntropyLossOptions options;
    Tensor weight;
    Linear linear = nullptr;
};
REEL_MODULE(LinearCrossEntropyLoss);

} // namespace reel::nn
