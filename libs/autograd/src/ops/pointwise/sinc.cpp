// The sine over its argument.
#include "ops/pointwise/elementwise.hpp"

#include <cmath>
#include <complex>
#include <type_traits>

#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/sinc.hpp>
#include <reel/autograd/ops/shape/view.hpp>

namespace reel {

using namespace elementwise;

namespace {

constexpr double pi = 3.14159265358979323846;

/// n-th derivative of sin(z) / z in double precision, real or complex. Near zero its power series, with terms
/// (-1)^k z^m / (m! (n + m + 1)) for n + m = 2k; elsewhere the n-th derivatives of both sides of z f(z) = sin(z).
template <class W> W sine_over(int n, W z) {
    if (std::abs(z) < std::max(1.0, 0.5 * n)) {
        W power = n % 2 ? z : W(1), sum = 0; // z^m / m!
        for (int m = n % 2; m < 60 + n; m += 2) {
            sum += power * (((n + m) / 2 % 2 ? -1.0 : 1.0) / double(n + m + 1));
            power *= z * z / (double(m + 1) * double(m + 2));
        }
        return sum;
    }
    const W sine = std::sin(z), cosine = std::cos(z);
    W f = sine / z;
    for (int k = 1; k <= n; ++k) {
        const W side = k % 4 == 0 ? sine : k % 4 == 1 ? cosine : k % 4 == 2 ? -sine : -cosine;
        f = (side - double(k) * f) / z;
    }
    return f;
}

/// n-th derivative of sin(s x) / (s x).
Tensor scaled_sine_over(const char* op, const Tensor& x, double s, int n) {
    const Tensor y = map<Floats | Complexes>(
        op, x.scalar_type(),
        [=](auto v) {
            using T = decltype(v);
            using W = std::conditional_t<is_complex_v<T>, std::complex<double>, double>;
            return T(std::pow(s, n) * sine_over(n, s * W(v)));
        },
        x);
    record(op, {x}, y, {x},
           [=](RuleContext& c) -> GradList { return {c.grad() * conj(scaled_sine_over(op, c.saved(0), s, n + 1))}; });
    return y;
}

} // namespace

/// sin(pi x) / (pi x), one at zero; derivatives of every order, at zero, too.
REEL_OP("sinc(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.sinc"))
Tensor sinc(const Tensor& input) {
    const Tensor y = map<Floats | Complexes>(
        "sinc", to_float(input),
        [](auto x) {
            using T = decltype(x);
            if (x == T(0)) return T(1);
            const T z = T(pi) * x;
            return std::sin(z) / z;
        },
        input);
    record("sinc", {input}, y, {input},
           [](RuleContext& c) -> GradList { return {c.grad() * conj(scaled_sine_over("sinc", c.saved(0), pi, 1))}; });
    return y;
}
/// sin(x) / x, one at zero; derivatives of every order, at zero, too.
REEL_OP("special.spherical_bessel_j0(Tensor x) -> Tensor", rule, out)
Tensor special_spherical_bessel_j0(const Tensor& input) {
    const Tensor y = map<Floats>(
        "special.spherical_bessel_j0", to_float(input),
        [](auto x) { return decltype(x)(std::isinf(x) ? 0 : sine_over(0, double(x))); }, input);
    record("special.spherical_bessel_j0", {input}, y, {input}, [](RuleContext& c) -> GradList {
        return {c.grad() * scaled_sine_over("special.spherical_bessel_j0", c.saved(0), 1, 1)};
    });
    return y;
}

} // namespace reel
