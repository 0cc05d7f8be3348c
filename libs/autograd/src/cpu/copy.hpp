// Copies between any strides and any dtypes.
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

/// dst[i] = src[i] over `shape`; strides in elements, outermost first. Conversions as in PyTorch: floats truncate into
/// integers, complex drops its imaginary part, anything non-zero is true.
void copy_strided(int ndim, const std::int64_t* shape, void* dst, const std::int64_t* dst_strides, ScalarType dst_type,
                  const void* src, const std::int64_t* src_strides, ScalarType src_type);

} // namespace reel::cpu
