// Products of matrices of whole numbers.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::cuda {

/// out = alpha a b + beta out, as `kernels::mm`, for integer dtypes; throws NotImplementedError for others.
void integer_mm(const Tensor& out, const Tensor& a, const Tensor& b, double alpha, double beta);

} // namespace reel::cuda
