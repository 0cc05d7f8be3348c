// Comparing results with the reference under the tolerances of the specification.
#pragma once

#include <string>

#include <reel/autograd/tensor.hpp>

namespace replay {

struct Tolerance {
    double atol = 0, rtol = 0;
    bool relative_to_largest = false; ///< |b| is replaced by the largest finite |b| where that is larger
};

/// For outputs and in-place results.
Tolerance output_tolerance(reel::ScalarType dtype);
/// For gradients, second gradients and forward-mode tangents.
Tolerance gradient_tolerance();
/// For modules, optimizers and schedules.
Tolerance module_tolerance(reel::ScalarType dtype);

/// Empty when `got` equals `expected` within `tolerance` (dtype and shape exactly); else the first difference.
std::string difference(const reel::Tensor& got, const reel::Tensor& expected, const Tolerance& tolerance);

} // namespace replay
