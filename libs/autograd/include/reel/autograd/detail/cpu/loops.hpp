// Makers of inner loops over vectors: a functor becomes one that runs over any strides
// (reel/autograd/pointwise/loop.hpp).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

template <class T>
inline constexpr bool vectorizable = std::is_same_v<Compute<T>, float> || std::is_same_v<Compute<T>, double>;

constexpr std::int64_t stream_from = std::int64_t(16) << 20; // results of more bytes bypass the caches

/// The hardware's prefetchers stop at page borders and start anew; asking for what comes next gains 5 to 10 % there.
template <class T> inline void fetch_ahead(const T* p) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + 1024));
}

namespace detail {
/// A source that is either dense or one repeated element.
template <class T> struct Source {
    const T* p;
    bool repeat;
    Vec<Compute<T>> first;
    Source(const char* data, std::int64_t stride)
        : p(reinterpret_cast<const T*>(data)), repeat(stride == 0), first(Compute<T>(*p)) {}
    Vec<Compute<T>> at(std::int64_t i) const { return repeat ? first : load_as(p + i); }
};
template <class T> bool dense(std::int64_t stride) { return stride == std::int64_t(sizeof(T)); }
} // namespace detail

/// out = f(a) elementwise; F is callable with Vec<C> and with C.
template <class F, class T>
void unary_loop(char* const* data, const std::int64_t* s, std::int64_t n, const void* context) {
    const F& f = *static_cast<const F*>(context);
    using C = Compute<T>;
    if constexpr (vectorizable<T>) {
        if (detail::dense<T>(s[0]) && detail::dense<T>(s[1])) {
            constexpr int w = Vec<C>::size;
            T* out = reinterpret_cast<T*>(data[0]);
            const T* in = reinterpret_cast<const T*>(data[1]);
            std::int64_t i = 0;
            if constexpr (std::is_same_v<T, C>) {
                if (n * std::int64_t(sizeof(T)) >= stream_from &&
                    reinterpret_cast<std::uintptr_t>(out) % vector_bytes == 0) {
                    for (; i + w <= n; i += w) {
                        fetch_ahead(in + i);
                        stream(out + i, Vec<C>(f(Vec<C>::load(in + i))));
                    }
                    stream_fence();
                }
            }
            for (; i + w <= n; i += w) store_as(out + i, Vec<C>(f(load_as(in + i))));
            if (i < n) { // the tail goes through the same vector code, so that results do not depend on the position
                T buffer[w] = {};
                for (std::int64_t k = i; k < n; ++k) buffer[k - i] = in[k];
                store_as(buffer, Vec<C>(f(load_as(buffer))));
                for (std::int64_t k = i; k < n; ++k) out[k] = buffer[k - i];
            }
            return;
        }
        // Gather into a block, run the vector code, scatter: one arithmetic for every layout.
        constexpr int w = Vec<C>::size;
        for (std::int64_t i = 0; i < n; i += w) {
            const int m = int(n - i < w ? n - i : w);
            T buffer[w] = {};
            for (int k = 0; k < m; ++k) buffer[k] = *reinterpret_cast<const T*>(data[1] + (i + k) * s[1]);
            store_as(buffer, Vec<C>(f(load_as(buffer))));
            for (int k = 0; k < m; ++k) *reinterpret_cast<T*>(data[0] + (i + k) * s[0]) = buffer[k];
        }
    } else {
        for (std::int64_t i = 0; i < n; ++i)
            *reinterpret_cast<T*>(data[0] + i * s[0]) = T(f(*reinterpret_cast<const T*>(data[1] + i * s[1])));
    }
}

/// out = f(a, b) elementwise; either operand may be one repeated element.
template <class F, class T>
void binary_loop(char* const* data, const std::int64_t* s, std::int64_t n, const void* context) {
    const F& f = *static_cast<const F*>(context);
    using C = Compute<T>;
    if constexpr (vectorizable<T>) {
        constexpr int w = Vec<C>::size;
        const bool a_ok = detail::dense<T>(s[1]) || s[1] == 0, b_ok = detail::dense<T>(s[2]) || s[2] == 0;
        if (detail::dense<T>(s[0]) && a_ok && b_ok) {
            T* out = reinterpret_cast<T*>(data[0]);
            std::int64_t i = 0;
            if (s[1] != 0 && s[2] != 0) {
                const T *a = reinterpret_cast<const T*>(data[1]), *b = reinterpret_cast<const T*>(data[2]);
                if constexpr (std::is_same_v<T, C>) {
                    if (n * std::int64_t(sizeof(T)) >= stream_from &&
                        reinterpret_cast<std::uintptr_t>(out) % vector_bytes == 0) {
                        for (; i + w <= n; i += w) {
                            fetch_ahead(a + i);
                            fetch_ahead(b + i);
                            stream(out + i, Vec<C>(f(Vec<C>::load(a + i), Vec<C>::load(b + i))));
                        }
                        stream_fence();
                    }
                }
                for (; i + w <= n; i += w) store_as(out + i, Vec<C>(f(load_as(a + i), load_as(b + i))));
            } else {
                const detail::Source<T> a(data[1], s[1]), b(data[2], s[2]);
                for (; i + w <= n; i += w) store_as(out + i, Vec<C>(f(a.at(i), b.at(i))));
            }
            if (i < n) {
                T x[w] = {}, y[w] = {};
                for (std::int64_t k = i; k < n; ++k) {
                    x[k - i] = *reinterpret_cast<const T*>(data[1] + k * s[1]);
                    y[k - i] = *reinterpret_cast<const T*>(data[2] + k * s[2]);
                }
                store_as(x, Vec<C>(f(load_as(x), load_as(y))));
                for (std::int64_t k = i; k < n; ++k) out[k] = x[k - i];
            }
            return;
        }
        for (std::int64_t i = 0; i < n; i += w) {
            const int m = int(n - i < w ? n - i : w);
            T x[w] = {}, y[w] = {};
            for (int k = 0; k < m; ++k) {
                x[k] = *reinterpret_cast<const T*>(data[1] + (i + k) * s[1]);
                y[k] = *reinterpret_cast<const T*>(data[2] + (i + k) * s[2]);
            }
            store_as(x, Vec<C>(f(load_as(x), load_as(y))));
            for (int k = 0; k < m; ++k) *reinterpret_cast<T*>(data[0] + (i + k) * s[0]) = x[k];
        }
    } else {
        for (std::int64_t i = 0; i < n; ++i)
            *reinterpret_cast<T*>(data[0] + i * s[0]) =
                T(f(*reinterpret_cast<const T*>(data[1] + i * s[1]), *reinterpret_cast<const T*>(data[2] + i * s[2])));
    }
}

/// The lanes' truth as bools, one after the other.
inline void store_as(bool* p, Mask<float> m) {
    typedef std::int8_t B __attribute__((vector_size(vector_bytes / 4)));
    const B truth = __builtin_convertvector(m.m, B) & 1;
    std::memcpy(p, &truth, sizeof(truth));
}
inline void store_as(bool* p, Mask<double> m) {
    typedef std::int8_t B __attribute__((vector_size(vector_bytes / 8)));
    const B truth = __builtin_convertvector(m.m, B) & 1;
    std::memcpy(p, &truth, sizeof(truth));
}

namespace detail {
/// `m` elements, `stride` bytes apart, to and from a block. Apart from the loops, which have many instances.
template <class T> [[gnu::noinline]] void gather(T* to, const char* from, std::int64_t stride, int m) {
    for (int k = 0; k < m; ++k) to[k] = *reinterpret_cast<const T*>(from + k * stride);
}
template <class T> [[gnu::noinline]] void scatter(char* to, std::int64_t stride, const T* from, int m) {
    for (int k = 0; k < m; ++k) *reinterpret_cast<T*>(to + k * stride) = from[k];
}

template <class R, class F, class T, std::size_t... I>
void run_lanes(char* const* data, const std::int64_t* s, std::int64_t n, const F& f, std::index_sequence<I...>) {
    constexpr int w = Vec<Compute<T>>::size;
    T block[sizeof...(I)][w] = {};
    std::int64_t i = 0;
    if constexpr (!std::is_same_v<T, Compute<T>>)
        // Bounds, factors: what is repeated is widened once.
        if (sizeof...(I) > 1 && dense<R>(s[0]) && dense<T>(s[1]) && ((I == 0 || s[I + 1] == 0) && ...)) {
            const Vec<float> repeated[] = {Vec<float>(float(*reinterpret_cast<const T*>(data[I + 1])))...};
            R* const out = reinterpret_cast<R*>(data[0]);
            const T* const in = reinterpret_cast<const T*>(data[1]);
            for (; i + w <= n; i += w) store_as(out + i, f((I == 0 ? load_as(in + i) : repeated[I])...));
        }
    if (i == 0 && dense<R>(s[0]) && ((dense<T>(s[I + 1]) || s[I + 1] == 0) && ...)) {
        // A repeated element fills a block, which is read again and again: one loop for every mixture.
        const T* from[] = {s[I + 1] == 0 ? block[I] : reinterpret_cast<const T*>(data[I + 1])...};
        const std::int64_t step[] = {s[I + 1] == 0 ? 0 : w...};
        (gather(block[I], data[I + 1], s[I + 1], s[I + 1] == 0 ? w : 0), ...);
        R* out = reinterpret_cast<R*>(data[0]);
        for (; i + w <= n; i += w, out += w) {
            store_as(out, f(load_as(from[I])...));
            ((from[I] += step[I]), ...);
        }
    }
    // Tails, and every other layout: gathered into a block and scattered, one arithmetic for all.
    for (; i < n; i += w) {
        const int m = int(n - i < w ? n - i : w);
        (gather(block[I], data[I + 1] + i * s[I + 1], s[I + 1], m), ...);
        R made[w];
        store_as(made, f(load_as(block[I])...));
        scatter(data[0] + i * s[0], s[0], made, m);
    }
}
} // namespace detail

/// out = f(a, b, c, ...) elementwise, of `operands` vectors of T; R is T, or bool where f gives the lanes' truth. Any
/// operand may be one repeated element.
template <class F, class T, class R, int operands>
void lanes_loop(char* const* data, const std::int64_t* s, std::int64_t n, const void* context) {
    detail::run_lanes<R, F, T>(data, s, n, *static_cast<const F*>(context), std::make_index_sequence<operands>{});
}

} // namespace reel::cpu::REEL_ISA
