// The kernel of resampling along one dimension.
#pragma once

#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

/// Output position o is the sum over its taps k of weight * input[index], at entry o * per_output + k.
struct ResampleTaps {
    std::int64_t in, out, per_output;
    std::vector<std::int64_t> index;
    std::vector<double> weight;
};

namespace cpu {
void resample(const Tensor& out, const Tensor& x, const ResampleTaps& taps, std::int64_t inner, bool adjoint);
} // namespace cpu

namespace kernels {
/// From x [outer, in, inner] to out [outer, out, inner]; the adjoint map goes from [outer, out, inner] to [outer, in,
/// inner]. Both are dense, float32 or float64.
inline constinit Kernel<decltype(cpu::resample), Writes<0>> resample{"interpolate", &cpu::resample};
} // namespace kernels

} // namespace reel
