// Kernels of Fourier transforms.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

// Transforms over `dims`, at least one, of x, whose elements may lie with any strides but each in a place of its own;
// `y`, which is dense, is filled, and multiplied by `scale`. Complex tensors are complex64 or complex128, real ones of
// the same precision.
namespace cpu {
void fft_c2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, bool forward, double scale);
void fft_r2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale);
void fft_r2c_whole(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale);
void fft_c2r(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale);
} // namespace cpu

namespace kernels {
/// y[k] = scale sum_j x[j] e^(-+2 pi i j k / n), minus for the forward transform.
inline constinit Kernel<decltype(cpu::fft_c2c), Writes<1>> fft_c2c{"fft.fft", &cpu::fft_c2c};
/// The forward transform of real x; of the last of `dims` the elements 0 to n/2.
inline constinit Kernel<decltype(cpu::fft_r2c), Writes<1>> fft_r2c{"fft.rfft", &cpu::fft_r2c};
/// The forward transform of real x, all of it; for devices that have it in one.
inline constinit Kernel<decltype(cpu::fft_r2c_whole), Writes<1>> fft_r2c_whole{"fft.fft", &cpu::fft_r2c_whole};
/// The backward transform to real y from the elements 0 to n/2 of the last of `dims`. May overwrite x.
inline constinit Kernel<decltype(cpu::fft_c2r), Writes<1>> fft_c2r{"fft.irfft", &cpu::fft_c2r};
} // namespace kernels

} // namespace reel
