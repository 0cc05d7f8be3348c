// Matrix products among the steps of a recording, and trials of them.
#pragma once

#include <reel/autograd/kernels/matmul.hpp>

#include "replay/kernel_calls.hpp"

namespace reel::jit::replay {

using Product = CallOf<void, const Tensor&, const Tensor&, const Tensor&, double, double>;
/// Its arguments.
enum ProductArgument : std::size_t { Out, Left, Right, Alpha, Beta };
/// The step's product of float32 or float64, or null.
Product* product_of(Step& step);

// --- Trials: the same numbers for every recording, so that what is found for a shape stays true

/// Numbers in the layout of `like`.
Tensor numbers(const Tensor& like, std::uint32_t seed);
/// Row by row.
Tensor copy_of(const Tensor& t);
bool same_bytes(const Tensor& a, const Tensor& b);

} // namespace reel::jit::replay
