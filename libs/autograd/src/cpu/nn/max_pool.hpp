// The largest of each window of a plane: first down the rows that a row of windows spans, by whole vectors, then along
// what is left of them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace reel::cpu {

/// What places in a plane are counted in: integers as wide as the elements.
template <class T> using PlaceOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Does element `v` at place `p` come before the best so far? Among equal ones the first, among NaN the last.
template <class T> bool is_better(T v, PlaceOf<T> p, T best, PlaceOf<T> at) {
    return v > best || (v == best && p < at) || (v != v && (best == best || p > at));
}

/// Windows in a row of as many elements, one as far from the last as the next.
struct EqualWindows {
    std::int64_t begin = 0, end = 0;   // of the row's windows
    std::int64_t first = 0;            // place of window 0's first element, were it like these
    std::int64_t stride = 1, step = 1; // from window to window, from element to element
    std::int64_t taps = 0;             // elements of a window
};

/// Compiled once per instruction set.
template <class T> struct MaxPoolKernels {
    /// Elements behind `top` and `place` that may be read.
    std::int64_t beyond;
    /// The largest of each column over `count` rows of the plane and its place.
    void (*columns)(const T* plane, const std::int64_t* rows, std::int64_t count, std::int64_t width, T* top,
                    PlaceOf<T>* place);
    /// Of each window over such columns.
    void (*windows)(const EqualWindows& windows, const T* top, const PlaceOf<T>* place, T* out, std::int64_t* places);
};
template <class T> inline constinit MaxPoolKernels<T> max_pool_kernels{};

} // namespace reel::cpu
