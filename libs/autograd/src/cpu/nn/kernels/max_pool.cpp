// Largest elements and their places, by vectors of columns and of windows.
#include "cpu/nn/max_pool.hpp"

#include <cstring>
#include <utility>

#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

template <class T> using Places = typename Vec<T>::RawInt;

/// 0, 1, 2, ...
template <class T> Places<T> lane_numbers() {
    Places<T> r;
    for (int i = 0; i < Vec<T>::size; ++i) r[i] = i;
    return r;
}
/// From `begin` to `end`: `block(i)` for as many elements as vectors have lanes, the last ones so that they end there,
/// too; `one(i)` where there are fewer.
template <class T, class Block, class One> void by_vectors(std::int64_t begin, std::int64_t end, Block block, One one) {
    constexpr std::int64_t w = Vec<T>::size;
    if (end - begin < w)
        for (; begin < end; ++begin) one(begin);
    for (; begin < end; begin += w) block(begin < end - w ? begin : end - w);
}

template <class T>
void columns(const T* plane, const std::int64_t* rows, std::int64_t count, std::int64_t width, T* top,
             PlaceOf<T>* place) {
    const auto block = [=, lanes = lane_numbers<T>()](std::int64_t c) {
        const auto places = [&](std::int64_t row) { return lanes + PlaceOf<T>(row * width + c); };
        Vec<T> best = Vec<T>::load(plane + rows[0] * width + c);
        Places<T> at = places(rows[0]);
        for (std::int64_t r = 1; r < count; ++r) {
            const Vec<T> v = Vec<T>::load(plane + rows[r] * width + c);
            const Mask<T> better = (v > best) | isnan(v);
            best = select(better, v, best);
            at = better.m ? places(rows[r]) : at;
        }
        best.store(top + c);
        std::memcpy(place + c, &at, sizeof(at));
    };
    by_vectors<T>(0, width, block, [=](std::int64_t c) {
        top[c] = plane[rows[0] * width + c];
        place[c] = PlaceOf<T>(rows[0] * width + c);
        for (std::int64_t r = 1; r < count; ++r) {
            const std::int64_t p = rows[r] * width + c;
            if (is_better(plane[p], PlaceOf<T>(p), top[c], place[c])) top[c] = plane[p], place[c] = PlaceOf<T>(p);
        }
    });
}

/// Every second of two vectors' elements.
template <class V, int... I> V even_of(const void* p, std::integer_sequence<int, I...>) {
    V a, b;
    std::memcpy(&a, p, sizeof(V));
    std::memcpy(&b, static_cast<const char*>(p) + sizeof(V), sizeof(V));
    return __builtin_shufflevector(a, b, (2 * I)...);
}
/// Elements `stride` apart; one vector may be read beyond the last.
template <class V, class E> V strided(const E* p, std::int64_t stride) {
    constexpr int w = int(sizeof(V) / sizeof(E));
    V r;
    if (stride == 1) std::memcpy(&r, p, sizeof(V));
    else if (stride == 2) r = even_of<V>(p, std::make_integer_sequence<int, w>{});
    else
        for (int i = 0; i < w; ++i) r[i] = p[i * stride];
    return r;
}
template <class T>
void windows(const EqualWindows& equal, const T* top, const PlaceOf<T>* place, T* out, std::int64_t* places) {
    using Raw = typename Vec<T>::Raw;
    const auto block = [=, g = equal](std::int64_t o) {
        const std::int64_t first = g.first + o * g.stride;
        Vec<T> best(strided<Raw>(top + first, g.stride));
        Places<T> at = strided<Places<T>>(place + first, g.stride);
        for (std::int64_t t = 1; t < g.taps; ++t) {
            const Vec<T> v(strided<Raw>(top + first + t * g.step, g.stride));
            const Places<T> p = strided<Places<T>>(place + first + t * g.step, g.stride);
            const Mask<T> before{p < at}, behind{p > at};
            const Mask<T> larger = (v > best) | ((v == best) & before), last_nan = isnan(v) & (behind | (best == best));
            const Mask<T> better = larger | last_nan;
            best = select(better, v, best);
            at = better.m ? p : at;
        }
        best.store(out + o);
        for (int i = 0; i < Vec<T>::size; ++i) places[o + i] = at[i];
    };
    by_vectors<T>(equal.begin, equal.end, block, [=, g = equal](std::int64_t o) {
        const std::int64_t first = g.first + o * g.stride;
        std::int64_t best = first;
        for (std::int64_t t = 1; t < g.taps; ++t)
            if (const std::int64_t c = first + t * g.step; is_better(top[c], place[c], top[best], place[best]))
                best = c;
        out[o] = top[best];
        places[o] = place[best];
    });
}
template <class T> void fill() { max_pool_kernels<T> = {2 * Vec<T>::size, &columns<T>, &windows<T>}; }

} // namespace

void register_max_pool() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
