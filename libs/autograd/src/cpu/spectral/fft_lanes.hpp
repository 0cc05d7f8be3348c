// What the Fourier transforms ask of an instruction set: work on blocks whose lanes are independent transforms.
//
// A block of n rows holds element j of each lane in row j: `lanes` real parts, then as many imaginary ones. All kernels
// transform forward; whoever wants the other direction exchanges real and imaginary parts on the way in and out.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// The most lanes that a block has.
inline constexpr int most_fft_lanes = 16;

/// Short dense lines of n elements, n a divisor of the lanes, are numbered so that squares of n x n elements need to be
/// transposed: lane l takes the line of this number of a full block.
constexpr int fft_grouped(int l, int n, int lanes) { return l % n * (lanes / n) + l / n; }

/// One pass of a Stockham transform: row q + s (p + m k) goes in, row q + s (radix p + k) comes out, for p < m and q <
/// s.
template <class T> struct FftStage {
    std::int64_t radix, m, s;
    const T* twiddles; ///< e^(-2 pi i p k / (radix m)) as pairs, for p < m, 0 < k < radix
    const T* roots;    ///< cosine and sine of 2 pi k / radix, for k < radix
};

/// Where the lanes of a block lie in memory; distances count single numbers, so a complex element has two.
template <class T> struct FftLines {
    T* data;
    const std::int64_t* lanes; ///< where each of them begins
    int count;
    std::int64_t step; ///< from element to element
    std::int64_t imag; ///< from real to imaginary part; 0: there is none
};

template <class T> struct FftLanes {
    int lanes = 0;
    /// Runs the stages on `block`, with `other` for every second result; returns the one that holds the last.
    T* (*run)(const FftStage<T>* stages, int count, T* block, T* other) = nullptr;
    /// Rows from lines and back. `swapped` exchanges real and imaginary parts. Lanes that are not there become zero.
    void (*load)(const FftLines<const T>& from, std::int64_t n, T* block, bool swapped) = nullptr;
    void (*store)(const T* block, std::int64_t n, const FftLines<T>& to, bool swapped) = nullptr;
    /// out = block * factors, one complex factor a row; conjugated if asked.
    void (*scale)(const T* block, const T* factors, std::int64_t n, T* out, bool conjugated) = nullptr;
    /// Transposes `rows` rows into the blocks that take each `lanes` of them: row k becomes a lane, the first `count`
    /// lanes become rows. Element (k, l) is multiplied by left[k, l] * right[k].
    void (*turn)(const T* block, std::int64_t rows, int count, const T* left, const T* right, T* out,
                 std::int64_t out_block) = nullptr;
    /// Spectra of n real elements (n / 2 + 1 rows) from those of their n / 2 pairs, and back; `factors` are
    /// -i e^(-2 pi i k / n) for k <= n / 4. Back gives twice as much, real and imaginary parts exchanged.
    void (*pairs_to_half)(const T* pairs, const T* factors, std::int64_t pair_count, T* half) = nullptr;
    void (*half_to_pairs)(const T* half, const T* factors, std::int64_t pair_count, T* pairs) = nullptr;

    /// The same for one dense line, nothing exchanged, where factor k is left[(k - 1) % lanes] * right[(k - 1) /
    /// lanes]. Groups of `lanes` elements from each end; the first group takes the ends along.
    void (*line_to_half)(const T* pairs, const T* left, const T* right, std::int64_t pair_count, T* half,
                         std::int64_t begin_group, std::int64_t end_group) = nullptr;
    void (*half_to_line)(const T* half, const T* left, const T* right, std::int64_t pair_count, T* pairs,
                         std::int64_t begin_group, std::int64_t end_group) = nullptr;
    /// out = a * b, conjugated if asked: n complex elements.
    void (*multiply)(const T* a, const T* b, std::int64_t n, T* out, bool conjugated) = nullptr;
};
template <class T> inline constinit FftLanes<T> fft_lanes{};

} // namespace reel::cpu
