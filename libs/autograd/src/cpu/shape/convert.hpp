// Conversion of dense elements between dtypes, by the kernels of the instruction set.
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

/// to[i] = from[i] for i < n.
using ConvertFn = void (*)(void* to, const void* from, std::int64_t n);
/// By target and source: among the floating dtypes, from integers and bool to float32 and float64, from these two to
/// complex numbers of theirs, and from all of these to bool. Others are null.
inline constinit ConvertFn convert_kernels[num_scalar_types][num_scalar_types]{};
inline ConvertFn convert_kernel(ScalarType to, ScalarType from) { return convert_kernels[int(to)][int(from)]; }

} // namespace reel::cpu
