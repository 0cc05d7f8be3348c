// Complex numbers in lanes: a vector of real and one of imaginary parts.
#pragma once

#include <utility>

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

template <class T> struct Complex {
    using V = Vec<T>;
    static constexpr int row = 2 * V::size; ///< numbers in a row of a block
    V re, im;

    static Complex load(const T* p) { return {V::load(p), V::load(p + V::size)}; }
    void store(T* p) const {
        re.store(p);
        im.store(p + V::size);
    }
    /// The same number in every lane.
    static Complex all(const T* p) { return {V(p[0]), V(p[1])}; }
    /// Of elements that lie one after the other, real and imaginary parts alternating.
    static Complex load_dense(const T* p) { return separated(V::load(p), V::load(p + V::size)); }
    static Complex separated(V a, V b) { return separated(a, b, std::make_index_sequence<std::size_t(V::size)>{}); }
    void store_dense(T* p) const {
        const auto [a, b] = mixed(std::make_index_sequence<std::size_t(V::size)>{});
        V(a).store(p);
        V(b).store(p + V::size);
    }
    /// The lanes in the opposite order.
    Complex reversed() const { return reversed(std::make_index_sequence<std::size_t(V::size)>{}); }
    Complex conj() const { return {re, -im}; }
    /// Times -i.
    Complex turned() const { return {im, -re}; }

    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    friend Complex operator*(Complex a, V s) { return {a.re * s, a.im * s}; }

    using Raw = typename RawOf<T>::type;
    using Lanes = typename RawOf<T>::mask;
    std::pair<Raw, Raw> mixed() const { return mixed(std::make_index_sequence<std::size_t(V::size)>{}); }

private:
    template <std::size_t... L> static Complex separated(V a, V b, std::index_sequence<L...>) {
        constexpr Lanes even = {2 * int(L)...}, odd = {2 * int(L) + 1 ...};
        return {V(__builtin_shuffle(a.v, b.v, even)), V(__builtin_shuffle(a.v, b.v, odd))};
    }
    template <std::size_t... L> std::pair<Raw, Raw> mixed(std::index_sequence<L...>) const {
        constexpr int n = V::size;
        constexpr Lanes low = {(int(L) % 2 * n + int(L) / 2)...}, high = {(int(L) % 2 * n + n / 2 + int(L) / 2)...};
        return {__builtin_shuffle(re.v, im.v, low), __builtin_shuffle(re.v, im.v, high)};
    }
    template <std::size_t... L> Complex reversed(std::index_sequence<L...>) const {
        constexpr Lanes back = {V::size - 1 - int(L)...};
        return {V(__builtin_shuffle(re.v, back)), V(__builtin_shuffle(im.v, back))};
    }
};

} // namespace reel::cpu::REEL_ISA
