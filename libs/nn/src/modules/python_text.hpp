// Numbers, booleans and tuples as Python prints them.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/number.hpp>

namespace reel::nn::text {

inline std::string boolean(bool b) { return b ? "True" : "False"; }
/// The shortest digits that read back as `v`, in Python's notation: 0.1, 1e-05, 1.0.
inline std::string number(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    char buffer[64];
    const double a = std::abs(v);
    const bool plain = v == 0 || (a >= 1e-4 && a < 1e16);
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    std::string s(buffer, end);
    if (plain && s.find('.') == std::string::npos) s += ".0";
    return s;
}
inline std::string number(std::int64_t v) { return std::to_string(v); }
/// Python's form of a constructor argument: integers stay integers.
inline std::string number(const Scalar& v) {
    return v.isFloatingPoint() ? number(v.toDouble()) : std::to_string(v.toLong());
}
inline std::string number(const Number& n) {
    return n.is_integral() ? std::to_string(std::int64_t(double(n))) : number(double(n));
}
inline std::string optional_number(const std::optional<double>& v) { return v ? number(*v) : "None"; }

template <class L> std::string tuple(const L& values) {
    std::string s = "(";
    std::size_t n = 0;
    for (const auto& v : values) s += (n++ ? ", " : "") + std::to_string(v);
    return s + (n == 1 ? ",)" : ")");
}
template <std::size_t D> std::string tuple(const ExpandingArray<D>& a) { return tuple(*a); }

} // namespace reel::nn::text
