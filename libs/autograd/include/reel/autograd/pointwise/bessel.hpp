// Bessel and Airy functions.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>
#include <reel/autograd/pointwise/special_math.hpp>

namespace reel::pointwise {

/// f(x)/x with its limit at zero.
template <class T> T over_x(const T& f, const T& x, double limit) {
    const T zero = x == 0;
    return where(zero, limit, f / masked_fill(x, zero, 1));
}

REEL_OP("i0(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.i0"))
struct i0_op : in_double<special_math::i0, Saves::Input> {
    template <class T> T df(T g, T x, T) const { return g * special_i1(x); }
};
/// e^-|x| I0(x)
REEL_OP("special.i0e(Tensor input) -> Tensor", rule, out)
struct i0e_op : in_double<special_math::i0e, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return g * (special_i1e(x) - sgn(x) * o); }
};
REEL_OP("special.i1(Tensor input) -> Tensor", rule, out)
struct i1_op : in_double<special_math::i1, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return g * (i0(x) - over_x(o, x, 0.5)); }
};
/// e^-|x| I1(x)
REEL_OP("special.i1e(Tensor input) -> Tensor", rule, out)
struct i1e_op : in_double<special_math::i1e, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return g * (special_i0e(x) - o * sgn(x) - over_x(o, x, 0.5)); }
};
REEL_OP("special.modified_bessel_k0(Tensor input) -> Tensor", rule, out, domain(0, infinity))
struct k0_op : in_double<special_math::k0, Saves::Input> {
    template <class T> T df(T g, T x, T) const { return -g * special_modified_bessel_k1(x); }
};
REEL_OP("special.modified_bessel_k1(Tensor input) -> Tensor", rule, out, domain(0, infinity))
struct k1_op : in_double<special_math::k1, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return -g * (special_modified_bessel_k0(x) + o / x); }
};
/// e^x K0(x)
REEL_OP("special.scaled_modified_bessel_k0(Tensor x) -> Tensor", rule, out, domain(0, infinity))
struct k0e_op : in_double<special_math::k0e, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return g * (o - special_scaled_modified_bessel_k1(x)); }
};
/// e^x K1(x)
REEL_OP("special.scaled_modified_bessel_k1(Tensor x) -> Tensor", rule, out, domain(0, infinity))
struct k1e_op : in_double<special_math::k1e, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return g * (o - special_scaled_modified_bessel_k0(x) - o / x); }
};
REEL_OP("special.bessel_j0(Tensor input) -> Tensor", rule, out)
struct j0_op : in_double<special_math::j0, Saves::Input> {
    template <class T> T df(T g, T x, T) const { return -g * special_bessel_j1(x); }
};
REEL_OP("special.bessel_j1(Tensor input) -> Tensor", rule, out)
struct j1_op : in_double<special_math::j1, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return g * (special_bessel_j0(x) - over_x(o, x, 0.5)); }
};
REEL_OP("special.bessel_y0(Tensor input) -> Tensor", rule, out, domain(0, infinity))
struct y0_op : in_double<special_math::y0, Saves::Input> {
    template <class T> T df(T g, T x, T) const { return -g * special_bessel_y1(x); }
};
REEL_OP("special.bessel_y1(Tensor input) -> Tensor", rule, out, domain(0, infinity))
struct y1_op : in_double<special_math::y1, Saves::Both> {
    template <class T> T df(T g, T x, T o) const { return g * (special_bessel_y0(x) - o / x); }
};
/// Ai', whose derivative is x Ai(x).
struct airy_ai_prime_op : in_double<special_math::airy_ai_prime, Saves::Input> {
    template <class T> T df(T g, T x, T) const { return g * (x * special_airy_ai(x)); }
};
/// Airy's Ai.
REEL_OP("special.airy_ai(Tensor x) -> Tensor", rule, out)
struct airy_ai_op : in_double<special_math::airy_ai, Saves::Input> {
    template <class T> T df(T g, T x, T) const { return g * apply("special.airy_ai_backward", airy_ai_prime_op{}, x); }
};

} // namespace reel::pointwise
