// Scaled dot-product attention in three ways.
#pragma once

#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::attention {

/// Products with softmax in between, for all devices. `mask` may be undefined; shapes have been checked.
Tensor by_products(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double dropout_p,
                   bool is_causal, double scale, bool enable_gqa);
struct Kind {
    double scale;
    bool is_causal, enable_gqa;
};
/// By the device's kernels, without other masks and dropout; undefined where it has none or does not take the case.
/// Gradients are the kernel's where it takes them, too; else, and those of higher orders, those of the products.
Tensor in_one_pass(const Tensor& query, const Tensor& key, const Tensor& value, const Kind& kind);
/// Without a matrix of all scores, where the device has kernels for that; undefined where they do not take the case: a
/// mask with a gradient, dimensions in front that are to be broadcast.
Tensor in_tiles(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, bool is_causal,
                double scale, bool enable_gqa);
/// Gradients of query, key and value, which are saved tensors 0 to 2, through `by_products`, on a tape of their own
/// that ends at the operands; recorded when they are to have gradients themselves.
autograd::GradList through_products(autograd::RuleContext& c, const Tensor& mask, bool is_causal, double scale,
                                    bool enable_gqa);

} // namespace reel::attention
