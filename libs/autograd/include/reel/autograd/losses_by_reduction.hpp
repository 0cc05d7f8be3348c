// Losses whose arguments libtorch has in another order than Python: the reduction before what Python puts before it.
#pragma once

#include <reel/autograd/enum.hpp>
#include <reel/autograd/ops/loss.hpp>

namespace reel {

/// `nll_loss(input, target, weight, Reduction::Sum, -100)`.
inline Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, Reduction::Reduction reduction,
                       std::int64_t ignore_index = -100) {
    return nll_loss(input, target, weight, ignore_index, std::string_view(reduction));
}
/// cross_entropy under libtorch's name and in its order.
inline Tensor cross_entropy_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                                 Reduction::Reduction reduction = Reduction::Mean, std::int64_t ignore_index = -100,
                                 double label_smoothing = 0) {
    return cross_entropy(input, target, weight, ignore_index, std::string_view(reduction), label_smoothing);
}
inline Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                               const Tensor& pos_weight,
                                               Reduction::Reduction reduction = Reduction::Mean) {
    return binary_cross_entropy_with_logits(input, target, weight, std::string_view(reduction), pos_weight);
}

} // namespace reel
