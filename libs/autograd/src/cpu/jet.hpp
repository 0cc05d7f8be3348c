// Truncated power series: derivatives of what recurrences, sums and continued fractions compute, by the same text.
#pragma once

#include <array>
#include <cmath>

#include <reel/autograd/ops/pointwise/exponential.hpp>

namespace reel {

/// A value and its derivatives up to the order N, over the factorials.
template <int N> struct Jet {
    std::array<double, N + 1> c{};
    Jet(double value = 0) { c[0] = value; }
    /// The variable itself, at `value`.
    static Jet variable(double value) {
        Jet j(value);
        j.c[1] = 1;
        return j;
    }
    double derivative(int order) const {
        double factorial = 1;
        for (int k = 2; k <= order; ++k) factorial *= k;
        return c[std::size_t(order)] * factorial;
    }

    Jet operator-() const { return Jet() - *this; }
    friend Jet operator+(Jet a, const Jet& b) {
        for (int k = 0; k <= N; ++k) a.c[std::size_t(k)] += b.c[std::size_t(k)];
        return a;
    }
    friend Jet operator-(Jet a, const Jet& b) {
        for (int k = 0; k <= N; ++k) a.c[std::size_t(k)] -= b.c[std::size_t(k)];
        return a;
    }
    friend Jet operator*(const Jet& a, const Jet& b) {
        Jet r;
        for (int k = 0; k <= N; ++k)
            for (int i = 0; i <= k; ++i) r.c[std::size_t(k)] += a.c[std::size_t(i)] * b.c[std::size_t(k - i)];
        return r;
    }
    friend Jet operator/(const Jet& a, const Jet& b) {
        Jet r;
        for (int k = 0; k <= N; ++k) {
            double v = a.c[std::size_t(k)];
            for (int i = 0; i < k; ++i) v -= r.c[std::size_t(i)] * b.c[std::size_t(k - i)];
            r.c[std::size_t(k)] = v / b.c[0];
        }
        return r;
    }
    Jet& operator+=(const Jet& o) { return *this = *this + o; }
    Jet& operator*=(const Jet& o) { return *this = *this * o; }
    Jet& operator/=(const Jet& o) { return *this = *this / o; }
};

template <int N> Jet<N> exp(const Jet<N>& a) { // y' = a' y
    Jet<N> r(std::exp(a.c[0]));
    for (int k = 1; k <= N; ++k) {
        double v = 0;
        for (int i = 1; i <= k; ++i) v += i * a.c[std::size_t(i)] * r.c[std::size_t(k - i)];
        r.c[std::size_t(k)] = v / k;
    }
    return r;
}

inline double value_of(double x) { return x; }
template <int N> double value_of(const Jet<N>& x) { return x.c[0]; }
inline double power(double base, double exponent) { return std::pow(base, exponent); }
template <int N> Jet<N> power(double base, const Jet<N>& exponent) { return exp(exponent * Jet<N>(std::log(base))); }
/// Does adding `term` to `sum` change nothing any more?
inline bool negligible(double term, double sum) { return std::abs(term) < 1e-17 * std::abs(sum); }
template <int N> bool negligible(const Jet<N>& term, const Jet<N>& sum) {
    for (int k = 0; k <= N; ++k)
        if (!negligible(term.c[std::size_t(k)], sum.c[std::size_t(k)])) return false;
    return true;
}

} // namespace reel
