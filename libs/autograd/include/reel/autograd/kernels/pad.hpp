// The kernels of borders that are taken from inside.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

/// One of the last dimensions: element i of the padded one, which has `from.size()`, shows element from[i] of `n`.
struct PaddedDim {
    std::int64_t n;
    std::vector<std::int64_t> from;
};
/// The last three dimensions, outermost first; those that there are not have one element.
struct PaddedDims {
    PaddedDim d[3];
};

namespace cpu {
void pad(const Tensor& out, const Tensor& x, const PaddedDims& dims);
void pad_adjoint(const Tensor& x, const Tensor& out, const PaddedDims& dims);
} // namespace cpu

namespace kernels {
/// Fills `out` with the elements of `x` that it shows; both are dense, of one dtype, equal before these dimensions. A
/// device without it picks slices, one dimension after the other.
inline constinit Kernel<decltype(cpu::pad), Writes<0>> pad{"pad", &cpu::pad};
/// Fills `x` with the sums of the elements of `out` that show it, in their order, whatever the number of threads:
/// float32, float64 and complex numbers of them.
inline constinit Kernel<decltype(cpu::pad_adjoint), Writes<0>> pad_adjoint{"pad", &cpu::pad_adjoint};
} // namespace kernels

} // namespace reel
