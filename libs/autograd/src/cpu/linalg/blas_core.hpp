// Which processor OpenBLAS works for.
#pragma once

namespace reel::cpu {

/// Do its kernels use vectors of 512 bits? Releases older than a processor take it for another one: 0.3.21 takes a
/// Zen 5 for a Haswell, and does half of what it could.
bool blas_has_avx512();

} // namespace reel::cpu
