// Products and quotients added to a tensor, and linear interpolation, each in one pass.
#pragma once

#include <cmath>

#include <reel/autograd/pointwise/rule.hpp>
#include <reel/autograd/scalar.hpp>

namespace reel::pointwise {

/// A plain number as a rule keeps it for its arithmetic on any device.
class Factor {
public:
    explicit Factor(const Scalar& s)
        : whole_(s.isIntegral(true) ? s.toLong() : 0), part_(s.toComplexDouble().real()),
          imaginary_(s.toComplexDouble().imag()) {}
    /// The number in the arithmetic of T; whole for integers.
    template <class T> REEL_HD T as() const {
        if constexpr (std::is_integral_v<T>) return T(whole_);
        else if constexpr (math::is_complex<T>::value)
            return T(typename T::value_type(part_), typename T::value_type(imaginary_));
        else if constexpr (requires { typename T::Scalar; }) return T(typename T::Scalar(part_));
        else return T(part_);
    }

private:
    std::int64_t whole_;
    double part_, imaginary_;
};

/// input + value tensor1 tensor2
struct addcmul_op : ternary<Result::Same, all_numbers, none, c, b>, vector_form {
    Scalar value;
    Factor factor;
    explicit addcmul_op(const Scalar& v) : value(v), factor(v) {}
    template <class T> REEL_HD T f(T x, T p, T q) const {
        if constexpr (std::is_integral_v<T>)
            return T(math::wrapping(x) + math::wrapping(factor.as<T>()) * math::wrapping(p) * math::wrapping(q));
        else return T(x + factor.as<T>() * p * q);
    }
    template <class T> T da(T g, T, T, T, T) const { return g; }
    template <class T> T db(T g, T, T, T q, T) const { return g * conj(q * value); }
    template <class T> T dc(T g, T, T p, T, T) const { return g * conj(p * value); }
};
/// input + value tensor1 / tensor2
struct addcdiv_op : ternary<Result::Same, floating | complex, none, c, b | c>, vector_form {
    Scalar value;
    Factor factor;
    explicit addcdiv_op(const Scalar& v) : value(v), factor(v) {}
    template <class T> REEL_HD T f(T x, T p, T q) const { return T(x + factor.as<T>() * p / q); }
    template <class T> T da(T g, T, T, T, T) const { return g; }
    template <class T> T db(T g, T, T, T q, T) const { return g * conj(value / q); }
    template <class T> T dc(T g, T, T p, T q, T) const { return -g * conj(p * value / (q * q)); }
};

/// From the nearer end, so that weight 1 gives `end` exactly.
template <class T> REEL_HD T between(T x, T end, T weight) {
    using Size = decltype(abs(weight));
    return where(abs(weight) < constant<Size>(0.5), x + weight * (end - x),
                 end - (end - x) * (constant<T>(1) - weight));
}
/// input + weight (end - input)
struct lerp_op : ternary<Result::Same, floating | complex, c, c, a | b>, vector_form {
    template <class T> REEL_HD T f(T x, T end, T weight) const { return between(x, end, weight); }
    template <class T> T da(T g, T, T, T w, T) const { return g * conj(1 - w); }
    template <class T> T db(T g, T, T, T w, T) const { return g * conj(w); }
    template <class T> T dc(T g, T x, T end, T, T) const { return g * conj(end - x); }
};
/// The same with a plain number as the weight.
struct lerp_number_op : binary<Result::Same, floating | complex>, vector_form {
    Scalar weight;
    Factor factor;
    explicit lerp_number_op(const Scalar& w) : weight(w), factor(w) {}
    template <class T> REEL_HD T f(T x, T end) const { return between(x, end, factor.as<T>()); }
    template <class T> T da(T g, T, T, T) const { return times(g, 1.0 - weight.toComplexDouble()); }
    template <class T> T db(T g, T, T, T) const { return times(g, weight.toComplexDouble()); }

private:
    template <class T> T times(T g, std::complex<double> by) const {
        return weight.isComplex() ? g * Scalar(std::conj(by)) : g * by.real();
    }
};

} // namespace reel::pointwise
