// What the two kinds of weight and spectral norm share.
#pragma once

#include <optional>

#include <reel/autograd/tensor.hpp>
#include <reel/nn/fwd.hpp>

namespace reel::nn::utils {

/// The norms over all dimensions but `dim`, which keeps its place; over all for none.
Tensor norm_except_dim(const Tensor& v, std::optional<std::int64_t> dim);
/// g v / |v|.
Tensor weight_of(const Tensor& g, const Tensor& v, std::optional<std::int64_t> dim);

/// The weight as a matrix whose rows are dimension `dim`.
Tensor matrix_of(const Tensor& weight, std::int64_t dim);
/// `steps` of the power method on u and v, in place and not recorded.
void power_method(const Tensor& matrix, const Tensor& u, const Tensor& v, std::int64_t steps, double eps);
/// weight / u^T matrix v; u and v as they are now.
Tensor divided_by_sigma(const Tensor& weight, const Tensor& matrix, const Tensor& u, const Tensor& v);
/// A random unit vector of `size` elements like `t`.
Tensor random_direction(const Tensor& t, std::int64_t size, double eps);
/// The dimension of outputs of the layer's weight: 1 for transposed convolutions, 0 for others.
std::int64_t output_dim(const Module& module);
/// `dim` from the front. Errors: IndexError.
std::int64_t checked_dim(const char* what, const Tensor& weight, std::int64_t dim);

} // namespace reel::nn::utils
