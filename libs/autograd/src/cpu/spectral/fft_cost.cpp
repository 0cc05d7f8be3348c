// Estimates in cycles, from the operations and the traffic of each pass; measured ones would vary, and the bits with
// them.
#include "cpu/spectral/fft_cost.hpp"

#include <bit>
#include <limits>

namespace reel::cpu {

namespace {

/// A prime factor up to this one is a pass; its cost grows with its square.
constexpr std::int64_t largest_radix = 127;
/// Blocks of more rows leave the second-level cache.
constexpr std::int64_t cached_rows = 4096;

double pass_cost(std::int64_t radix) {
    switch (radix) {
    case 2:
        return 5;
    case 4:
        return 7;
    case 8:
        return 9;
    default:
        return 6.5 + double(radix) / 2;
    }
}
bool is_smooth(std::int64_t n) { return n == 1 || !fft_radices(n).empty(); }
/// None that a filled up transform could do better.
bool has_small_factors(std::int64_t n) {
    for (const std::int64_t p : {2, 3, 5, 7, 11, 13})
        while (n % p == 0) n /= p;
    return n == 1;
}

/// The cheapest of c 2^k >= least for small odd c.
template <class Cost> std::int64_t padded_to(std::int64_t least, Cost cost) {
    std::int64_t best = 0;
    double best_cost = std::numeric_limits<double>::infinity();
    for (const std::int64_t c : {1, 3, 5, 7, 9, 11, 13, 15}) {
        const std::int64_t k = (least + c - 1) / c;
        const std::int64_t m = c * std::int64_t(std::bit_ceil(std::uint64_t(k)));
        if (const double now = cost(m); now < best_cost) {
            best = m;
            best_cost = now;
        }
    }
    return best;
}

} // namespace

std::vector<std::int64_t> fft_radices(std::int64_t n) {
    std::vector<std::int64_t> r;
    const int twos = std::countr_zero(std::uint64_t(n));
    n >>= twos;
    for (std::int64_t p = 3; n > 1; p += 2) {
        if (p > largest_radix) return {};
        for (; n % p == 0; n /= p) r.push_back(p);
    }
    const int rest = twos % 3, fours = rest == 2 ? 1 : rest == 1 && twos > 1 ? 2 : 0;
    r.insert(r.end(), std::size_t((twos - 2 * fours) / 3), 8);
    r.insert(r.end(), std::size_t(fours), 4);
    if (twos == 1) r.push_back(2);
    return r;
}

std::int64_t fft_padded_lanes(std::int64_t n) { return padded_to(2 * n - 1, &fft_lanes_cost); }

double fft_lanes_cost(std::int64_t n) {
    if (!is_smooth(n)) {
        const std::int64_t m = fft_padded_lanes(n);
        return 2 * fft_lanes_cost(m) + 5 * double(m + n);
    }
    double cost = 0;
    for (const std::int64_t r : fft_radices(n)) cost += pass_cost(r);
    return cost * double(n) * (n > cached_rows ? 2 : 1);
}

FftCut fft_cut(std::int64_t n, int lanes) {
    const double row = 6; // to read and write one
    FftCut best;
    best.cost = fft_lanes_cost(n) + row * double(n);
    const auto blocks = [=](std::int64_t k) { return double((k + lanes - 1) / lanes); };
    for (std::int64_t d = 2; d <= n / d; ++d) {
        if (n % d != 0) continue;
        for (const std::int64_t a : {d, n / d}) {
            const std::int64_t b = n / a;
            const double cost = 60 + blocks(b) * (fft_lanes_cost(a) + row * double(a)) +
                                blocks(b) * blocks(a) * lanes * 10 + blocks(a) * (fft_lanes_cost(b) + row * double(b));
            if (cost < best.cost) best = {FftCut::Split, a, 0, cost};
        }
    }
    if (has_small_factors(n)) return best;
    const auto line = [=](std::int64_t m) { return fft_cut(m, lanes).cost; };
    const std::int64_t m = padded_to(2 * n - 1, line);
    const double cost = 2 * line(m) + 4 * double(m + n) / lanes + 100;
    if (cost < best.cost) best = {FftCut::Padded, 0, m, cost};
    return best;
}

} // namespace reel::cpu
