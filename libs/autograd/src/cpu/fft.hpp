// Discrete Fourier transforms of strided memory, by FFTW.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace reel::cpu {

/// One dimension: how many elements (for real data that is the number of the real ones), and how far apart they are in
/// the input and in the output, counted in elements of each.
struct FftAxis {
    std::int64_t n, in, out;
};
using FftAxes = std::vector<FftAxis>;

/// out[..., k, ...] = sum_j in[..., j, ...] e^(-+2 pi i j k / n) over each of `dims`, for every index of `batch`; minus
/// for the forward transform. `in` may be `out` if their strides agree; it is kept otherwise. Nothing is scaled. The
/// bits do not depend on the number of threads.
void fft_complex(const std::complex<double>* in, std::complex<double>* out, FftAxes dims, FftAxes batch, bool forward);
void fft_complex(const std::complex<float>* in, std::complex<float>* out, FftAxes dims, FftAxes batch, bool forward);
/// The forward transform of real input; of the last of `dims` the elements 0 to n/2.
void fft_real(const double* in, std::complex<double>* out, FftAxes dims, FftAxes batch);
void fft_real(const float* in, std::complex<float>* out, FftAxes dims, FftAxes batch);
/// The backward transform to real output, from the elements 0 to n/2 of the last of `dims`. Overwrites `in`.
void fft_to_real(std::complex<double>* in, double* out, FftAxes dims, FftAxes batch);
void fft_to_real(std::complex<float>* in, float* out, FftAxes dims, FftAxes batch);

} // namespace reel::cpu
