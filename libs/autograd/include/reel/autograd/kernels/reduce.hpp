// Kernels of reductions along rows: products, truth, extrema, order, spread, norms. Sums have a header of their own.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

// `out[i]` is the result of row i, which are elements i * inner to (i + 1) * inner of `rows`; both are dense. 16-bit
// floats compute in float32. Where a result is a place, it is that within the row, and `out` is int64.
namespace cpu {
void prod(const Tensor& out, const Tensor& rows, std::int64_t inner);
void all(const Tensor& out, const Tensor& rows, std::int64_t inner);
void any(const Tensor& out, const Tensor& rows, std::int64_t inner);
void count_nonzero(const Tensor& out, const Tensor& rows, std::int64_t inner);
void extremum(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool largest);
void extremum_of_columns(const char* op, const Tensor& out, const Tensor& operand, std::int64_t rows, bool largest);
void extremum_place(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool largest);
void median_place(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool ignore_nan);
void mode_place(const Tensor& out, const Tensor& rows, std::int64_t inner);
void variance(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, double correction, bool root);
void vector_norm(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, double p);
void logsumexp(const Tensor& out, const Tensor& rows, std::int64_t inner);
} // namespace cpu

namespace kernels {
/// The product; both have one dtype, any: integers wrap, bool multiplies by `and`.
inline constinit Kernel<decltype(cpu::prod), Writes<0>> prod{"prod", &cpu::prod};
/// Do all elements hold? `rows` is bool, `out` bool or uint8.
inline constinit Kernel<decltype(cpu::all), Writes<0>> all{"all", &cpu::all};
/// Does any element hold? `rows` is bool, `out` bool or uint8.
inline constinit Kernel<decltype(cpu::any), Writes<0>> any{"any", &cpu::any};
/// How many elements hold; `rows` is bool, `out` int64.
inline constinit Kernel<decltype(cpu::count_nonzero), Writes<0>> count_nonzero{"count_nonzero", &cpu::count_nonzero};
/// The greatest or the least element, a NaN if there is one. Real dtypes; rows are not empty.
inline constinit Kernel<decltype(cpu::extremum), Writes<1>> extremum{"amax", &cpu::extremum};
/// The same of elements i, i + n, ... of the operand, which has `rows` rows of the n elements of `out`. A device
/// without it reduces the rows of a transposed copy.
inline constinit Kernel<decltype(cpu::extremum_of_columns), Writes<1>> extremum_of_columns{"amax",
                                                                                           &cpu::extremum_of_columns};
/// The place of the first extremum, or of the first NaN.
inline constinit Kernel<decltype(cpu::extremum_place), Writes<1>> extremum_place{"argmax", &cpu::extremum_place};
/// A place of the lower median, NaN counting as greatest; of the first NaN unless those are to be ignored.
inline constinit Kernel<decltype(cpu::median_place), Writes<1>> median_place{"median", &cpu::median_place};
/// A place of the most frequent element, of the least such element.
inline constinit Kernel<decltype(cpu::mode_place), Writes<0>> mode_place{"mode", &cpu::mode_place};
/// Sum of |x - mean|^2 over max(0, inner - correction), or its root, in float64. `rows` is floating or complex, `out`
/// real.
inline constinit Kernel<decltype(cpu::variance), Writes<1>> variance{"var", &cpu::variance};
/// (Sum of |x|^p)^(1/p) in float64; the count of what is not zero for p = 0, extrema for infinities. `rows` is floating
/// or complex, `out` real.
inline constinit Kernel<decltype(cpu::vector_norm), Writes<1>> vector_norm{"linalg.vector_norm", &cpu::vector_norm};
/// log(sum(exp)) without overflow; both have one floating or complex dtype.
inline constinit Kernel<decltype(cpu::logsumexp), Writes<0>> logsumexp{"logsumexp", &cpu::logsumexp};
} // namespace kernels

} // namespace reel
