// Products of a sparse matrix and a strided one.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// The product of two matrices of which one is sparse: strided, computed from the values that there are, so that it
/// costs what the non-zero entries cost. The sparse one has one sparse dimension (rows, as gradients of tables have
/// them) or two. Gradients reach both. NotImplementedError, naming `op`, where both are sparse.
Tensor mm_sparse(const char* op, const Tensor& a, const Tensor& b);

} // namespace reel::detail
