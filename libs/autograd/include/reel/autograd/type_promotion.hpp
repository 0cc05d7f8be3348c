// The dtype that an operation on several operands computes in.
#pragma once

#include <reel/autograd/scalar.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

/// PyTorch's promotion: the category (bool < integer < floating < complex) is the highest of all operands; within it
/// dimensioned tensors count first, then 0-dim tensors, then numbers, which never raise the dtype within a category.
ScalarType result_type(const Tensor& a, const Tensor& b);
ScalarType result_type(const Tensor& a, const Scalar& b);
ScalarType result_type(const Scalar& a, const Tensor& b);
ScalarType result_type(const Scalar& a, const Scalar& b);
/// Of any number of tensors; Undefined for none.
ScalarType result_type(TensorList tensors);

} // namespace reel
