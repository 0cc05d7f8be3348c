// Batches of products so small that calling a library for each takes longest.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::cpu {

/// out [batch, m, n], dense, = a [batch, m, k] b [batch, k, n]; false, with nothing done, unless the matrices are small
/// and float32 or float64. The bits do not depend on threads, nor on where the elements lie.
bool small_products(const Tensor& out, const Tensor& a, const Tensor& b);

} // namespace reel::cpu
