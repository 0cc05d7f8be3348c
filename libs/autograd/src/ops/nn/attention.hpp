// Scaled dot-product attention in three ways.
#pragma once

#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::attention {

/// How a call attends.
struct Kind {
    double scale;
    bool is_causal, enable_gqa;
    double dropout_p = 0;
};
/// Products with softmax in between, for all devices. `mask` may be undefined; shapes have been checked. Weights are
/// multiplied by `factors`, where they are defined, else dropped as `kind` says.
Tensor by_products(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, const Kind& kind,
                   const Tensor& factors = {});
/// By the device's kernels, without other masks and dropout; undefined where it has none or does not take the case.
/// Gradients are the kernel's where it takes them, else those in tiles, else, and those of higher orders, those of the
/// products.
Tensor in_one_pass(const Tensor& query, const Tensor& key, const Tensor& value, const Kind& kind);
/// Without a matrix of all scores, where the device has kernels for that; undefined where they do not take the case: a
/// mask with a gradient, dimensions in front that are to be broadcast, dropout on devices whose kernels drop nothing.
Tensor in_tiles(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, const Kind& kind);
/// Gradients of query, key and value in tiles, where the device has kernels for that, else through products. Saved are
/// query, key, value, mask, the result, the logarithms of the rows' sums and what was drawn, which may be missing.
autograd::GradList gradients_in_tiles(autograd::RuleContext& c, const Kind& kind);

} // namespace reel::attention
