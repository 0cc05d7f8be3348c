// Running results side by side, and how they become one.
#pragma once

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

/// Puts the vectors of running results of a row together in one, by the upper half of a tree over their lanes whose
/// shape does not depend on the width of vectors; before that, each of the `n` elements that are left of the row, fewer
/// than there are lanes, joins a lane. `element` makes of a vector of them what is joined; `neutral` changes nothing.
template <class C, int count, class T, class Join, class Element>
Vec<C> joined_vectors(Vec<C> (&acc)[count], const T* rest, std::int64_t n, T neutral, Join join, Element element) {
    constexpr int w = Vec<C>::size;
    if (n > 0) {
        const std::int64_t whole = n & -std::int64_t(w);
        T last[w];
        for (int l = 0; l < w; ++l) last[l] = l < n - whole ? rest[whole + l] : neutral;
#pragma GCC unroll 16
        for (int k = 0; k < count; ++k) {
            if (k * w >= n) break;
            acc[k] = join(acc[k], element(load_as(k * w < whole ? rest + k * w : last)));
        }
    }
#pragma GCC unroll 8
    for (int step = count / 2; step > 0; step /= 2)
#pragma GCC unroll 16
        for (int k = 0; k < step; ++k) acc[k] = join(acc[k], acc[k + step]);
    return acc[0];
}
/// The lower half of that tree, of several rows side by side: each row's steps wait for each other.
template <int rows, class C, class Join> void join_lanes(Vec<C> (&row)[rows], Join join) {
    constexpr int w = Vec<C>::size;
#pragma GCC unroll 4
    for (int step = w / 2; step > 0; step /= 2) {
        typename Vec<C>::RawInt from;
        for (int l = 0; l < w; ++l) from[l] = (l + step) % w;
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r) row[r] = join(row[r], Vec<C>(__builtin_shuffle(row[r].v, from)));
    }
}

/// out[r] = what row r of `rows` becomes, which lie one after the other and have `n` elements: `lanes(first, n)` gives
/// the vector in which the row's elements have come together, `join` does the same with its lanes. Four rows go through
/// the tree together.
template <class T, class Out, class Lanes, class Join>
void reduce_rows(const T* p, std::int64_t rows, std::int64_t n, Out* out, Lanes lanes, Join join) {
    using V = decltype(lanes(p, n));
    // a call for each row: its code shall stand once
    const auto lanes_of = [&](std::int64_t r) __attribute__((noinline)) { return lanes(p + r * n, n); };
    const auto some = [&]<int together>(std::int64_t r) {
        V row[together];
        for (int i = 0; i < together; ++i) row[i] = lanes_of(r + i);
        join_lanes(row, join);
        for (int i = 0; i < together; ++i) out[r + i] = Out(row[i][0]);
    };
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) some.template operator()<4>(r);
    for (; r < rows; ++r) some.template operator()<1>(r);
}

} // namespace reel::cpu::REEL_ISA
