// What a Fourier transform of one length costs by each way to do it, and how it is cut up.
#pragma once

#include <cstdint>
#include <vector>

namespace reel::cpu {

/// The passes of a transform of n elements, by their radices; empty for 1, and when a prime factor is too large.
std::vector<std::int64_t> fft_radices(std::int64_t n);
/// The length to which n elements are filled up when a prime factor is too large (L. I. Bluestein, 1970): at least 2n
/// - 1.
std::int64_t fft_padded_lanes(std::int64_t n);
/// About how many cycles a block of n rows takes.
double fft_lanes_cost(std::int64_t n);

/// One line is transformed in one of three ways.
struct FftCut {
    enum Way { Lane, Split, Padded };
    Way way = Lane;
    std::int64_t first = 0;  ///< Split: columns of `first` elements, rows of n / first
    std::int64_t padded = 0; ///< Padded
    double cost = 0;
};
/// The cheapest way for blocks of so many lanes.
FftCut fft_cut(std::int64_t n, int lanes);

} // namespace reel::cpu
