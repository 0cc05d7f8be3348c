// The kernel of pooling over windows at random places.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

/// `planes` images of two or three dimensions (of two the first has size 1), windows of size `kernel` in each.
struct FractionalPoolGeometry {
    std::int64_t planes, rank, in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
};

namespace cpu {
void fractional_max_pool(const char* op, const FractionalPoolGeometry& g, const Tensor& places, const Tensor& input,
                         const Tensor& samples);
} // namespace cpu

namespace kernels {
/// Fills `places` (int64 [planes, windows]) with the place in its image of each window's greatest element; a NaN is the
/// greatest. `samples` [planes, rank] in [0, 1), of the input's floating dtype, say where windows start: for the width
/// first where there are two dimensions, for the depth first where there are three. All are dense.
inline constinit Kernel<decltype(cpu::fractional_max_pool), Writes<2>> fractional_max_pool{"fractional_max_pool2d",
                                                                                           &cpu::fractional_max_pool};
} // namespace kernels

} // namespace reel
