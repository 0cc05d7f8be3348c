// Discrete Fourier transforms of strided memory, by whichever kernels are set.
#pragma once

#include <reel/autograd/fft_kernels.hpp>

namespace reel::cpu {

/// As FftFunctions says, by the kernels in use; empty axes are fine.
template <class T>
void fft_complex(const std::complex<T>* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch,
                 bool forward);
template <class T> void fft_real(const T* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch);
template <class T> void fft_to_real(std::complex<T>* in, T* out, const FftAxes& dims, const FftAxes& batch);

/// Reel's own transforms.
extern const FftKernels own_fft_kernels;

} // namespace reel::cpu
