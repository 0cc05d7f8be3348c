// Masks of attention as numbers that are added to the scores.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// A bool mask (true: not to be seen) as -inf and 0 in `dtype`; floating and undefined ones as they are.
/// Errors: Error for integers, naming `where` and `name`.
Tensor additive_mask(const Tensor& mask, const char* where, const char* name, ScalarType dtype);

} // namespace reel::detail
