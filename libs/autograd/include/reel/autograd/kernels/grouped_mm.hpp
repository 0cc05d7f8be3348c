// The kernel of products of groups of matrices.
#pragma once

#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

/// The bounds of the groups of a dimension of `n`, whose ends `offs` (int32, on the CPU) has: where the first begins,
/// where each ends. Error for those that go down or leave the dimension.
std::vector<std::int64_t> group_bounds(const Tensor& offs, std::int64_t n);

namespace cpu {
void grouped_mm(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& offs);
} // namespace cpu

namespace kernels {
/// One matrix product for each group; group i of the dimension that is cut ends at `offs[i]` (int32, dense) and begins
/// where the one before it ends. By the number of dimensions of `a` and `b`: 2 and 3 cuts the rows of `a` and `out`, 3
/// and 2 the columns of `b` and `out`, 2 and 2 the columns of `a` and the rows of `b`, and `out` has a matrix for each
/// group. `out` is dense, `a` and `b` have any strides; one dtype, for which `mm` has loops. What lies behind the last
/// group counts as zeros. Checks the offsets, since only the kernel may read them: they must not go down nor leave the
/// dimension. The bits do not depend on the number of threads.
inline constinit Kernel<decltype(cpu::grouped_mm), Writes<0>> grouped_mm{"grouped_mm", &cpu::grouped_mm};
} // namespace kernels

} // namespace reel
