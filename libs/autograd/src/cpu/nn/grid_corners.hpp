// Bilinear sampling: the four neighbours of places, and the inner loops over them.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Places that are handled together.
inline constexpr std::int64_t grid_block = 256;

/// Of each place of a block: along x and y the weights of the element before and behind, zero where that lies outside,
/// and their slopes; the numbers of the four neighbours in an image's plane, (y, x) as two bits, zero for outside.
template <class T> struct GridCorners {
    T weight[2][2][grid_block], slope[2][2][grid_block]; ///< [x or y][before or behind]
    T joint[4][grid_block];                              ///< products of the weights
    std::int32_t at[4][grid_block];
};

template <class T> struct GridKernels {
    /// Places are pairs x, y in [-1, 1].
    void (*find)(const T* grid, std::int64_t count, std::int64_t height, std::int64_t width, bool align_corners,
                 GridCorners<T>& to);
    void (*blend)(const T* plane, const GridCorners<T>& corners, std::int64_t count, T* out);
    /// plane[neighbour] += weight grad
    void (*spread)(const T* grad, const GridCorners<T>& corners, std::int64_t count, T* plane);
    /// dots[k] += grad plane[neighbour k]
    void (*dots)(const T* grad, const T* plane, const GridCorners<T>& corners, std::int64_t count,
                 T (*dots)[grid_block]);
};
template <class T> inline constinit GridKernels<T> grid_kernels{};

} // namespace reel::cpu
