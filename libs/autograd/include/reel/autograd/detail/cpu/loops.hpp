// Makers of inner loops over vectors: a functor becomes one that runs over any strides
// (reel/autograd/pointwise/loop.hpp).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <reel/autograd/detail/cpu/strided_blocks.hpp>
#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

constexpr std::int64_t stream_from = std::int64_t(16) << 20; // results of more bytes bypass the caches

/// The hardware's prefetchers stop at page borders and start anew; asking for what comes next gains 5 to 10 % there.
template <class T> inline void fetch_ahead(const T* p) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + 1024));
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

// One function for all loops of an instruction set: g++ would specialise it for each file.
#if defined(__GNUC__) && !defined(__clang__)
#define REEL_ONE_FUNCTION [[gnu::noinline, gnu::noclone]]
#else
#define REEL_ONE_FUNCTION [[gnu::noinline]]
#endif

namespace detail {
#if defined(__AVX512BW__) && defined(__BMI2__)
inline __mmask64 first_bytes(std::size_t bytes) { return __mmask64(_bzhi_u64(~0ull, unsigned(bytes))); }
/// `bytes` bytes, at most a vector's, and zeros behind them.
inline void load_part(void* block, const void* from, std::size_t bytes) {
    _mm512_storeu_si512(block, _mm512_maskz_loadu_epi8(first_bytes(bytes), from));
}
/// `bytes` bytes of a block that is as long as a vector.
inline void store_part(void* to, const void* block, std::size_t bytes) {
    _mm512_mask_storeu_epi8(to, first_bytes(bytes), _mm512_loadu_si512(block));
}
/// Is the end of dense floats one more step of the loop, by parts of vectors? Of other types it would cost size that
/// small tensors of them are not worth.
template <class T> inline constexpr bool ends_by_parts = std::is_same_v<T, float>;
/// The first `count` elements of a vector, and zeros behind them.
inline Vec<float> load_end(const float* p, std::int64_t count) {
    return Vec<float>((Vec<float>::Raw)_mm512_maskz_loadu_ps(__mmask16(first_bytes(std::size_t(count))), p));
}
inline void store_end(float* p, Vec<float> x, std::int64_t count) {
    _mm512_mask_storeu_ps(p, __mmask16(first_bytes(std::size_t(count))), (__m512)x.v);
}
#else
template <class T> inline constexpr bool ends_by_parts = false;
template <class U> void copy_ends(char* to, const char* from, std::size_t bytes) {
    U first, last;
    std::memcpy(&first, from, sizeof(U));
    std::memcpy(&last, from + bytes - sizeof(U), sizeof(U));
    std::memcpy(to, &first, sizeof(U));
    std::memcpy(to + bytes - sizeof(U), &last, sizeof(U));
}
/// `bytes` bytes, at most a vector's.
REEL_ONE_FUNCTION inline void store_part(void* to, const void* block, std::size_t bytes) {
    char* const t = static_cast<char*>(to);
    const char* const f = static_cast<const char*>(block);
    struct Sixteen {
        std::uint64_t a, b;
    };
    if (bytes > 32) return std::memcpy(t, f, 32), store_part(t + 32, f + 32, bytes - 32);
    if (bytes >= 16) copy_ends<Sixteen>(t, f, bytes);
    else if (bytes >= 8) copy_ends<std::uint64_t>(t, f, bytes);
    else if (bytes >= 4) copy_ends<std::uint32_t>(t, f, bytes);
    else if (bytes >= 2) copy_ends<std::uint16_t>(t, f, bytes);
    else if (bytes == 1) *t = *f;
}
inline void load_part(void* block, const void* from, std::size_t bytes) {
    std::memset(block, 0, vector_bytes);
    store_part(block, from, bytes);
}
#endif

template <class T> bool dense(std::int64_t stride) { return stride == std::int64_t(sizeof(T)); }
template <int operands> bool repeat_all(const std::int64_t* s) {
    std::int64_t any = 0;
    for (int a = 1; a <= operands; ++a) any |= s[a];
    return any == 0;
}

template <int operands, int bytes, int result_bytes> bool all_dense(const std::int64_t* s) {
    std::int64_t other = s[0] ^ result_bytes;
    for (int a = 1; a <= operands; ++a) other |= s[a] ^ bytes;
    return other == 0;
}

/// Elements `i` to `n` of operands of any strides, by a loop for whole vectors of what is dense, or repeated beside
/// what is dense. What does not fill a vector goes through its code, too, so that results do not depend on the
/// position.
template <int operands, int bytes, int result_bytes>
REEL_ONE_FUNCTION void run_rest(BlockLoop loop, char* const* data, const std::int64_t* s, std::int64_t i,
                                std::int64_t n, const void* context) {
    constexpr int lanes = vector_bytes / (bytes == 8 ? 8 : 4);
    if (n - i > 2 * lanes) return run_in_blocks(loop, {operands, bytes, result_bytes}, data, s, n, context);
    if (n - i <= lanes && all_dense<operands, bytes, result_bytes>(s)) { // the end of dense ones, and small tensors
        alignas(vector_bytes) char blocks[operands + 1][vector_bytes];
        char* at[operands + 1] = {blocks[0]};
#pragma GCC unroll 4
        for (int a = 1; a <= operands; ++a) {
            at[a] = blocks[a];
            load_part(blocks[a], data[a] + i * bytes, std::size_t(n - i) * bytes);
        }
        loop(at, s, lanes, context);
        return store_part(data[0] + i * result_bytes, blocks[0], std::size_t(n - i) * result_bytes);
    }
    const bool all_repeat = repeat_all<operands>(s);
    for (; i < n; i += lanes) {
        const std::int64_t m = n - i < lanes ? n - i : lanes;
        alignas(vector_bytes) char blocks[operands + 1][vector_bytes];
        char* at[operands + 1] = {blocks[0]};
        std::int64_t step[operands + 1] = {result_bytes};
        for (int a = 1; a <= operands; ++a) {
            char* const there = data[a] + i * s[a];
            const bool repeats = s[a] == 0 && !(a == 1 && all_repeat);
            at[a] = repeats ? there : blocks[a];
            step[a] = repeats ? 0 : bytes;
            if (s[a] == bytes) load_part(blocks[a], there, std::size_t(m) * bytes);
            else if (!repeats) {
                std::memset(blocks[a], 0, vector_bytes);
                gather_block<bytes>(blocks[a], there, s[a], m);
            }
        }
        loop(at, step, lanes, context);
        char* const out = data[0] + i * s[0];
        if (s[0] == result_bytes) store_part(out, blocks[0], std::size_t(m) * result_bytes);
        else scatter_block<result_bytes>(out, s[0], blocks[0], m);
    }
}

// Functors are taken by value: a store through a pointer could change what a reference leads to, and a rule's numbers
// would be converted and spread anew for each vector.

/// Whole vectors of dense operands, and of some types the end; how far they reach.
template <class F, class T, class R, std::size_t... I>
std::int64_t run_dense(char* const* data, std::int64_t n, F f, std::index_sequence<I...>) {
    constexpr int w = Vec<Compute<T>>::size;
    const std::int64_t whole = n & -std::int64_t(w);
    R* const out = reinterpret_cast<R*>(data[0]);
    const T* const from[] = {reinterpret_cast<const T*>(data[I + 1])...};
    std::int64_t i = 0;
    if constexpr (sizeof...(I) <= 2 && std::is_same_v<T, Compute<T>> && std::is_same_v<R, T>)
        if (whole * std::int64_t(sizeof(T)) >= stream_from &&
            reinterpret_cast<std::uintptr_t>(out) % vector_bytes == 0) {
            for (; i < whole; i += w) {
                (fetch_ahead(from[I] + i), ...);
                stream(out + i, f(load_as(from[I] + i)...));
            }
            stream_fence();
        }
    for (; i < whole; i += w) store_as(out + i, f(load_as(from[I] + i)...));
    if constexpr (ends_by_parts<T> && std::is_same_v<R, T>)
        if (whole < n) {
            store_end(out + whole, f(load_end(from[I] + whole, n - whole)...), n - whole);
            return n;
        }
    return whole;
}

/// One element again and again, widened once.
template <class T> struct Repeated {
    Vec<Compute<T>> x;
    Repeated(const char* data) : x(Compute<T>(*reinterpret_cast<const T*>(data))) {}
    Vec<Compute<T>> operator()(std::int64_t) const { return x; }
};
template <class T> struct Dense {
    const T* p;
    Dense(const char* data) : p(reinterpret_cast<const T*>(data)) {}
    Vec<Compute<T>> operator()(std::int64_t i) const { return load_as(p + i); }
};
template <class T, class R, class F, class... X> std::int64_t run_over(char* out, std::int64_t whole, F f, X... x) {
    R* const to = reinterpret_cast<R*>(out);
    for (std::int64_t i = 0; i < whole; i += Vec<Compute<T>>::size) store_as(to + i, f(x(i)...));
    return whole;
}
/// Whole vectors of operands of which some are repeated elements, not all.
template <class F, class T, class R, std::size_t... I>
std::int64_t run_repeated(char* const* data, const std::int64_t* s, std::int64_t whole, F f,
                          std::index_sequence<I...>) {
    if (dense<T>(s[1]) && ((I == 0 || s[I + 1] == 0) && ...)) // bounds, factors
        return run_over<T, R>(data[0], whole, f, std::conditional_t<I == 0, Dense<T>, Repeated<T>>(data[I + 1])...);
    if constexpr (sizeof...(I) == 2) return run_over<T, R>(data[0], whole, f, Repeated<T>(data[1]), Dense<T>(data[2]));
    constexpr int w = Vec<Compute<T>>::size;
    // A repeated element fills a block, which is read again and again: one loop for every mixture.
    alignas(vector_bytes) T blocks[sizeof...(I)][w];
    for (int k = 0; k < w; ++k) ((blocks[I][k] = *reinterpret_cast<const T*>(data[I + 1])), ...);
    const T* from[] = {s[I + 1] == 0 ? blocks[I] : reinterpret_cast<const T*>(data[I + 1])...};
    const std::int64_t step[] = {s[I + 1] == 0 ? 0 : w...};
    R* out = reinterpret_cast<R*>(data[0]);
    for (std::int64_t i = 0; i < whole; i += w) {
        store_as(out + i, f(load_as(from[I])...));
        ((from[I] += step[I]), ...);
    }
    return whole;
}
/// Whole vectors of what is dense, or repeated beside what is dense; how far they reach.
template <class F, class T, class R, std::size_t... I>
std::int64_t run_lanes(char* const* data, const std::int64_t* s, std::int64_t n, F f, std::index_sequence<I...> all) {
    if (!dense<R>(s[0])) return 0;
    if ((dense<T>(s[I + 1]) && ...)) return run_dense<F, T, R>(data, n, f, all);
    const std::int64_t whole = n & -std::int64_t(Vec<Compute<T>>::size);
    if constexpr (sizeof...(I) > 1)
        if (((dense<T>(s[I + 1]) || s[I + 1] == 0) && ...) && (dense<T>(s[I + 1]) || ...))
            return run_repeated<F, T, R>(data, s, whole, f, all);
    return 0;
}
} // namespace detail
#undef REEL_ONE_FUNCTION

/// out = f(a, b, c, ...) elementwise, of `operands` vectors of T; R is T, or bool where f gives the lanes' truth. What
/// is written for each rule, type and instruction set is whole vectors of dense operands and repeated elements;
/// everything else is gathered into blocks of these by functions that all rules share.
template <class F, class T, class R, int operands>
void lanes_loop(char* const* data, const std::int64_t* s, std::int64_t n, const void* context) {
    const std::int64_t done =
        detail::run_lanes<F, T, R>(data, s, n, *static_cast<const F*>(context), std::make_index_sequence<operands>{});
    if (done < n)
        detail::run_rest<operands, sizeof(T), sizeof(R)>(&lanes_loop<F, T, R, operands>, data, s, done, n, context);
}

} // namespace reel::cpu::REEL_ISA
