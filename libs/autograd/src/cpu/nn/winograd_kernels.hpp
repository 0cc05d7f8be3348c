// The inner loops of convolutions by Winograd's F(4x4, 3x3) in float32, compiled once per instruction set.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// A square of n x n places: where its rows and columns lie among the places of a strip, negative where they are
/// outside.
template <int n> struct WinogradSquare {
    std::int32_t row[n], col[n];
    bool inside; ///< all of it
};
using WinogradSource = WinogradSquare<6>;
using WinogradTarget = WinogradSquare<4>;

/// Channels go in blocks of `lanes`, the last one filled up with zeros. A strip holds places of one block,
/// [place][lanes]; what is transformed stands in `frequencies` slices, each [block][tile][lanes].
struct WinogradKernels {
    static constexpr int frequencies = 36;

    int lanes = 0;
    int tiles = 0; ///< `multiply` takes multiples of it

    /// v[.][tile] = the transformed squares of 6 x 6 of a strip.
    void (*source)(const float* strip, const WinogradSource* squares, std::int64_t n, float* v, std::int64_t slice);
    /// v[.][tile] = the transformed squares of 4 x 4 of a gradient.
    void (*gradient)(const float* strip, const WinogradTarget* squares, std::int64_t n, float* v, std::int64_t slice);
    /// The squares of 4 x 4 of a strip = what m[.][tile] stands for, plus bias[lanes].
    void (*result)(const float* m, std::int64_t slice, const WinogradTarget* squares, std::int64_t n, const float* bias,
                   float* strip);
    /// u[.] = the transformed kernel w[9][lanes], turned by half if `turned`.
    void (*filter)(const float* w, bool turned, float* u, std::int64_t slice);
    /// w[9][lanes] = the adjoint of `filter` of the sum of `parts` operands, `next` apart.
    void (*filter_gradient)(const float* u, std::int64_t slice, std::int64_t parts, std::int64_t next, float* w);

    /// One slice: m[block][tile] = sum over c of v[c's block][tile][c] * u[block][c].
    void (*multiply)(std::int64_t channels, const float* v, const float* u, float* m, std::int64_t blocks,
                     std::int64_t tiles);
    /// One slice: u[block][c] = sum over tiles of v[c's block][tile][c] * y[block][tile], plus what is there if `add`.
    void (*outer)(std::int64_t v_blocks, const float* v, const float* y, float* u, std::int64_t blocks,
                  std::int64_t tiles, bool add);
};
inline constinit WinogradKernels winograd_kernels{};

/// Between images of float, BFloat16 or Half and strips, for at most `lanes` channels; 16-bit floats are rounded once.
template <class T> struct WinogradImages {
    /// to[place][lanes] = from[channel][place], zeros for channels that are not there.
    void (*gather)(const T* from, std::int64_t ld, std::int64_t channels, std::int64_t places, float* to);
    /// to[channel][place] = from[place][channel].
    void (*scatter)(const float* from, std::int64_t channels, std::int64_t places, T* to, std::int64_t ld);
};
template <class T> inline constinit WinogradImages<T> winograd_images{};

} // namespace reel::cpu
