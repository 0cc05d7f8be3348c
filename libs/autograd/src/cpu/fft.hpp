// Discrete Fourier transforms of dense rows.
#pragma once

#include <complex>
#include <cstdint>

namespace reel::cpu {

/// data[r][k] = scale sum_j data[r][j] e^(-+2 pi i j k / n) in place for `rows` rows of n; minus for the forward
/// transform. O(n log n) for every n; float32 rows are transformed in double precision.
void fft_rows(std::complex<double>* data, std::int64_t rows, std::int64_t n, bool forward, double scale);
void fft_rows(std::complex<float>* data, std::int64_t rows, std::int64_t n, bool forward, double scale);

} // namespace reel::cpu
