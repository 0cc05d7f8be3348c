// Kernels of attention in one pass, for devices whose libraries have them.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

struct AttentionKind {
    double scale;
    bool causal; ///< position i sees none after i
};

// Operands are [batch, heads, positions, size] of one floating dtype, none of them empty, with any strides; `key` and
// `value` may have fewer heads, of which query's are a multiple. `stats` is float32 [batch, heads, positions, 1]. What
// is filled is dense, and so are `out` and `stats` on the way back.
namespace kernels {
/// out = softmax(scale query key^T) value; `stats` (or undefined) is filled with the logarithms of the rows' sums of
/// exponentials, for the way back. False, with nothing done, where the library does not take the case: the op then goes
/// by products and softmax, as it does on devices without this kernel, the CPU among them.
inline constinit Kernel<bool(const Tensor& out, const Tensor& stats, const Tensor& query, const Tensor& key,
                             const Tensor& value, const AttentionKind& kind)>
    attention{"scaled_dot_product_attention"};
/// Fills the three gradients from that of `out`. False as above.
inline constinit Kernel<bool(const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                             const Tensor& grad_out, const Tensor& out, const Tensor& stats, const Tensor& query,
                             const Tensor& key, const Tensor& value, const AttentionKind& kind)>
    attention_backward{"scaled_dot_product_attention"};
} // namespace kernels

} // namespace reel
