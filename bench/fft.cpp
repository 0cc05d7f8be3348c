// Fourier transforms, Reel's own beside FFTW's where libreel_fftw was built: `reel-bench 1 fft`.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <dlfcn.h>

#include <reel/autograd/fft_kernels.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

namespace {

/// FFTW's, which take their place when the library is loaded; null without it. Leaves Reel's own in use.
const FftKernels* fftw() {
    static const FftKernels* const theirs = [] {
        const bool there = dlopen("libreel_fftw.so", RTLD_NOW) != nullptr;
        const FftKernels* const found = there ? &fft_kernels() : nullptr;
        set_fft_kernels(nullptr);
        return found;
    }();
    return theirs;
}
template <class T> const FftFunctions<T>& functions(const FftKernels& k) {
    if constexpr (sizeof(T) == 4) return k.f32;
    else return k.f64;
}
double once_us(const std::function<void()>& f, int calls) {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    for (int i = 0; i < calls; ++i) f();
    return std::chrono::duration<double, std::micro>(clock::now() - start).count() / calls;
}
/// The least times of each in turn, since another program on the machine makes all of them longer.
void compare(const std::string& name, const std::function<void(const FftKernels&)>& f) {
    if (!wanted(name.c_str())) return;
    const FftKernels *const theirs = fftw(), *const ours = &fft_kernels();
    double best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    f(*ours); // plans are made
    const double first = once_us([&] { f(*ours); }, 1);
    const int calls = std::max(1, int(300 / std::max(first, 0.05))), turns = first > 5000 ? 7 : 25;
    for (int turn = 0; turn < turns; ++turn) {
        best[0] = std::min(best[0], once_us([&] { f(*ours); }, calls));
        if (theirs) best[1] = std::min(best[1], once_us([&] { f(*theirs); }, calls));
    }
    row(name.c_str(), best[0]);
    if (!theirs) return;
    row((name + "_fftw").c_str(), best[1]);
    figure((name + "_ratio").c_str(), best[0] / best[1], "");
}

/// `lines` lines of n elements, or the last two dimensions of a square.
template <class T> struct Work {
    std::string name;
    FftAxes dims, batch;
    std::int64_t n, elements;
};
template <class T> void rows_of(const Work<T>& w) {
    const std::string kind = sizeof(T) == 4 ? "f32_" : "f64_";
    std::vector<std::complex<T>> x(std::size_t(w.elements)), y(std::size_t(2 * w.elements));
    std::vector<T> r(std::size_t(w.elements));
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = {T(std::sin(double(i))), T(std::cos(3 * double(i)))};
        r[i] = x[i].real();
    }
    compare("fft_" + kind + w.name,
            [&](const FftKernels& k) { functions<T>(k).complex(x.data(), y.data(), w.dims, w.batch, true); });
    if (w.dims.back().in != 1) return; // columns
    // half spectra lie densely, too
    const std::int64_t h = w.n / 2 + 1;
    const auto halved = [&](FftAxes axes) {
        for (FftAxis& a : axes)
            if (a.in != 1) a.out = a.in / w.n * h;
        return axes;
    };
    const FftAxes dims = halved(w.dims), batch = halved(w.batch);
    compare("rfft_" + kind + w.name,
            [&](const FftKernels& k) { functions<T>(k).from_real(r.data(), y.data(), dims, batch); });
    FftAxes back = dims, back_batch = batch;
    for (FftAxes* const axes : {&back, &back_batch})
        for (FftAxis& a : *axes) std::swap(a.in, a.out);
    compare("irfft_" + kind + w.name,
            [&](const FftKernels& k) { functions<T>(k).to_real(y.data(), r.data(), back, back_batch); });
}
template <class T> void all() {
    for (int e = 4; e <= 22; e += e < 12 ? 1 : 2)
        rows_of<T>({"2^" + std::to_string(e), {{1 << e, 1, 1}}, {}, 1 << e, 1 << e});
    for (const std::int64_t n : {97, 1000, 1536, 1994, 10007, 15015, 44100, 100000})
        rows_of<T>({std::to_string(n), {{n, 1, 1}}, {}, n, n});
    rows_of<T>({"512x512", {{512, 512, 512}, {512, 1, 1}}, {}, 512, 512 * 512});
    for (const std::int64_t n : {4, 8, 16, 25, 64, 100, 256})
        rows_of<T>({"10000_rows_of_" + std::to_string(n), {{n, 1, 1}}, {{10000, n, n}}, n, 10000 * n});
    for (const std::int64_t n : {8, 100, 512})
        rows_of<T>({"256_columns_of_" + std::to_string(n), {{n, 256, 256}}, {{256, 1, 1}}, n, 256 * n});
}

} // namespace

void fft() {
    all<float>();
    all<double>();
}

} // namespace bench
