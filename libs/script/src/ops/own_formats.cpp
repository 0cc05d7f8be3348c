// Values as text: `str`, `format`, `%`, `print`, number bases (rules SC-49, SC-50).
#include <iostream>
#include <sstream>

#include <reel/autograd/error.hpp>
#include <reel/script/object.hpp>
#include <reel/script/print_handler.hpp>

#include "ops/own.hpp"
#include "run/limits.hpp"

namespace reel::jit {

namespace {
PrintHandler& print_handler() {
    thread_local PrintHandler handler;
    return handler;
}
} // namespace

PrintHandler set_print_handler(PrintHandler handler) { return std::exchange(print_handler(), std::move(handler)); }

namespace own {

namespace {

using Span = std::span<IValue>;

IValue text(Span a) { return a[0].isString() ? a[0] : IValue(str(a[0])); }

IValue format(Span a) {
    const std::string& pattern = a[0].toStringRef();
    std::string out;
    std::size_t from = 0, used = 1, at;
    while ((at = pattern.find("{}", from)) != std::string::npos) {
        REEL_CHECK(used < a.size(), "Too few arguments for format string: ", pattern);
        out.append(pattern, from, at - from).append(str(a[used++]));
        run_state().claim(out.size());
        from = at + 2;
    }
    return out.append(pattern, from);
}

std::string with_printf(const char* pattern, auto value) {
    char buffer[512];
    const int n = std::snprintf(buffer, sizeof buffer, pattern, value);
    return std::string(buffer, std::size_t(std::min(n, int(sizeof buffer) - 1)));
}
/// One `%` directive.
std::string formatted(char key, const IValue& v) {
    switch (key) {
    case 's':
        return str(v);
    case 'd':
    case 'i':
        REEL_CHECK_TYPE(v.isScalar() && !v.isComplexDouble(), "%", key, " requires a number for formatting, but got ",
                        v.kind_name());
        return v.isDouble() ? with_printf("%.0f", std::trunc(v.toDouble())) : std::to_string(v.toInt());
    case 'e':
    case 'f':
        REEL_CHECK_TYPE(v.isScalar() && !v.isComplexDouble(), "%", key, " requires a number for formatting, but got ",
                        v.kind_name());
        return with_printf(key == 'e' ? "%e" : "%f", v.toDouble());
    case 'c':
        if (v.isInt()) return std::string(1, char(v.toInt()));
        REEL_CHECK_TYPE(v.isString() && v.toStringRef().size() == 1,
                        "%c requires an int or char for formatting, but got ", v.kind_name());
        return v.toStringRef();
    default:
        REEL_THROW(Error, "The specifier %", key, " is not supported in TorchScript format strings");
    }
}
IValue percent_format(Span a) {
    const std::string& pattern = a[0].toStringRef();
    // `"..." % (x, y)` gives its elements.
    const std::vector<IValue> values =
        a.size() == 2 && a[1].isTuple() ? a[1].elements() : std::vector<IValue>(a.begin() + 1, a.end());
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out += pattern[i];
            continue;
        }
        REEL_CHECK(++i < pattern.size(), "Incomplete format specifier: ", pattern);
        if (pattern[i] == '%') {
            out += '%';
            continue;
        }
        REEL_CHECK(used < values.size(), "Too few arguments for format string: ", pattern);
        out += formatted(pattern[i], values[used++]);
        run_state().claim(out.size());
    }
    REEL_CHECK(used == values.size(), "Too many arguments for format string: ", pattern);
    return out;
}

IValue print(Span a) {
    std::string line;
    for (std::size_t i = 0; i < a.size(); ++i) line += (i ? " " : "") + str(a[i]);
    line += '\n';
    if (print_handler()) print_handler()(line);
    else std::cout << line << std::flush;
    return {};
}
IValue print_text(Span a) { return print(a); }
IValue warn(Span a) {
    REEL_WARN(a[0].toStringRef());
    return {};
}

/// `-0xff`: sign, prefix, digits.
template <unsigned bits> IValue in_base(Span a) {
    const std::int64_t n = a[0].toInt();
    std::uint64_t magnitude = n < 0 ? 0 - std::uint64_t(n) : std::uint64_t(n);
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[magnitude & ((1u << bits) - 1)]);
        magnitude >>= bits;
    } while (magnitude);
    return (n < 0 ? "-" : "") + std::string(bits == 4 ? "0x" : bits == 3 ? "0o" : "0b") + digits;
}

constexpr Line lines[] = {
    {"aten::str", text},          {"aten::format", format},           {"aten::percentFormat", percent_format},
    {"prim::Print", print, true}, {"aten::_print", print_text, true}, {"aten::warn", warn, true},
    {"aten::hex", in_base<4>},    {"aten::oct", in_base<3>},          {"aten::bin", in_base<1>},
};

} // namespace

std::span<const Line> formats() { return lines; }

} // namespace own
} // namespace reel::jit
