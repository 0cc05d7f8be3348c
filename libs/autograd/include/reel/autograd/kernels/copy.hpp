// Kernels of copies and fills.
#pragma once

#include <reel/autograd/kernel.hpp>
#include <reel/autograd/scalar.hpp>

namespace reel {

namespace cpu {
void copy(const Tensor& dst, const Tensor& src, bool non_blocking);
void fill(const Tensor& dst, const Scalar& value);
} // namespace cpu

namespace kernels {
/// dst[i] = src[i]; both have the same sizes, any strides and dtypes. Floats truncate into integers, complex numbers
/// drop their imaginary parts, anything but zero is true. A device's function copies between its memory and the host's
/// and between devices of its kind, too, in the order of the current streams: host memory may be read or freed when it
/// returns, unless it is page-locked and `non_blocking` says that the caller waits for the stream before reading it.
inline constinit Kernel<decltype(cpu::copy), Writes<0>> copy{"copy", &cpu::copy};
/// dst[i] = value, in the dtype of `dst`, any strides.
inline constinit Kernel<decltype(cpu::fill), Writes<0>> fill{"fill", &cpu::fill};
} // namespace kernels

} // namespace reel
