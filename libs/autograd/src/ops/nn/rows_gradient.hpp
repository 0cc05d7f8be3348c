// The gradient of a table of which few rows were used.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// A sparse tensor of shape `sizes`, `[rows, width]`, with row `g[k]` at `rows[k]` for each k whose row is not
/// `padding`.
Tensor rows_gradient(IntArrayRef sizes, const Tensor& rows, const Tensor& g, std::int64_t padding);

} // namespace reel::detail
