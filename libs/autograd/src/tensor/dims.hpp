// Dimensions by number, and strides of dense tensors.
#pragma once

#include <reel/autograd/array_ref.hpp>
#include <reel/autograd/tensor_options.hpp>

namespace reel::detail {

Dims contiguous_strides(IntArrayRef sizes);
/// Strides of a dense tensor in `format`; Preserve gives row-major ones. Throws Error where the rank does not fit.
Dims strides_of(IntArrayRef sizes, MemoryFormat format);
/// `dim` in [0, rank); throws IndexError naming `op` and the range. Rank 0 counts as 1.
std::int64_t wrap_dim(const char* op, std::int64_t dim, std::int64_t rank);
Dims wrap_dims(const char* op, IntArrayRef dims, std::int64_t rank);

} // namespace reel::detail
