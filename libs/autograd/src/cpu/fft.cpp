// Which transforms are in use.
#include "cpu/fft.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include <reel/autograd/error.hpp>

namespace reel {

namespace {
std::atomic<const FftKernels*> chosen{nullptr}; // null: our own, which may not be there yet when others are loaded
} // namespace

const FftKernels& fft_kernels() {
    const FftKernels* const k = chosen.load(std::memory_order_acquire);
    return k ? *k : cpu::own_fft_kernels;
}
void set_fft_kernels(const FftKernels* kernels) {
    const auto whole = [](const auto& f) { return f.complex && f.from_real && f.to_real; };
    REEL_CHECK_VALUE(!kernels || (kernels->name && whole(kernels->f32) && whole(kernels->f64)),
                     "set_fft_kernels: ", kernels && kernels->name ? kernels->name : "a set without a name",
                     " lacks a function; expected complex, from_real and to_real of f32 and f64, and a name");
    chosen.store(kernels, std::memory_order_release);
}

namespace cpu {

namespace {
template <class T> const FftFunctions<T>& functions() {
    if constexpr (std::is_same_v<T, float>) return fft_kernels().f32;
    else return fft_kernels().f64;
}
bool is_empty(const FftAxes& dims, const FftAxes& batch) {
    const auto none = [](const FftAxis& a) { return a.n == 0; };
    return std::any_of(dims.begin(), dims.end(), none) || std::any_of(batch.begin(), batch.end(), none);
}
} // namespace

template <class T>
void fft_complex(const std::complex<T>* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch,
                 bool forward) {
    if (!is_empty(dims, batch)) functions<T>().complex(in, out, dims, batch, forward);
}
template <class T> void fft_real(const T* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch) {
    if (!is_empty(dims, batch)) functions<T>().from_real(in, out, dims, batch);
}
template <class T> void fft_to_real(std::complex<T>* in, T* out, const FftAxes& dims, const FftAxes& batch) {
    if (!is_empty(dims, batch)) functions<T>().to_real(in, out, dims, batch);
}

#define REEL_FFT(T)                                                                                                    \
    template void fft_complex<T>(const std::complex<T>*, std::complex<T>*, const FftAxes&, const FftAxes&, bool);      \
    template void fft_real<T>(const T*, std::complex<T>*, const FftAxes&, const FftAxes&);                             \
    template void fft_to_real<T>(std::complex<T>*, T*, const FftAxes&, const FftAxes&);
REEL_FFT(float)
REEL_FFT(double)
#undef REEL_FFT

} // namespace cpu

} // namespace reel
