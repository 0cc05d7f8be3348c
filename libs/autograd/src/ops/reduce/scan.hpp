// Scans that other rules build on.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel {

/// Running sums from the end: out[i] = x[i] + ... + x[n - 1]. Differentiable.
Tensor reverse_cumsum(const Tensor& x, std::int64_t dim);
/// The elements along `dim` in opposite order. Differentiable.
Tensor reverse(const Tensor& x, std::int64_t dim);

} // namespace reel
