// Kernels that count points by where they lie.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void histogram(const char* op, const Tensor& sums, const Tensor& cells, const Tensor& points, TensorList edges,
               const Tensor& weight);
void histc(const Tensor& out, const Tensor& input, double low, double high);
} // namespace cpu

namespace kernels {
/// Sorts points [n, dims] into the boxes between the ascending `edges` of each dimension: `sums`, one entry for each
/// box, counts them, or adds up `weight` [n] where that is defined; cells[i] (int64) is the box of point i in row-major
/// order, or -1 if it lies outside. The last bin of each dimension includes its upper edge. All are float64 and dense.
inline constinit Kernel<decltype(cpu::histogram), Writes<1, 2>> histogram{"histogram", &cpu::histogram};
/// How many elements of `input` fall into each of the equal bins between `low` and `high`, both included. `input` and
/// `out` are dense and of one floating dtype, in which positions are computed; a count is rounded once.
inline constinit Kernel<decltype(cpu::histc), Writes<0>> histc{"histc", &cpu::histc};
} // namespace kernels

} // namespace reel
