// Kernel of attention in one pass, for devices whose libraries have it.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace kernels {
/// out = softmax(scale query key^T) value for [batch, heads, positions, size], one floating dtype, none of them empty;
/// `key` and `value` may have fewer heads, of which query's are a multiple. `out` is dense, the others have any
/// strides. False, with nothing done, where the library does not take the case: the op then goes by products and
/// softmax, as it does on devices without this kernel, the CPU among them.
inline constinit Kernel<bool(const Tensor& out, const Tensor& query, const Tensor& key, const Tensor& value,
                             double scale)>
    attention{"scaled_dot_product_attention"};
} // namespace kernels

} // namespace reel
