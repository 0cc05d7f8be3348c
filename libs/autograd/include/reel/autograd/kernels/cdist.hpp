// The kernel of distances between rows.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void cdist(const Tensor& out, const Tensor& x1, const Tensor& x2);
} // namespace cpu

namespace kernels {
/// out [B, P, R]: Euclidean distances of the rows of x1 [B, P, M] from those of x2 [B, R, M]. All are dense float32.
/// Differences are squared and added up in blocks of 16, so that nothing cancels; equal rows have distance zero. The
/// bits do not depend on the number of threads. A device without it multiplies matrices in float64.
inline constinit Kernel<decltype(cpu::cdist), Writes<0>> cdist{"cdist", &cpu::cdist};
} // namespace kernels

} // namespace reel
