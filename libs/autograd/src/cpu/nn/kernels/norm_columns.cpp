// Loops along rows of one element a channel.
#include "cpu/nn/norm_columns.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

constexpr std::int64_t piece = 256; // elements that are widened, or rounded, together

/// Calls `f(first, some)` for the pieces of a row.
template <class F> void in_pieces(std::int64_t n, const F& f) {
    for (std::int64_t i = 0; i < n; i += piece) f(i, n - i < piece ? n - i : piece);
}
/// The elements as numbers to compute with: where they are, or in `room`.
template <class T> const Compute<T>* wide(const T* x, std::int64_t n, Compute<T>* room) {
    using C = Compute<T>;
    if constexpr (std::is_same_v<C, T>) return x;
    else {
        constexpr int w = Vec<C>::size;
        std::int64_t i = 0;
        for (; i + w <= n; i += w) load_as(x + i).store(room + i);
        for (; i < n; ++i) room[i] = C(x[i]);
        return room;
    }
}
template <class T> void narrow(T* y, const Compute<T>* from, std::int64_t n) {
    using C = Compute<T>;
    constexpr int w = Vec<C>::size;
    std::int64_t i = 0;
    for (; i + w <= n; i += w) store_as(y + i, Vec<C>::load(from + i));
    for (; i < n; ++i) y[i] = T(from[i]);
}

template <class T> void add(const T* x, std::int64_t n, double* sum) {
    Compute<T> room[piece];
    in_pieces(n, [&](std::int64_t i, std::int64_t some) {
        const auto* const v = wide(x + i, some, room);
        double* const s = sum + i;
#pragma GCC ivdep
        for (std::int64_t k = 0; k < some; ++k) s[k] += double(v[k]);
    });
}
template <class T> void add_squares(const T* x, std::int64_t n, const Compute<T>* mean, double* sum) {
    using C = Compute<T>;
    C room[piece];
    in_pieces(n, [&](std::int64_t i, std::int64_t some) {
        const C *const v = wide(x + i, some, room), *const m = mean + i;
        double* const s = sum + i;
#pragma GCC ivdep
        for (std::int64_t k = 0; k < some; ++k) {
            const C d = v[k] - m[k];
            s[k] += double(d * d);
        }
    });
}
template <class T>
void add_dots(const T* g, const T* x, std::int64_t n, const Compute<T>* mean, double* sum, double* dots) {
    using C = Compute<T>;
    C room_g[piece], room_x[piece];
    in_pieces(n, [&](std::int64_t i, std::int64_t some) {
        const C *const u = wide(g + i, some, room_g), *const v = wide(x + i, some, room_x), *const m = mean + i;
        double *const s = sum + i, *const d = dots + i;
#pragma GCC ivdep
        for (std::int64_t k = 0; k < some; ++k) {
            s[k] += double(u[k]);
            d[k] += double(u[k] * (v[k] - m[k]));
        }
    });
}
template <class T>
void affine(const T* x, T* y, std::int64_t n, const Compute<T>* mean, const Compute<T>* scale,
            const Compute<T>* shift) {
    using C = Compute<T>;
    C room[piece], done[piece];
    in_pieces(n, [&](std::int64_t i, std::int64_t some) {
        const C *const v = wide(x + i, some, room), *const m = mean + i, *const a = scale + i, *const b = shift + i;
        C* const to = [&] {
            if constexpr (std::is_same_v<C, T>) return y + i;
            else return done + 0;
        }();
#pragma GCC ivdep
        for (std::int64_t k = 0; k < some; ++k) to[k] = (v[k] - m[k]) * a[k] + b[k];
        if constexpr (!std::is_same_v<C, T>) narrow(y + i, done, some);
    });
}
template <class T>
void combine(const T* g, const T* x, T* gx, std::int64_t n, const Compute<T>* mean, const Compute<T>* a,
             const Compute<T>* b, const Compute<T>* c) {
    using C = Compute<T>;
    C room_g[piece], room_x[piece], done[piece];
    in_pieces(n, [&](std::int64_t i, std::int64_t some) {
        const C *const u = wide(g + i, some, room_g), *const v = wide(x + i, some, room_x), *const m = mean + i;
        const C *const p = a + i, *const q = b + i, *const r = c + i;
        C* const to = [&] {
            if constexpr (std::is_same_v<C, T>) return gx + i;
            else return done + 0;
        }();
#pragma GCC ivdep
        for (std::int64_t k = 0; k < some; ++k) to[k] = p[k] * u[k] + q[k] * (v[k] - m[k]) + r[k];
        if constexpr (!std::is_same_v<C, T>) narrow(gx + i, done, some);
    });
}

template <class T> void set() { norm_columns<T> = {&add<T>, &add_squares<T>, &add_dots<T>, &affine<T>, &combine<T>}; }

} // namespace

void register_norm_columns() {
    set<float>();
    set<double>();
    set<Half>();
    set<BFloat16>();
}

} // namespace reel::cpu::REEL_ISA
