// Roots of unity by octants.
#include "cpu/spectral/fft_roots.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace reel::cpu {

FftRoots::FftRoots(std::int64_t n, std::int64_t count) : n_(n) {
    constexpr std::int64_t worth_tables = 1024;
    if (count < worth_tables || n < worth_tables) return;
    shift_ = std::bit_width(std::uint64_t(n)) / 2 + 1;
    for (std::int64_t k = 0; k < std::int64_t(1) << shift_; ++k) fine_.push_back(computed(k));
    for (std::int64_t k = 0; k < n; k += std::int64_t(1) << shift_) coarse_.push_back(computed(k));
}

FftRoots::C FftRoots::operator()(std::int64_t k) const {
    k %= n_;
    if (shift_ == 0) return computed(k);
    const C a = coarse_[std::size_t(k >> shift_)], b = fine_[std::size_t(k & ((std::int64_t(1) << shift_) - 1))];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

FftRoots::C FftRoots::computed(std::int64_t k) const {
    std::int64_t eighths = 8 * k; // of 1/n of the circle
    const bool below = eighths > 4 * n_;
    if (below) eighths = 8 * n_ - eighths;
    const bool left = eighths > 2 * n_;
    if (left) eighths = 4 * n_ - eighths;
    const bool steep = eighths > n_;
    if (steep) eighths = 2 * n_ - eighths;
    const long double angle =
        std::numbers::pi_v<long double> * static_cast<long double>(eighths) / (4 * static_cast<long double>(n_));
    long double x = std::cos(angle), y = std::sin(angle);
    if (steep) std::swap(x, y);
    return {left ? -x : x, below ? y : -y};
}

} // namespace reel::cpu
