// Loops over the places of a block.
#include "cpu/nn/grid_corners.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

/// One coordinate: weights, slopes, and the whole places before and behind within [0, size).
template <class T>
void axis(const T* grid, std::int64_t count, T size, bool align, T (*weight)[grid_block], T (*slope)[grid_block],
          std::int32_t (*place)[grid_block]) {
    const T last = size - 1;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const T g = grid[2 * i];
        const T x = align ? (g + 1) / T(2) * last : ((g + 1) * size - 1) / T(2);
        const T first = std::floor(x), u = x - first;
        const bool before = first >= 0 && first <= last, behind = first >= -1 && first <= last - 1;
        const T unknown = x != x ? x : T(0); // what is no place has no value
        weight[0][i] = (before ? 1 - u : T(0)) + unknown;
        weight[1][i] = (behind ? u : T(0)) + unknown;
        slope[0][i] = before ? T(-1) : T(0);
        slope[1][i] = behind ? T(1) : T(0);
        place[0][i] = before ? std::int32_t(first) : 0;
        place[1][i] = behind ? std::int32_t(first) + 1 : 0;
    }
}

template <class T>
void find(const T* grid, std::int64_t count, std::int64_t height, std::int64_t width, bool align_corners,
          GridCorners<T>& to) {
    std::int32_t x[2][grid_block], y[2][grid_block];
    axis(grid, count, T(width), align_corners, to.weight[0], to.slope[0], x);
    axis(grid + 1, count, T(height), align_corners, to.weight[1], to.slope[1], y);
    for (int k = 0; k < 4; ++k)
        for (std::int64_t i = 0; i < count; ++i) {
            to.joint[k][i] = to.weight[0][k & 1][i] * to.weight[1][k >> 1][i];
            to.at[k][i] = y[k >> 1][i] * std::int32_t(width) + x[k & 1][i];
        }
}

/// What weighs nothing does not count, be it infinite.
template <class T> T weighed(T weight, T value) { return weight != 0 ? weight * value : T(0); }

template <class T> void blend(const T* plane, const GridCorners<T>& c, std::int64_t count, T* out) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = (weighed(c.joint[0][i], plane[c.at[0][i]]) + weighed(c.joint[1][i], plane[c.at[1][i]])) +
                 (weighed(c.joint[2][i], plane[c.at[2][i]]) + weighed(c.joint[3][i], plane[c.at[3][i]]));
}
template <class T> void spread(const T* grad, const GridCorners<T>& c, std::int64_t count, T* plane) {
    for (std::int64_t i = 0; i < count; ++i)
        for (int k = 0; k < 4; ++k) plane[c.at[k][i]] += weighed(c.joint[k][i], grad[i]);
}
template <class T>
void dots(const T* grad, const T* plane, const GridCorners<T>& c, std::int64_t count, T (*sums)[grid_block]) {
    for (int k = 0; k < 4; ++k)
#pragma GCC ivdep
        for (std::int64_t i = 0; i < count; ++i) sums[k][i] += grad[i] * plane[c.at[k][i]];
}

template <class T> void fill() { grid_kernels<T> = {&find<T>, &blend<T>, &spread<T>, &dots<T>}; }

} // namespace

void register_grid_corners() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
