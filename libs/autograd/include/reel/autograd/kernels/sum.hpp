// Kernels of sums.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void sum_rows(const Tensor& out, const Tensor& operand, std::int64_t inner);
void sum_columns(const Tensor& out, const Tensor& operand, std::int64_t rows, std::int64_t cols);
void sum_of_numbers(const Tensor& out, const Tensor& operand, std::int64_t inner, std::int64_t cols);
} // namespace cpu

namespace kernels {
/// out[i] = the sum of elements i * inner to (i + 1) * inner of the operand. Both are dense and have one dtype; 16-bit
/// floats add up in float32, integers wrap. A row's sum does not depend on the number of threads.
inline constinit Kernel<decltype(cpu::sum_rows), Writes<0>> sum_rows{"sum", &cpu::sum_rows};
/// The sums of the columns of each matrix of `rows` by `cols` elements that the operand is made of, one after the
/// other. Both are dense and have one floating dtype. A device without it sums the rows of a transposed copy.
inline constinit Kernel<decltype(cpu::sum_columns), Writes<0>> sum_columns{"sum", &cpu::sum_columns};
/// The same sums of `inner` elements each, of rows (cols is 0) or of columns of matrices with so many, in which NaN
/// counts as zero: the bits that they have where zeros are written in its place. One floating dtype; 16-bit floats by
/// rows only. A device without it replaces NaN first.
inline constinit Kernel<decltype(cpu::sum_of_numbers), Writes<0>> sum_of_numbers{"nansum", &cpu::sum_of_numbers};
} // namespace kernels

} // namespace reel
