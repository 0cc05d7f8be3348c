// The kernel of products of columns.
#pragma once

#include <cstdint>

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void prod_of_columns(const Tensor& out, const Tensor& operand, std::int64_t rows);
} // namespace cpu

namespace kernels {
/// The product of elements i, i + n, ... of the operand, which has `rows` rows of the n elements of `out`: the bits
/// that `prod` gives for these elements in a row. Numbers of one real dtype. A device without it reduces the rows of a
/// transposed copy.
inline constinit Kernel<decltype(cpu::prod_of_columns), Writes<0>> prod_of_columns{"prod", &cpu::prod_of_columns};
} // namespace kernels

} // namespace reel
