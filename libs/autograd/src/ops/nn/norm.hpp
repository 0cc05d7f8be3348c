// What the normalisations share: shapes of moments and weights, and one recorded map.
#pragma once

#include <array>
#include <functional>

namespace reel::norm_layers {

/// How a call sees its input: the moments are over `stat_dims` of the view `stat_sizes`; weight and bias, shaped
/// `weight_shape`, multiply the view `affine_sizes` and their gradients sum over `affine_dims`.
struct Plan {
    Dims stat_sizes, stat_dims, affine_sizes, weight_shape, affine_dims;
    double eps = 1e-5;
    bool constant_stats = false; ///< mean and rstd are given, not computed from the input
};

/// 16-bit floats are normalised in float32.
ScalarType compute_dtype(ScalarType t);
/// `t` dense in `compute`; undefined stays undefined.
Tensor dense(const Tensor& t, ScalarType compute);

/// Gradients of input, weight and bias out of one fused kernel; nothing is recorded.
struct Wanted {
    bool input, weight, bias;
};
using Fused = std::function<std::array<Tensor, 3>(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                                  const Tensor& mean, const Tensor& rstd, Wanted wanted)>;
/// Records `out` = (input - mean) rstd weight + bias. First derivatives come from `fused`; when they are recorded
/// themselves, the same formula runs in tensor ops.
void record(const char* op, const Plan& plan, const Tensor& input, const Tensor& weight, const Tensor& bias,
            const Tensor& out, const Tensor& mean, const Tensor& rstd, Fused fused);

} // namespace reel::norm_layers
