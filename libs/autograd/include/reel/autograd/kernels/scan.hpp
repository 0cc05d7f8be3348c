// Kernels of scans: running results along rows.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

// All tensors are dense and have one shape; the last dimension is scanned. But for places, all have one dtype.
namespace cpu {
void cumsum(const Tensor& out, const Tensor& rows, bool backwards);
void cumprod(const Tensor& out, const Tensor& rows);
void running_extremum(const char* op, const Tensor& values, const Tensor& places, const Tensor& rows, bool largest);
void logcumsumexp(const Tensor& out, const Tensor& rows);
void recurrence(const Tensor& out, const Tensor& rows, const Tensor& factors, bool backwards);
void reverse(const Tensor& out, const Tensor& rows);
} // namespace cpu

namespace kernels {
/// Running sums from the start, or from the end. Floats are added up wider than they are, integers wrap.
inline constinit Kernel<decltype(cpu::cumsum), Writes<0>> cumsum{"cumsum", &cpu::cumsum};
/// Running products.
inline constinit Kernel<decltype(cpu::cumprod), Writes<0>> cumprod{"cumprod", &cpu::cumprod};
/// The greatest or least element so far and where it is (int64): the last of equals; a NaN stays. Real dtypes.
inline constinit Kernel<decltype(cpu::running_extremum), Writes<1, 2>> running_extremum{"cummax",
                                                                                        &cpu::running_extremum};
/// log of the running sums of exp. Floating and complex dtypes.
inline constinit Kernel<decltype(cpu::logcumsumexp), Writes<0>> logcumsumexp{"logcumsumexp", &cpu::logcumsumexp};
/// out[i] = rows[i] + factors[i] out[i - 1], or out[i + 1] when it runs backwards; the first factor is not read.
/// Floating and complex dtypes.
inline constinit Kernel<decltype(cpu::recurrence), Writes<0>> recurrence{"recurrence", &cpu::recurrence};
/// The elements in opposite order, any dtype.
inline constinit Kernel<decltype(cpu::reverse), Writes<0>> reverse{"reverse", &cpu::reverse};
} // namespace kernels

} // namespace reel
