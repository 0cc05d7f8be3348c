// All parameters as one vector, and back.
#pragma once

#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::nn::utils {

/// The elements of all parameters, one after the other; differentiable. Errors: ValueError for an empty list.
Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Gives each parameter its slice of `vec` as its data; the parameters stay the same tensors.
/// Errors: ValueError when `vec` is not a vector of as many elements as the parameters have; nothing is changed then.
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

} // namespace reel::nn::utils
