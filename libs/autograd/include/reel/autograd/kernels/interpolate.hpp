// The kernel of resampling along the last dimensions.
#pragma once

#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

/// What positions along one dimension are made of: output o is the sum over k < per_output of weight[e] * x[index[e]],
/// e being o * per_output + k.
struct ResampleTaps {
    std::int64_t in, out, per_output;
    std::vector<std::int64_t> index;
    std::vector<double> weight;
};
/// Of neighbouring dimensions, in their order.
using TapsOfDimensions = std::vector<ResampleTaps>;

namespace cpu {
void resample(const Tensor& out, const Tensor& x, const TapsOfDimensions& taps, bool adjoint);
} // namespace cpu

namespace kernels {
/// Resamples the last dimensions of x, one of `taps` for each, from sizes `in` to sizes `out`, the last one first; the
/// adjoint map goes from `out` to `in`, the first one first. Both tensors are dense, float32 or float64; the sizes in
/// between are the caller's to check.
inline constinit Kernel<decltype(cpu::resample), Writes<0>> resample{"interpolate", &cpu::resample};
} // namespace kernels

} // namespace reel
