#include "objectives/loss_support.hpp"

#include <reel/autograd/ops/loss/classification.hpp>
#include <reel/autograd/ops/loss/loss.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::rl::detail {

void check_choice(const char* loss, const char* option, const std::string& value,
                  std::initializer_list<const char*> accepted) {
    std::string names;
    for (const char* one : accepted) {
        if (value == one) return;
        names += (names.empty() ? "'" : ", '") + std::string(one) + "'";
    }
    REEL_THROW(ValueError, loss, ": ", option, " is '", value, "', expected one of ", names);
}
Tensor distance_loss(const Tensor& prediction, const Tensor& target, const std::string& kind) {
    if (kind == "l2") return mse_loss(prediction, target, "none");
    if (kind == "l1") return l1_loss(prediction, target, "none");
    return smooth_l1_loss(prediction, target, "none");
}
Tensor reduced(const char* loss, const Tensor& values, const std::string& reduction, const Tensor& weights) {
    if (weights.defined())
        REEL_CHECK_VALUE(weights.sizes().equals(values.sizes()), loss, ": the weights have shape ", weights.sizes(),
                         ", the losses ", values.sizes());
    const Tensor weighted = weights.defined() ? values * weights : values;
    if (reduction == "none") return weighted;
    if (reduction == "sum") return weighted.sum();
    return weights.defined() ? weighted.sum() / weights.sum() : values.mean();
}
Tensor weights_of(const char* loss, const TensorDict& tensordict, const NestedKey& key, const Tensor& values) {
    const std::optional<Tensor> found = tensordict.get(key);
    if (!found) return {};
    REEL_CHECK_VALUE(found->numel() == values.numel(), loss, ": ", key.str(), " has shape ", found->sizes(),
                     ", the losses ", values.sizes());
    return found->reshape(values.sizes());
}

} // namespace reel::rl::detail
