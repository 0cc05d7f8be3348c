// Scaled dot-product attention in two ways.
#pragma once

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

} // namespace reel::attention
