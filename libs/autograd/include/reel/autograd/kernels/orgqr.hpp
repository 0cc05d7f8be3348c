// The kernel of products of reflections.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void orgqr(const Tensor& a, const Tensor& tau);
} // namespace cpu

namespace kernels {
/// `a` [..., columns, m], each matrix column by column, becomes the first columns of the product of the reflections in
/// its first k columns, whose factors are `tau` [..., k], as geqrf leaves them; k <= columns <= m. Devices without it
/// apply one reflection after the other.
inline constinit Kernel<decltype(cpu::orgqr), Writes<0>> orgqr{"linalg.qr", &cpu::orgqr};
} // namespace kernels

} // namespace reel
