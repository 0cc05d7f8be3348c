// The greatest or the least of some elements and where it is.
#pragma once

#include "elements.cuh"

namespace reel::cuda {

/// What elements are compared as: integers with their sign.
template <class T> struct OrderOf { using type = number_t<T>; };
template <> struct OrderOf<AnyInteger> { using type = std::int64_t; };
template <class T> using order_t = typename OrderOf<T>::type;

/// `place` is negative where there is none yet.
template <class V> struct Extreme {
    V value;
    std::int64_t place;
};
/// Which of two counts: a NaN, else the better one; of equals the first, or the last if `last`.
template <class V>
__device__ Extreme<V> better(const Extreme<V>& a, const Extreme<V>& b, bool largest, bool last = false) {
    if (a.place < 0) return b;
    if (b.place < 0) return a;
    const bool a_nan = is_nan(a.value), b_nan = is_nan(b.value), a_first = a.place < b.place;
    if (a_nan != b_nan) return a_nan ? a : b;
    if (a_nan || a.value == b.value) return a_first != last ? a : b;
    return (largest ? a.value > b.value : a.value < b.value) ? a : b;
}

} // namespace reel::cuda
