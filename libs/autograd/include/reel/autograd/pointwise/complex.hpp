// Magnitudes and signs; complex numbers and their parts.
#pragma once

#include <cmath>
#include <limits>

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// |x| as a divisor: infinite at zero, where the quotient and its derivatives are to be zero.
template <class T> T divisor_of(const T& x) {
    const T r = abs(x);
    return masked_fill(r, r == 0, std::numeric_limits<double>::infinity());
}

/// Magnitude, real for complex input.  gx = g sgn(x)
REEL_OP("abs(Tensor input) -> Tensor", rule, method, out_exact, inplace, alias("absolute"))
struct abs_op : unary<Result::Same, all_numbers | boolean, Saves::Input>, vector_form {
    template <class T> REEL_HD auto f(T x) const {
        if constexpr (std::is_same_v<T, bool>) return x;
        else if constexpr (std::is_floating_point_v<T>) return std::abs(x);
        else return abs(x);
    }
    template <class T> T df(T g, T x, T) const { return g * sgn(x); }
};

/// -1, 0 or 1; 0 for NaN.
REEL_OP("sign(Tensor input) -> Tensor", rule, method, out_exact, inplace)
struct sign_op : unary<Result::Same, reals | boolean>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        if constexpr (std::is_same_v<T, bool>) return x;
        else if constexpr (std::is_integral_v<T>) return T(int(x > 0) - int(x < 0));
        else
            return where(x > constant<T>(0), constant<T>(1),
                         where(x < constant<T>(0), constant<T>(-1), constant<T>(0)));
    }
    template <class T> T df(T g, T, T) const { return zeros_like(g); }
    void check(const char* op, const Tensor& x) const {
        REEL_CHECK(!x.is_complex(), op, ": input is complex; use sgn");
    }
};
/// x / |x|, zero at zero; `sign` for real input.
REEL_OP("sgn(Tensor input) -> Tensor", rule, method, out_exact, inplace)
struct sgn_op : unary<Result::Same, all_numbers | boolean, Saves::Input>, vector_form {
    template <class T> REEL_HD T f(T x) const {
        if constexpr (math::is_complex<T>::value) {
            const auto r = abs(x);
            return r == 0 ? T(0) : x / r;
        } else return sign_op().f(x);
    }
    template <class T> T df(T g, T x, T) const {
        if (!x.is_complex()) return zeros_like(g);
        // Only the part of g across the direction of x counts, and nothing at zero.
        const T s = sgn(x), across = g / divisor_of(x);
        return across - real(across * conj(s)) * s;
    }
};

/// Phase in [-pi, pi]; for real input pi below zero and 0 elsewhere.
REEL_OP("angle(Tensor input) -> Tensor", rule, method, out)
struct angle_op : unary<Result::ToFloat, floating | complex, Saves::Input> {
    template <class T> REEL_HD auto f(T x) const {
        if constexpr (math::is_complex<T>::value) return std::atan2(x.imag(), x.real());
        else return x != x ? x : x < 0 ? T(3.14159265358979323846) : T(0);
    }
    template <class T> T df(T g, T x, T) const {
        if (!x.is_complex()) return zeros_like(g);
        const T r = divisor_of(x);
        return g * (x / r / r) * Scalar(std::complex<double>(0, 1));
    }
};

/// Conjugation.
struct conj_op : unary<Result::Same, complex> {
    template <class T> REEL_HD T f(T x) const { return conj(x); }
    template <class T> T df(T g, T, T) const { return conj(g); }
};

/// What `complex` and `polar` ask of their operands.
inline void check_parts(const char* op, const char* first, const char* second, const Tensor& x, const Tensor& o,
                        const char* both) {
    const ScalarType t = x.scalar_type();
    REEL_CHECK(t == o.scalar_type(), op, ": ", first, " is ", dtype_name(t), " and ", second, " is ",
               dtype_name(o.scalar_type()), "; expected one dtype");
    REEL_CHECK(t == kFloat || t == kDouble, op, ": ", both, " are ", dtype_name(t), "; expected float32 or float64");
}
/// real + i imag
REEL_OP("complex(Tensor real, Tensor imag) -> Tensor", rule, out_exact)
struct complex_op : binary<Result::Same, floating> {
    template <class T> REEL_HD std::complex<T> f(T x, T o) const { return std::complex<T>(x, o); }
    template <class T> T da(T g, T, T, T) const { return real(as_complex(g)); }
    template <class T> T db(T g, T, T, T) const { return imag(as_complex(g)); }
    void check(const char* op, const Tensor& x, const Tensor& o) const {
        check_parts(op, "real", "imag", x, o, "the parts");
    }

private:
    template <class T> static T as_complex(const T& g) {
        return g.is_complex() ? g : g.to(toComplexType(g.scalar_type()));
    }
};
/// abs e^(i angle)
REEL_OP("polar(Tensor abs, Tensor angle) -> Tensor", rule, out_exact)
struct polar_op : binary<Result::Same, floating, b, y> {
    template <class T> REEL_HD std::complex<T> f(T r, T phi) const {
        return std::complex<T>(r * std::cos(phi), r * std::sin(phi));
    }
    template <class T> T da(T g, T, T phi, T) const { return real(conj(g) * polar(ones_like(phi), phi)); }
    template <class T> T db(T g, T, T, T y) const { return real(conj(g) * (y * Scalar(std::complex<double>(0, 1)))); }
    void check(const char* op, const Tensor& x, const Tensor& o) const {
        check_parts(op, "abs", "angle", x, o, "abs and angle");
    }
};

} // namespace reel::pointwise
