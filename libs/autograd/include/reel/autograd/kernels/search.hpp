// Kernels that look elements up: positions in sorted rows, membership, places of what is not zero, distinct rows.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

/// The distinct ones among rows: the first place of each, which of them each row is, and how many rows each stands for.
struct DistinctRows {
    Tensor first, inverse, counts;
};

namespace cpu {
void searchsorted(const char* op, const Tensor& out, const Tensor& sequence, const Tensor& values, const Tensor& order,
                  bool right);
void isin(const Tensor& out, const Tensor& elements, const Tensor& among, bool invert);
Tensor nonzero(const char* op, const Tensor& input, std::int64_t limit);
DistinctRows unique(const char* op, const Tensor& rows, bool sort);
} // namespace cpu

namespace kernels {
/// out[i] (int64) = where values[i] goes into its row of `sequence`, before equal elements, or behind them if `right`.
/// There is one row, or one for each row of `values`; `order` (int64, or undefined) sorts them. All are dense; sequence
/// and values have one real dtype.
inline constinit Kernel<decltype(cpu::searchsorted), Writes<1>> searchsorted{"searchsorted", &cpu::searchsorted};
/// out[i] (bool) = does elements[i] occur in `among`, or does it not if `invert`? Dense, of one real dtype.
inline constinit Kernel<decltype(cpu::isin), Writes<1>> isin{"isin", &cpu::isin};
/// The coordinates of what is not zero in row-major order, one row of int64 each; at most `limit` of them unless that
/// is negative. Any dtype and strides.
inline constinit Kernel<decltype(cpu::nonzero), Answers> nonzero{"nonzero", &cpu::nonzero};
/// The distinct ones among dense rows [n, length], neither empty, in lexicographic order (NaN counts as greatest, and
/// as a value of its own each time), or of runs of equal neighbours alone. All results are int64.
inline constinit Kernel<decltype(cpu::unique), Answers> unique{"unique", &cpu::unique};
} // namespace kernels

} // namespace reel
