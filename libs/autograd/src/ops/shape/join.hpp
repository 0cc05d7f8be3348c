// What joining tensors shares, along a dimension that they have or along a new one.
#pragma once

#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::shape {

/// Throws in the name of `op` unless there are tensors, defined ones on one device.
void check_list(const char* op, TensorList tensors);
/// The dtype that holds all of them by the promotion rules.
ScalarType common_dtype(TensorList tensors);
/// Which of them are complex: the others' gradients are real parts.
std::vector<bool> complex_ones(TensorList tensors);
/// Writes them into `out` block by block, where the device can.
bool joined_as_blocks(const Tensor& out, TensorList tensors, std::int64_t d);

} // namespace reel::shape
