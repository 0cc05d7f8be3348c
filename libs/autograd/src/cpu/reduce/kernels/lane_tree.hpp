// Running results side by side, and how they become one.
#pragma once

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

/// Puts `count` vectors of running results together, by a tree over their lanes whose shape does not depend on the
/// width of vectors; before that, each of the `n` elements that are left of a row, fewer than there are lanes, joins a
/// lane. `element` makes of one, or of a vector of them, what is joined.
template <class C, int count, class T, class Join, class Element>
C tree_of_lanes(Vec<C> (&acc)[count], const T* rest, std::int64_t n, Join join, Element element) {
    constexpr int w = Vec<C>::size;
#pragma GCC unroll 16
    for (int k = 0; k < count; ++k) {
        const std::int64_t left = n - k * w;
        if (left >= w) acc[k] = join(acc[k], element(load_as(rest + k * w)));
        else if (left > 0) {
            C lane[w];
            acc[k].store(lane);
            for (std::int64_t j = 0; j < left; ++j) lane[j] = join(lane[j], element(C(rest[k * w + j])));
            acc[k] = Vec<C>::load(lane);
        }
    }
#pragma GCC unroll 8
    for (int step = count / 2; step > 0; step /= 2)
#pragma GCC unroll 16
        for (int k = 0; k < step; ++k) acc[k] = join(acc[k], acc[k + step]);
#pragma GCC unroll 4
    for (int step = w / 2; step > 0; step /= 2) {
        typename Vec<C>::RawInt from;
        for (int l = 0; l < w; ++l) from[l] = (l + step) % w;
        acc[0] = join(acc[0], Vec<C>(__builtin_shuffle(acc[0].v, from)));
    }
    return acc[0][0];
}

} // namespace reel::cpu::REEL_ISA
