// + - * / and their kin on numbers, and conversions between them (rules SC-40 to SC-42, SC-44).
#include <cmath>
#include <functional>
#include <limits>

#include <reel/autograd/error.hpp>

#include "ops/pair.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;
using Complex = std::complex<double>;

// Integers wrap: computed without a sign.
Int wrap_add(Int a, Int b) { return Int(std::uint64_t(a) + std::uint64_t(b)); }
Int wrap_sub(Int a, Int b) { return Int(std::uint64_t(a) - std::uint64_t(b)); }
Int wrap_mul(Int a, Int b) { return Int(std::uint64_t(a) * std::uint64_t(b)); }

template <class OnInt, class OnFloat, class OnComplex>
IValue by_kind(const IValue& a, const IValue& b, OnInt on_int, OnFloat on_float, OnComplex on_complex) {
    if (a.isComplexDouble() || b.isComplexDouble()) return on_complex(a.toComplexDouble(), b.toComplexDouble());
    if (a.isDouble() || b.isDouble()) return on_float(a.toDouble(), b.toDouble());
    return on_int(a.toInt(), b.toInt());
}
[[noreturn]] void no_complex(const char* what) { REEL_THROW(TypeError, what, ": complex numbers have none"); }

IValue add(Span a) {
    return by_kind(
        a[0], a[1], wrap_add, [](double x, double y) { return x + y; }, [](Complex x, Complex y) { return x + y; });
}
IValue sub(Span a) {
    return by_kind(
        a[0], a[1], wrap_sub, [](double x, double y) { return x - y; }, [](Complex x, Complex y) { return x - y; });
}
IValue mul(Span a) {
    return by_kind(
        a[0], a[1], wrap_mul, [](double x, double y) { return x * y; }, [](Complex x, Complex y) { return x * y; });
}
IValue div(Span a) {
    if (a[0].isComplexDouble() || a[1].isComplexDouble()) return a[0].toComplexDouble() / a[1].toComplexDouble();
    return a[0].toDouble() / a[1].toDouble();
}

Int floor_int(Int a, Int b) {
    REEL_CHECK(b != 0, "division by 0");
    if (b == -1) return wrap_sub(0, a); // the smallest one would trap
    const Int q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
Int modulo_int(Int a, Int b) {
    REEL_CHECK(b != 0, "division by 0");
    if (b == -1) return 0;
    const Int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double modulo_float(double a, double b) {
    const double r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double floor_float(double a, double b) { return std::floor(a / b); }
double quotient(Int a, Int b) { return double(a) / double(b); }
IValue floordiv(Span a) {
    return by_kind(a[0], a[1], floor_int, floor_float, [](Complex, Complex) -> IValue { no_complex("//"); });
}
IValue remainder(Span a) {
    return by_kind(a[0], a[1], modulo_int, modulo_float, [](Complex, Complex) -> IValue { no_complex("%"); });
}
IValue divmod(Span a) {
    if (!a[0].isDouble() && !a[1].isDouble()) {
        const Int x = a[0].toInt(), y = a[1].toInt();
        REEL_CHECK(y != 0, "integer division or modulo by zero");
        return IValue::tuple({floor_int(x, y), modulo_int(x, y)});
    }
    const double x = a[0].toDouble(), y = a[1].toDouble();
    REEL_CHECK(y != 0, "float divmod()");
    const double r = modulo_float(x, y);
    return IValue::tuple({std::floor((x - r) / y + 0.5), r});
}
IValue round_to_zero_floordiv(Span a) {
    const Int x = a[0].toInt(), y = a[1].toInt();
    REEL_CHECK(y != 0, "division by 0");
    return y == -1 ? wrap_sub(0, x) : x / y;
}

IValue power(Span a) {
    if (a[0].isComplexDouble() || a[1].isComplexDouble())
        return std::pow(a[0].toComplexDouble(), a[1].toComplexDouble());
    return std::pow(a[0].toDouble(), a[1].toDouble());
}
IValue power_of_ints(Span a) {
    std::uint64_t base = std::uint64_t(a[0].toInt()), result = 1;
    const Int exponent = a[1].toInt();
    if (exponent < 0) {
        REEL_CHECK(base != 0, "0 cannot be raised to a negative power");
        return base == 1 ? Int(1) : Int(base) == -1 ? (exponent % 2 ? Int(-1) : Int(1)) : Int(0);
    }
    for (std::uint64_t e = std::uint64_t(exponent); e; e >>= 1, base *= base)
        if (e & 1) result *= base;
    return Int(result);
}

IValue neg(Span a) {
    if (a[0].isComplexDouble()) return -a[0].toComplexDouble();
    if (a[0].isDouble()) return -a[0].toDouble();
    return wrap_sub(0, a[0].toInt());
}
IValue absolute(Span a) {
    if (a[0].isComplexDouble()) return std::abs(a[0].toComplexDouble());
    if (a[0].isDouble()) return std::abs(a[0].toDouble());
    const Int n = a[0].toInt();
    return n < 0 ? wrap_sub(0, n) : n;
}

template <class F> IValue bits(Span a, F f) {
    if (a[0].isBool() && a[1].isBool()) return f(Int(a[0].toBool()), Int(a[1].toBool())) != 0;
    return f(a[0].toInt(), a[1].toInt());
}
IValue bit_and(Span a) {
    return bits(a, [](Int x, Int y) { return x & y; });
}
IValue bit_or(Span a) {
    return bits(a, [](Int x, Int y) { return x | y; });
}
IValue bit_xor(Span a) {
    return bits(a, [](Int x, Int y) { return x ^ y; });
}
unsigned shift_count(const IValue& v) {
    const Int n = v.toInt();
    REEL_CHECK(n >= 0 && n < 64, "shift by ", n, ": expected 0 to 63");
    return unsigned(n);
}
IValue shift_left(Span a) { return Int(std::uint64_t(a[0].toInt()) << shift_count(a[1])); }
IValue shift_right(Span a) { return a[0].toInt() >> shift_count(a[1]); }

// --- conversions

/// What does not fit becomes the smallest integer.
Int truncated(double d) {
    constexpr double limit = 9223372036854775808.;
    return d >= -limit && d < limit ? Int(d) : std::numeric_limits<Int>::min();
}
IValue to_int(Span a) {
    if (a[0].isDouble()) return truncated(a[0].toDouble());
    if (a[0].isComplexDouble()) return truncated(a[0].toScalar().toDouble());
    return a[0].toInt();
}
IValue to_float(Span a) { return a[0].isComplexDouble() ? a[0].toScalar().toDouble() : a[0].toDouble(); }
IValue to_bool(Span a) { return a[0].isDouble() ? a[0].toDouble() != 0 : a[0].toScalar().toBool(); }
IValue to_complex(Span a) { return a.size() == 1 ? a[0].toComplexDouble() : Complex(a[0].toDouble(), a[1].toDouble()); }
/// The whole of a text as a number; what `why` calls it otherwise.
template <class T, class F> T parsed(const std::string& text, F parse, const char* type) {
    std::size_t end = 0;
    try {
        const T value = parse(text, &end);
        if (!text.empty() && end == text.size() && !std::isspace(static_cast<unsigned char>(text[0]))) return value;
    } catch (const std::exception&) { // no number, or too large: the same message
    }
    REEL_THROW(ValueError, "could not convert string to ", type, ": '", text, "'");
}
IValue int_of_text(Span a) {
    return parsed<Int>(
        a[0].toStringRef(), [](const std::string& s, std::size_t* end) { return Int(std::stoll(s, end)); }, "int");
}
IValue float_of_text(Span a) {
    return parsed<double>(
        a[0].toStringRef(), [](const std::string& s, std::size_t* end) { return std::stod(s, end); }, "float");
}

// --- ranges

IValue range_length(Span a) {
    const Int low = a[0].toInt(), high = a[1].toInt(), step = a[2].toInt();
    REEL_CHECK(step != 0, "range() arg 3 must not be zero");
    if (step > 0 ? low >= high : low <= high) return Int(0);
    const std::uint64_t span =
        step > 0 ? std::uint64_t(high) - std::uint64_t(low) : std::uint64_t(low) - std::uint64_t(high);
    const std::uint64_t stride = step > 0 ? std::uint64_t(step) : 0 - std::uint64_t(step);
    return Int((span - 1) / stride + 1);
}
IValue derive_index(Span a) { return wrap_add(a[1].toInt(), wrap_mul(a[0].toInt(), a[2].toInt())); }

constexpr Line lines[] = {
    {"aten::add.*", add, false, pair<add, wrap_add, std::plus<double>{}>},
    {"aten::sub.*", sub, false, pair<sub, wrap_sub, std::minus<double>{}>},
    {"aten::mul.*", mul, false, pair<mul, wrap_mul, std::multiplies<double>{}>},
    {"aten::div.*", div, false, pair<div, quotient, std::divides<double>{}>},
    {"aten::floordiv.*", floordiv, false, pair<floordiv, floor_int, floor_float>},
    {"aten::remainder.*", remainder, false, pair<remainder, modulo_int, modulo_float>},
    {"aten::divmod.*", divmod},
    {"aten::__round_to_zero_floordiv.*", round_to_zero_floordiv},
    {"aten::pow.*", power},
    {"aten::pow.int_to_int", power_of_ints},
    {"aten::neg.*", neg},
    {"prim::abs.*", absolute},
    {"aten::__and__.*", bit_and},
    {"aten::__or__.*", bit_or},
    {"aten::__xor__.*", bit_xor},
    {"aten::__lshift__.*", shift_left},
    {"aten::__rshift__.*", shift_right},
    {"aten::Int.*", to_int},
    {"aten::Float.*", to_float},
    {"aten::Bool.*", to_bool},
    {"aten::Complex.*", to_complex},
    {"aten::Int.str", int_of_text},
    {"aten::Float.str", float_of_text},
    {"aten::__range_length", range_length},
    {"aten::__derive_index", derive_index},
};

} // namespace

std::span<const Line> arithmetic() { return lines; }

} // namespace reel::jit::own
