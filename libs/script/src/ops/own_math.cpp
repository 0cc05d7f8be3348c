// The functions of `math`, and what rounds (rule SC-41).
#include <cmath>
#include <limits>
#include <numeric>

#include <reel/autograd/error.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;
using Complex = std::complex<double>;

// The standard library's functions, by name, since a template argument must not be overloaded.
#define REEL_SCRIPT_REAL(NAME)                                                                                         \
    IValue NAME(Span a) { return std::NAME(a[0].toDouble()); }
#define REEL_SCRIPT_COMPLEX(NAME)                                                                                      \
    IValue NAME(Span a) {                                                                                              \
        return a[0].isComplexDouble() ? IValue(std::NAME(a[0].toComplexDouble()))                                      \
                                      : IValue(std::NAME(a[0].toDouble()));                                            \
    }
REEL_SCRIPT_COMPLEX(sin)
REEL_SCRIPT_COMPLEX(cos)
REEL_SCRIPT_COMPLEX(tan)
REEL_SCRIPT_COMPLEX(asin)
REEL_SCRIPT_COMPLEX(acos)
REEL_SCRIPT_COMPLEX(atan)
REEL_SCRIPT_COMPLEX(sinh)
REEL_SCRIPT_COMPLEX(cosh)
REEL_SCRIPT_COMPLEX(tanh)
REEL_SCRIPT_COMPLEX(asinh)
REEL_SCRIPT_COMPLEX(acosh)
REEL_SCRIPT_COMPLEX(atanh)
REEL_SCRIPT_COMPLEX(exp)
REEL_SCRIPT_COMPLEX(sqrt)
REEL_SCRIPT_COMPLEX(log10)
REEL_SCRIPT_REAL(log1p)
REEL_SCRIPT_REAL(expm1)
REEL_SCRIPT_REAL(erf)
REEL_SCRIPT_REAL(erfc)
REEL_SCRIPT_REAL(lgamma)
REEL_SCRIPT_REAL(fabs)
REEL_SCRIPT_REAL(nearbyint) // half to even
#undef REEL_SCRIPT_REAL
#undef REEL_SCRIPT_COMPLEX

IValue gamma(Span a) { return std::tgamma(a[0].toDouble()); }
IValue log(Span a) {
    const bool complex = a[0].isComplexDouble() || (a.size() > 1 && a[1].isComplexDouble());
    if (complex) {
        const Complex l = std::log(a[0].toComplexDouble());
        return a.size() > 1 ? l / std::log(a[1].toComplexDouble()) : l;
    }
    const double l = std::log(a[0].toDouble());
    return a.size() > 1 ? l / std::log(a[1].toDouble()) : l;
}
constexpr double pi = 3.14159265358979323846;
IValue degrees(Span a) { return a[0].toDouble() * (180. / pi); }
IValue radians(Span a) { return a[0].toDouble() * (pi / 180.); }
IValue atan2(Span a) { return std::atan2(a[0].toDouble(), a[1].toDouble()); }
IValue copysign(Span a) { return std::copysign(a[0].toDouble(), a[1].toDouble()); }
IValue fmod(Span a) { return std::fmod(a[0].toDouble(), a[1].toDouble()); }
IValue math_remainder(Span a) { return std::remainder(a[0].toDouble(), a[1].toDouble()); }
IValue polar(Span a) { return std::polar(a[0].toDouble(), a[1].toDouble()); }
IValue angle(Span a) {
    if (a[0].isComplexDouble()) return std::arg(a[0].toComplexDouble());
    const double d = a[0].toDouble();
    return std::isnan(d) ? d : d < 0 ? pi : 0.;
}

/// Whole numbers of floats; what does not fit becomes the smallest integer.
Int whole(double d) {
    constexpr double limit = 9223372036854775808.;
    return d >= -limit && d < limit ? Int(d) : std::numeric_limits<Int>::min();
}
IValue floor(Span a) { return a[0].isDouble() ? whole(std::floor(a[0].toDouble())) : a[0].toInt(); }
IValue ceil(Span a) { return a[0].isDouble() ? whole(std::ceil(a[0].toDouble())) : a[0].toInt(); }

IValue frexp(Span a) {
    int exponent = 0;
    const double m = std::frexp(a[0].toDouble(), &exponent);
    return IValue::tuple({m, exponent});
}
IValue modf(Span a) {
    double whole_part = 0;
    const double fraction = std::modf(a[0].toDouble(), &whole_part);
    return IValue::tuple({fraction, whole_part});
}
IValue ldexp(Span a) {
    const Int e = a[1].toInt();
    return std::ldexp(a[0].toDouble(), int(e < -100000 ? -100000 : e > 100000 ? 100000 : e));
}
IValue gcd(Span a) {
    // Of magnitudes, as the smallest integer has none among integers.
    const auto magnitude = [](Int n) { return n < 0 ? 0 - std::uint64_t(n) : std::uint64_t(n); };
    return Int(std::gcd(magnitude(a[0].toInt()), magnitude(a[1].toInt())));
}
IValue factorial(Span a) {
    const Int n = a[0].toInt();
    REEL_CHECK_VALUE(n >= 0, "factorial() not defined for negative values");
    std::uint64_t product = 1;
    for (Int i = 2; i <= n && product; ++i) product *= std::uint64_t(i); // 66! and beyond are 0 modulo 2**64
    return Int(product);
}
template <bool (*on)(double)> IValue each_part(Span a) {
    if (!a[0].isComplexDouble()) return on(a[0].toDouble());
    const Complex c = a[0].toComplexDouble();
    return on(c.real()) || on(c.imag());
}
bool is_nan(double d) { return std::isnan(d); }
bool is_inf(double d) { return std::isinf(d); }
bool is_unbounded(double d) { return !std::isfinite(d); }
IValue isfinite(Span a) { return !each_part<is_unbounded>(a).toBool(); }

constexpr Line lines[] = {
    {"aten::sin.*", sin},
    {"aten::cos.*", cos},
    {"aten::tan.*", tan},
    {"aten::asin.*", asin},
    {"aten::acos.*", acos},
    {"aten::atan.*", atan},
    {"aten::sinh.*", sinh},
    {"aten::cosh.*", cosh},
    {"aten::tanh.*", tanh},
    {"aten::asinh.*", asinh},
    {"aten::acosh.*", acosh},
    {"aten::atanh.*", atanh},
    {"aten::exp.*", exp},
    {"aten::sqrt.*", sqrt},
    {"aten::log.*", log},
    {"aten::log10.*", log10},
    {"aten::log1p.*", log1p},
    {"aten::expm1.*", expm1},
    {"aten::erf.*", erf},
    {"aten::erfc.*", erfc},
    {"aten::gamma.*", gamma},
    {"aten::lgamma.*", lgamma},
    {"aten::fabs.*", fabs},
    {"aten::round.*", nearbyint},
    {"aten::floor.*", floor},
    {"aten::ceil.*", ceil},
    {"aten::degrees.*", degrees},
    {"aten::radians.*", radians},
    {"aten::atan2.*", atan2},
    {"aten::copysign.*", copysign},
    {"aten::fmod.*", fmod},
    {"aten::mathremainder.*", math_remainder},
    {"aten::polar.*", polar},
    {"aten::angle.*", angle},
    {"aten::frexp.*", frexp},
    {"aten::frexp", frexp},
    {"aten::modf.*", modf},
    {"aten::ldexp.*", ldexp},
    {"aten::gcd.*", gcd},
    {"aten::factorial.*", factorial},
    {"aten::isnan.*", each_part<is_nan>},
    {"aten::isinf.*", each_part<is_inf>},
    {"aten::isfinite.*", isfinite},
};

} // namespace

std::span<const Line> math() { return lines; }

} // namespace reel::jit::own
