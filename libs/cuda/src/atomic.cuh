// Indivisible updates of elements of any size that the device has words for.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "strided.cuh"

namespace reel::cuda {

/// Replaces `*p` by `f(*p)` in one indivisible step; T has one, two, four or eight bytes.
template <class T, class F> __device__ void atomic_update(T* p, const F& f) {
    static_assert(sizeof(T) <= 8);
    if constexpr (sizeof(T) >= 4) {
        using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
        Word* const word = reinterpret_cast<Word*>(p);
        Word seen = atomicCAS(word, Word(0), Word(0)); // read as a part of the same protocol
        for (Word expected = ~seen; expected != seen;) {
            expected = seen;
            seen = atomicCAS(word, expected, std::bit_cast<Word>(f(std::bit_cast<T>(expected))));
        }
    } else { // a part of a word, whose other parts stay as they are
        const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(p), low = at & 3;
        unsigned* const word = reinterpret_cast<unsigned*>(at - low);
        using Part = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
        const unsigned shift = unsigned(low) * 8, mask = unsigned(Part(~Part(0))) << shift;
        unsigned seen = atomicCAS(word, 0u, 0u);
        for (unsigned expected = ~seen; expected != seen;) {
            expected = seen;
            const T before = std::bit_cast<T>(Part((expected & mask) >> shift));
            const unsigned after = unsigned(std::bit_cast<Part>(f(before))) << shift;
            seen = atomicCAS(word, expected, (expected & ~mask) | after);
        }
    }
}

/// The sum, in the elements' own arithmetic: whole numbers wrap, bools meet by `or`.
template <class T> __device__ T sum_of(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, bool>) return a || b;
    else if constexpr (std::is_integral_v<T>) return T(std::uint64_t(a) + std::uint64_t(b));
    else return T(compute_t<T>(a) + compute_t<T>(b));
}
/// The product on the same terms, bools meeting by `and`.
template <class T> __device__ T product_of(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, bool>) return a && b;
    else if constexpr (std::is_integral_v<T>) return T(std::uint64_t(a) * std::uint64_t(b));
    else return T(compute_t<T>(a) * compute_t<T>(b));
}

/// `*p += value` as `sum_of`, indivisibly; of complex numbers part by part.
template <class T> __device__ void atomic_add(T* p, const T& value) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) atomicAdd(p, value);
    else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
        using Part = typename T::value_type;
        Part* const parts = reinterpret_cast<Part*>(p);
        atomicAdd(parts, value.real());
        atomicAdd(parts + 1, value.imag());
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        using Word = unsigned long long;
        atomicAdd(reinterpret_cast<Word*>(p), Word(value));
    } else if constexpr (std::is_same_v<T, std::int32_t>) atomicAdd(reinterpret_cast<unsigned*>(p), unsigned(value));
    else atomic_update(p, [value](T x) { return sum_of(x, value); });
}

} // namespace reel::cuda
