// Discrete Fourier transforms: mixed radix for small prime factors, a convolution (Bluestein) for large ones.
#include "cpu/fft.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

namespace {

using C = std::complex<double>;
constexpr double two_pi = 6.28318530717958647692;
constexpr std::int64_t largest_radix = 32;

/// Products without the library's detour for infinities.
C times(C x, C o) { return {x.real() * o.real() - x.imag() * o.imag(), x.real() * o.imag() + x.imag() * o.real()}; }

std::vector<std::int64_t> factors_of(std::int64_t n) {
    std::vector<std::int64_t> f;
    for (std::int64_t p = 2; p * p <= n; ++p)
        for (; n % p == 0; n /= p) f.push_back(p);
    if (n > 1) f.push_back(n);
    return f;
}

/// Everything that depends on the length alone. Transforms forward.
class Plan {
public:
    explicit Plan(std::int64_t n) : n_(n), factors_(factors_of(n)) {
        if (!factors_.empty() && factors_.back() > largest_radix) prepare_convolution();
        else roots_ = roots(n);
    }
    /// `out` gets the transform of the `n` elements x[0], x[stride], ...
    void run(const C* x, C* out) const {
        if (inner_) convolve(x, out);
        else if (n_ > 0) step(x, 1, out, n_, 0);
    }

private:
    static std::vector<C> roots(std::int64_t n) {
        std::vector<C> r(static_cast<std::size_t>(n));
        for (std::int64_t k = 0; k < n; ++k) r[std::size_t(k)] = std::polar(1.0, -two_pi * double(k) / double(n));
        return r;
    }
    /// Decimation in time: p transforms of length n / p, then butterflies of radix p.
    void step(const C* x, std::int64_t stride, C* out, std::int64_t n, std::size_t level) const {
        if (n == 1) {
            out[0] = x[0];
            return;
        }
        const std::int64_t p = factors_[level], m = n / p, turn = n_ / n;
        for (std::int64_t q = 0; q < p; ++q) step(x + q * stride, stride * p, out + q * m, m, level + 1);
        C part[largest_radix];
        for (std::int64_t k = 0; k < m; ++k) {
            for (std::int64_t q = 0; q < p; ++q) part[q] = times(out[q * m + k], roots_[std::size_t(q * k * turn)]);
            if (p == 2) {
                out[k] = part[0] + part[1];
                out[m + k] = part[0] - part[1];
                continue;
            }
            for (std::int64_t r = 0; r < p; ++r) {
                C total = part[0];
                for (std::int64_t q = 1; q < p; ++q) total += times(part[q], roots_[std::size_t(q * r % p * (n_ / p))]);
                out[r * m + k] = total;
            }
        }
    }
    /// j k = (j^2 + k^2 - (k - j)^2) / 2 turns the transform into a convolution with a chirp, at a length of powers of
    /// two.
    void prepare_convolution() {
        chirp_.resize(std::size_t(n_));
        for (std::int64_t k = 0; k < n_; ++k) {
            const std::int64_t square = std::int64_t((__int128(k) * k) % (2 * n_)); // keeps the angle exact
            chirp_[std::size_t(k)] = std::polar(1.0, -two_pi / 2 * double(square) / double(n_));
        }
        std::int64_t m = 1;
        while (m < 2 * n_ - 1) m *= 2;
        inner_ = std::make_unique<Plan>(m);
        std::vector<C> b(static_cast<std::size_t>(m));
        b[0] = std::conj(chirp_[0]);
        for (std::int64_t k = 1; k < n_; ++k)
            b[std::size_t(k)] = b[std::size_t(m - k)] = std::conj(chirp_[std::size_t(k)]);
        kernel_.resize(std::size_t(m));
        inner_->run(b.data(), kernel_.data());
    }
    void convolve(const C* x, C* out) const {
        const std::size_t m = kernel_.size();
        std::vector<C> a(m), b(m);
        for (std::size_t k = 0; k < std::size_t(n_); ++k) a[k] = times(x[k], chirp_[k]);
        inner_->run(a.data(), b.data());
        for (std::size_t k = 0; k < m; ++k) b[k] = std::conj(times(b[k], kernel_[k]));
        inner_->run(b.data(), a.data()); // conjugate, transform, conjugate: the inverse
        for (std::size_t k = 0; k < std::size_t(n_); ++k) out[k] = times(std::conj(a[k]) / double(m), chirp_[k]);
    }

    std::int64_t n_;
    std::vector<std::int64_t> factors_; // ascending
    std::vector<C> roots_, chirp_, kernel_;
    std::unique_ptr<Plan> inner_;
};

template <class T> void run_rows(std::complex<T>* data, std::int64_t rows, std::int64_t n, bool forward, double scale) {
    if (rows == 0 || n == 0) return;
    const Plan plan(n);
    parallel_for(0, rows, std::max<std::int64_t>(1, 4096 / n), [&](std::int64_t begin, std::int64_t end) {
        std::vector<C> x(static_cast<std::size_t>(n)), out(static_cast<std::size_t>(n));
        for (std::int64_t r = begin; r < end; ++r) {
            std::complex<T>* const row = data + r * n;
            for (std::int64_t k = 0; k < n; ++k) x[std::size_t(k)] = forward ? C(row[k]) : std::conj(C(row[k]));
            plan.run(x.data(), out.data());
            for (std::int64_t k = 0; k < n; ++k) {
                const C v = (forward ? out[std::size_t(k)] : std::conj(out[std::size_t(k)])) * scale;
                row[k] = std::complex<T>(T(v.real()), T(v.imag()));
            }
        }
    });
}

} // namespace

void fft_rows(std::complex<double>* data, std::int64_t rows, std::int64_t n, bool forward, double scale) {
    run_rows(data, rows, n, forward, scale);
}
void fft_rows(std::complex<float>* data, std::int64_t rows, std::int64_t n, bool forward, double scale) {
    run_rows(data, rows, n, forward, scale);
}

} // namespace reel::cpu
