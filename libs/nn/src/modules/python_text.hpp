// Numbers, booleans and tuples as Python prints them.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

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
inline std::string number(const Number& n) {
    if (!n.is_integral()) return number(double(n));
    char buffer[64]; // also of numbers that no integer type holds
    return std::string(buffer,
                       std::to_chars(buffer, buffer + sizeof buffer, double(n), std::chars_format::fixed, 0).ptr);
}

template <class L> std::string tuple(const L& values) {
    std::string s = "(";
    std::size_t n = 0;
    for (const auto& v : values) s += (n++ ? ", " : "") + std::to_string(v);
    return s + (n == 1 ? ",)" : ")");
}

} // namespace reel::nn::text
