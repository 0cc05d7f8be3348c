// Kernels of order: whole rows, their greatest elements, one element by rank.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

// `rows` holds dense rows of a real dtype; `values`, of the same dtype, and `indices` (int64, places within the row)
// hold dense rows of results. NaN counts as greatest.
namespace cpu {
void sort(const char* op, const Tensor& values, const Tensor& indices, const Tensor& rows, bool descending,
          bool stable);
void topk(const Tensor& values, const Tensor& indices, const Tensor& rows, bool largest, bool sorted);
void kthvalue(const Tensor& values, const Tensor& indices, const Tensor& rows, std::int64_t k);
} // namespace cpu

namespace kernels {
/// Whole rows in order; `stable`: equal elements keep theirs.
inline constinit Kernel<decltype(cpu::sort), Writes<1, 2>> sort{"sort", &cpu::sort};
/// As many of the greatest (or least) elements as the rows of results are long, in order if `sorted`.
inline constinit Kernel<decltype(cpu::topk), Writes<0, 1>> topk{"topk", &cpu::topk};
/// The k-th least element; results are rows of one.
inline constinit Kernel<decltype(cpu::kthvalue), Writes<0, 1>> kthvalue{"kthvalue", &cpu::kthvalue};
} // namespace kernels

} // namespace reel
