// What a node keeps of two operands that each enter the other's gradient.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// `t`, which the gradient of `other` reads, if `other` has one; else nothing.
inline const Tensor& kept_for(const Tensor& other, const Tensor& t) {
    static const Tensor nothing;
    return other.defined() && other.requires_grad() ? t : nothing;
}

} // namespace reel::detail
