// Draws from gamma and Dirichlet distributions, with gradients along the path that a draw takes when the concentration
// moves and its quantile stays (M. Figurnov et al., "Implicit reparameterization gradients", 2018).
#pragma once

#include <optional>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::distributions::detail {

/// Draws of rate 1, one for each element of `concentration`.
Tensor standard_gamma(const Tensor& concentration, const Generator& generator);
/// Points of the simplex of the last dimension.
Tensor dirichlet(const Tensor& concentration, const Generator& generator);

} // namespace reel::distributions::detail
