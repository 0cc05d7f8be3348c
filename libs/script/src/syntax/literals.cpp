#include "literals.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace reel::jit::syntax {

namespace {

double read_float(std::string_view text) {
    // strtod, not from_chars: what overflows is infinite and what underflows is the nearest there is.
    return std::strtod(std::string(text).c_str(), nullptr);
}

IValue read_integer(std::string_view text, bool negative) {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0') {
        base = 8;
        text.remove_prefix(1);
    }
    std::uint64_t magnitude = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
    const auto limit = std::uint64_t(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
    if (read.ec == std::errc::result_out_of_range || magnitude > limit)
        throw ValueError("Integral constant out of range (must fit in a signed 64 bit integer)");
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
        throw ValueError("'" + std::string(text) + "' is not a number");
    return std::int64_t(negative ? 0 - magnitude : magnitude);
}

char octal(std::string_view digits) {
    unsigned value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
    if (digits.size() != 3 || read.ptr != digits.data() + 3 || value > 255)
        throw ValueError("ill formed octal specifier");
    return char(value);
}

char simple_escape(char c) {
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case '\\': return '\\';
    case '\'': return '\'';
    case '"': return '"';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    default: return '\0';
    }
}

} // namespace

IValue read_number(std::string_view text, bool negative) {
    if (text.ends_with('j')) {
        const double imaginary = read_float(text.substr(0, text.size() - 1));
        return std::complex<double>(negative ? -0.0 : 0.0, negative ? -imaginary : imaginary);
    }
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (!hex && text.find_first_of(".eE") != text.npos) return negative ? -read_float(text) : read_float(text);
    return read_integer(text, negative);
}

std::string read_string(std::string_view quoted) {
    const char quote = quoted[0];
    const bool triple = quoted.size() >= 6 && quoted[1] == quote && quoted[2] == quote;
    const std::size_t border = triple ? 3 : 1;
    const auto text = quoted.substr(border, quoted.size() - 2 * border);
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            bytes += text[i];
            continue;
        }
        const char c = ++i < text.size() ? text[i] : '\0';
        if (c == '\n') continue; // the line goes on
        if (c == 'x') throw ValueError("unsupported hex specifier");
        if (c == 'u' || c == 'U' || c == 'N') throw ValueError("unsupported unicode specifier");
        if (const char plain = simple_escape(c)) bytes += plain;
        else {
            bytes += octal(text.substr(i, 3));
            i += 2;
        }
    }
    return bytes;
}

} // namespace reel::jit::syntax
