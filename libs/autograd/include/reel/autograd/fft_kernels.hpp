// The Fourier transforms underneath `fft.*` and `stft`, and how another library puts its own in their place.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace reel {

/// One dimension: how many elements (for real data that is the number of the real ones), and how far apart they are in
/// the input and in the output, counted in elements of each.
struct FftAxis {
    std::int64_t n, in, out;
};
using FftAxes = std::vector<FftAxis>;

/// Transforms of strided memory, none of them scaled, over each of `dims` for every index of `batch`. None of the axes
/// is empty, and there is at least one in `dims`. The bits of a result must not depend on the number of threads; calls
/// come from any number of threads at once.
template <class T> struct FftFunctions {
    /// out[..., k, ...] = sum_j in[..., j, ...] e^(-+2 pi i j k / n), minus for the forward transform. `in` may be
    /// `out` if their strides agree; it is kept otherwise.
    void (*complex)(const std::complex<T>* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch,
                    bool forward) = nullptr;
    /// The forward transform of real input; of the last of `dims` the elements 0 to n/2. Keeps `in`.
    void (*from_real)(const T* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch) = nullptr;
    /// The backward transform to real output, from the elements 0 to n/2 of the last of `dims`. May overwrite `in`.
    void (*to_real)(std::complex<T>* in, T* out, const FftAxes& dims, const FftAxes& batch) = nullptr;
};

/// A complete set of transforms.
struct FftKernels {
    const char* name = nullptr; ///< "reel", "fftw"
    FftFunctions<float> f32;
    FftFunctions<double> f64;
};

/// The transforms in use: Reel's own, or those set last.
const FftKernels& fft_kernels();
/// Takes the place of the transforms in use; `kernels` must outlive all calls. Null brings Reel's own back. A library
/// calls it when it is loaded, as `libreel_fftw` does. Throws ValueError if a function is missing.
void set_fft_kernels(const FftKernels* kernels);

} // namespace reel
