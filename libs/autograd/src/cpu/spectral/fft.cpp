// Fourier transforms of tensors, by whichever functions are in use.
#include "cpu/spectral/fft.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <type_traits>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/fft.hpp>
#include <reel/autograd/parallel.hpp>

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

namespace {

/// What the functions are told about a transform over `dims`; `sizes` are those of the side that is real, if one is.
struct Axes {
    FftAxes dims, batch;
    Axes(IntArrayRef over, IntArrayRef sizes, const Tensor& in, const Tensor& out) {
        std::vector<bool> transformed(sizes.size());
        for (const std::int64_t d : over) {
            dims.push_back({sizes[std::size_t(d)], in.stride(d), out.stride(d)});
            transformed[std::size_t(d)] = true;
        }
        for (std::int64_t d = 0; d < std::int64_t(sizes.size()); ++d)
            if (!transformed[std::size_t(d)]) batch.push_back({sizes[std::size_t(d)], in.stride(d), out.stride(d)});
    }
};
/// f(float{}) or f(double{}), as the tensor's numbers are.
template <class F> void with_precision(const Tensor& t, F f) {
    if (t.scalar_type() == kDouble || t.scalar_type() == kComplexDouble) f(double{});
    else f(float{});
}
void multiply(const char* op, const Tensor& dense, double scale) {
    if (scale == 1) return;
    with_precision(dense, [&](auto zero) {
        using T = decltype(zero);
        T* const p = static_cast<T*>(host_data(dense, op));
        const std::int64_t n = dense.numel() * (dense.is_complex() ? 2 : 1);
        parallel_for(0, n, 32768, [=](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) p[i] *= T(scale);
        });
    });
}

/// Of the spectrum of real numbers the elements from `half` on of the last of `dims`: each is the conjugate of its
/// mirror image in all of them.
template <class T> void mirror(std::complex<T>* const p, const Tensor& y, IntArrayRef dims, std::int64_t half) {
    const std::int64_t last = dims.back(), n = y.size(last), step = y.stride(last), lines = y.numel() / n;
    std::vector<bool> mirrored(y.sizes().size());
    for (const std::int64_t d : dims) mirrored[std::size_t(d)] = true;
    parallel_for(0, lines, std::max<std::int64_t>(1, 32768 / n), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
            std::int64_t rest = line, to = 0, from = 0;
            for (std::int64_t d = y.dim() - 1; d >= 0; --d) {
                if (d == last) continue;
                const std::int64_t size = y.size(d), i = rest % size;
                rest /= size;
                to += i * y.stride(d);
                from += (mirrored[std::size_t(d)] && i > 0 ? size - i : i) * y.stride(d);
            }
            for (std::int64_t k = half; k < n; ++k) p[to + k * step] = std::conj(p[from + (n - k) * step]);
        }
    });
}

} // namespace

void fft_c2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, bool forward, double scale) {
    const Axes axes(dims, x.sizes(), x, y);
    with_precision(x, [&](auto zero) {
        using C = std::complex<decltype(zero)>;
        fft_complex(host_data<C>(x, op), host_data<C>(y, op), axes.dims, axes.batch, forward);
    });
    multiply(op, y, scale);
}
void fft_r2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale) {
    const Axes axes(dims, x.sizes(), x, y);
    with_precision(x, [&](auto zero) {
        using T = decltype(zero);
        fft_real(host_data<T>(x, op), host_data<std::complex<T>>(y, op), axes.dims, axes.batch);
    });
    multiply(op, y, scale);
}
void fft_r2c_whole(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale) {
    if (y.numel() == 0) return;
    const std::int64_t half = y.size(dims.back()) / 2 + 1;
    const Axes axes(dims, x.sizes(), x, y);
    with_precision(x, [&](auto zero) {
        using T = decltype(zero);
        std::complex<T>* const to = host_data<std::complex<T>>(y, op);
        fft_real(host_data<T>(x, op), to, axes.dims, axes.batch);
        mirror(to, y, dims, half);
    });
    multiply(op, y, scale);
}
void fft_c2r(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale) {
    const Axes axes(dims, y.sizes(), x, y);
    with_precision(x, [&](auto zero) {
        using T = decltype(zero);
        fft_to_real(host_data<std::complex<T>>(x, op), host_data<T>(y, op), axes.dims, axes.batch);
    });
    multiply(op, y, scale);
}

} // namespace cpu

} // namespace reel
