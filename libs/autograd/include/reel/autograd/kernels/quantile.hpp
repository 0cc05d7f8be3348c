// The kernel of quantiles.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

/// What stands for a quantile that falls between two elements.
enum class QuantileInterpolation { Linear, Lower, Higher, Midpoint, Nearest };

/// The two neighbours of each quantile in each row: places within the row (int64), the weight of the upper one, and how
/// fast the rank moves with q (both of the rows' dtype). All are dense [rows..., quantiles].
struct QuantileNeighbours {
    Tensor below, above, weight, scale;
};

namespace cpu {
void quantile(const Tensor& rows, const Tensor& q, QuantileInterpolation how, bool ignore_nan,
              const QuantileNeighbours& found);
} // namespace cpu

namespace kernels {
/// Fills `found` for each row along the last dimension of `rows`, which is dense, not empty, float32 or float64; NaN
/// stand last. `q` is a float64 vector of numbers in [0, 1].
inline constinit Kernel<decltype(cpu::quantile), Answers> quantile{"quantile", &cpu::quantile};
} // namespace kernels

} // namespace reel
