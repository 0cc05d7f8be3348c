#include "exported/python_json.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace reel::jit {

namespace {
namespace json = boost::json;

void write_escape(std::string& out, unsigned unit) {
    static constexpr char digits[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += digits[unit >> shift & 15];
}
/// The code point that begins at `at`, which is moved behind it. The text is UTF-8: it was parsed as JSON.
std::uint32_t code_point(std::string_view s, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return std::uint32_t(static_cast<unsigned char>(s[i])); };
    const std::uint32_t first = byte(at);
    const std::size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::uint32_t c = length == 1 ? first : first & (0x7fu >> length);
    for (std::size_t i = 1; i < length && at + i < s.size(); ++i) c = c << 6 | (byte(at + i) & 0x3f);
    at += length;
    return c;
}
void write_string(std::string& out, std::string_view s) {
    out += '"';
    for (std::size_t at = 0; at < s.size();) {
        const std::uint32_t c = code_point(s, at);
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        default:
            if (c >= 0x10000) {
                write_escape(out, 0xd800 + ((c - 0x10000) >> 10));
                write_escape(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
            } else if (c < 0x20 || c >= 0x7f) write_escape(out, c);
            else out += char(c);
        }
    }
    out += '"';
}
/// The shortest text that reads back, with an exponent below 1e-4 and from 1e16 on.
void write_double(std::string& out, double d) {
    if (std::isnan(d)) out += "NaN";
    else if (std::isinf(d)) out += d < 0 ? "-Infinity" : "Infinity";
    else {
        char buffer[64];
        const double size = std::abs(d);
        const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
        const auto format = exponent ? std::chars_format::scientific : std::chars_format::fixed;
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, format).ptr;
        const std::string_view text(buffer, std::size_t(end - buffer));
        out += text;
        if (text.find_first_of(".e") == text.npos) out += ".0";
    }
}
void write(std::string& out, const json::value& v) {
    switch (v.kind()) {
    case json::kind::null:
        out += "null";
        return;
    case json::kind::bool_:
        out += v.get_bool() ? "true" : "false";
        return;
    case json::kind::int64:
        out += std::to_string(v.get_int64());
        return;
    case json::kind::uint64:
        out += std::to_string(v.get_uint64());
        return;
    case json::kind::double_:
        return write_double(out, v.get_double());
    case json::kind::string:
        return write_string(out, v.get_string());
    case json::kind::array: {
        out += '[';
        const char* gap = "";
        for (const json::value& e : v.get_array()) {
            out += gap;
            write(out, e);
            gap = ", ";
        }
        out += ']';
        return;
    }
    case json::kind::object: {
        out += '{';
        const char* gap = "";
        for (const auto& item : v.get_object()) {
            out += gap;
            write_string(out, item.key());
            out += ": ";
            write(out, item.value());
            gap = ", ";
        }
        out += '}';
        return;
    }
    }
}
} // namespace

std::string python_json(const json::value& value) {
    std::string out;
    write(out, value);
    return out;
}

} // namespace reel::jit
