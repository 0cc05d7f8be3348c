// The kernels of attention in tiles, which no matrix of all scores is needed for.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void tiled_attention(const Tensor& out, const Tensor& normalizers, const Tensor& query, const Tensor& key,
                     const Tensor& value, const Tensor& mask, bool is_causal, double scale);
void tiled_attention_backward(const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                              const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
                              const Tensor& mask, const Tensor& out, const Tensor& normalizers, bool is_causal,
                              double scale);
} // namespace cpu

namespace kernels {
/// out = softmax(scale query key^T + mask) value for query [batch, heads, positions, size], and the logarithm of every
/// row's sum of exponentials, [batch, heads, positions], infinity for a row that sees nothing, whose result is zero.
/// `key` and `value` may have fewer heads, of which query's are a multiple. `mask`, undefined or [batch, heads,
/// positions of query, of key] with any strides, is added or, if bool, keeps where true; `is_causal` hides what comes
/// later. All others are dense, of one dtype, float32 or float64, none of them empty. The bits do not depend on
/// threads.
inline constinit Kernel<decltype(cpu::tiled_attention), Writes<0, 1>> tiled_attention{"scaled_dot_product_attention",
                                                                                      &cpu::tiled_attention};
/// Gradients of query, key and value for that of `out`; out and normalizers are what the forward kernel made.
inline constinit Kernel<decltype(cpu::tiled_attention_backward), Writes<0, 1, 2>> tiled_attention_backward{
    "scaled_dot_product_attention", &cpu::tiled_attention_backward};

// The same with weights of which each is dropped with probability `p`, 0 < p < 1, and grows by 1 / (1 - p) else; rows
// are normalized before. No weights are kept: `drawn`, int64 [2], is filled with what all of them follow from. Devices
// that have these have all three; elsewhere weights are a matrix that dropout multiplies.
inline constinit Kernel<void(const Tensor& out, const Tensor& normalizers, const Tensor& drawn, const Tensor& query,
                             const Tensor& key, const Tensor& value, const Tensor& mask, bool is_causal, double scale,
                             double p)>
    dropped_attention{"scaled_dot_product_attention"};
inline constinit Kernel<void(const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                             const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
                             const Tensor& mask, const Tensor& out, const Tensor& normalizers, const Tensor& drawn,
                             bool is_causal, double scale, double p)>
    dropped_attention_backward{"scaled_dot_product_attention"};
/// `factors` [batch, heads, positions of query, of key], dense, is filled with what weights were multiplied by.
inline constinit Kernel<void(const Tensor& factors, const Tensor& drawn, double p)> dropped_attention_factors{
    "scaled_dot_product_attention"};
} // namespace kernels

} // namespace reel
