// The inner loops of float32 and float64 convolutions, compiled once per instruction set.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Output positions next to each other: the first reads the padded image at `src` (plus a tap's offset), each further
/// one the place after it. `at` is the first one's position among the positions of its panel or block.
struct ConvRun {
    std::int64_t src;
    std::int32_t at, length;
};

/// Padded images and panels are followed by `slack` elements that may be read and written.
template <class T> struct ConvKernels {
    static constexpr std::int64_t slack = 64;

    int rows = 0;      ///< channels of a tile
    int positions = 0; ///< positions of a panel
    int lanes = 0;     ///< elements of a vector

    /// to[tap][positions] = what the runs read at each tap; zeros from `filled` on.
    void (*pack)(const T* image, const std::int64_t* taps, std::int64_t count, const ConvRun* runs, std::int64_t n,
                 std::int64_t filled, T* to);
    /// c[row][positions] = start[row] + sum over k of a[k][row] * b[k][position], for the first `left` rows; where
    /// `start` is null, dense rows `before` stand for it.
    void (*tile)(std::int64_t k, const T* a, const T* b, const T* start, const T* before, T* c, std::int64_t ldc,
                 std::int64_t left);
    /// `tile` for all `left` rows, a panel of a for every `rows` of them, with b read from the image itself. False, and
    /// nothing done, for runs that are no whole vectors.
    bool (*tiles_in_place)(std::int64_t k, const T* a, const T* image, const std::int64_t* taps, const ConvRun* runs,
                           std::int64_t n, std::int64_t filled, const T* start, T* c, std::int64_t ldc,
                           std::int64_t left);
    /// to[i] = start + sum over k of a[k][0] * image[taps[k] + i] for n places: a result of one channel.
    void (*line)(std::int64_t k, const T* a, const T* image, const std::int64_t* taps, T start, T* to, std::int64_t n);
    /// to[k] += products of image[taps[k] + i] and g[i] over n places i, each lane a part of the sum.
    void (*line_products)(std::int64_t k, const T* image, const std::int64_t* taps, const T* g, std::int64_t n, T* to);
    /// to[row][i] = from[row][i * stride] for n elements of each row
    void (*copy)(const T* from, std::int64_t ld, std::int64_t rows, std::int64_t n, std::int64_t stride, T* to,
                 std::int64_t ldto);
    /// to[col][row] = from[row][col], and zeros in rows up to the next multiple of `lanes`.
    void (*transpose)(const T* from, std::int64_t ld, std::int64_t rows, std::int64_t cols, T* to, std::int64_t ldto);
    /// to[tap][channel] += sum over n positions of image[tap + place] * g[position][channel]; `channels` is a multiple
    /// of `lanes`.
    void (*weight)(const T* image, const std::int64_t* taps, std::int64_t count, const std::int64_t* places,
                   std::int64_t n, const T* g, std::int64_t channels, T* to);
};
template <class T> inline constinit ConvKernels<T> conv_kernels{};

} // namespace reel::cpu
