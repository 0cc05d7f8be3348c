#include "elements.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "zip_reader.hpp"

namespace reel_file {

using reel::serialize::FileDtype;

namespace {
template <class T> T get(const char* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
/// A small float: sign, `exponent` bits, `mantissa` bits. `finite`: no infinities, one NaN; `fnuz`: -0 is the NaN.
double small_float(unsigned bits, int exponent, int mantissa, bool finite, bool fnuz) {
    const int bias = (1 << (exponent - 1)) - (fnuz ? 0 : 1);
    const bool negative = bits >> (exponent + mantissa) & 1;
    const unsigned e = bits >> mantissa & ((1u << exponent) - 1), m = bits & ((1u << mantissa) - 1);
    const unsigned top = (1u << exponent) - 1, full = (1u << mantissa) - 1;
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    double v;
    if (fnuz && negative && !e && !m) return nan;
    if (!fnuz && finite && e == top && m == full) return nan;
    if (!fnuz && !finite && e == top) v = m ? nan : inf;
    else
        v = e ? std::ldexp(double(m + (1u << mantissa)), int(e) - bias - mantissa)
              : std::ldexp(double(m), 1 - bias - mantissa);
    return negative ? -v : v;
}
double half(const char* p) { return small_float(get<std::uint16_t>(p), 5, 10, false, false); }
double real(FileDtype d, const char* p) {
    switch (d) {
    case FileDtype::Float16:
        return half(p);
    case FileDtype::BFloat16:
        return small_float(get<std::uint16_t>(p), 8, 7, false, false);
    case FileDtype::Float32:
        return get<float>(p);
    case FileDtype::Float64:
        return get<double>(p);
    case FileDtype::Float8E4M3FN:
        return small_float(std::uint8_t(*p), 4, 3, true, false);
    case FileDtype::Float8E4M3FNUZ:
        return small_float(std::uint8_t(*p), 4, 3, true, true);
    case FileDtype::Float8E5M2:
        return small_float(std::uint8_t(*p), 5, 2, false, false);
    case FileDtype::Float8E5M2FNUZ:
        return small_float(std::uint8_t(*p), 5, 2, false, true);
    default: // e8m0: an exponent alone
        return std::uint8_t(*p) == 255 ? std::numeric_limits<double>::quiet_NaN()
                                       : std::ldexp(1.0, std::uint8_t(*p) - 127);
    }
}
std::string shortest(double d) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, d).ptr;
    return {text, end};
}
/// Calls `as_int`, `as_unsigned`, `as_float`, `as_complex` or `as_bool`.
template <class F> std::string element(FileDtype d, const char* p, F&& f) {
    switch (d) {
    case FileDtype::UInt8:
        return f.as_int(std::uint8_t(*p));
    case FileDtype::Int8:
        return f.as_int(std::int8_t(*p));
    case FileDtype::Int16:
        return f.as_int(get<std::int16_t>(p));
    case FileDtype::Int32:
        return f.as_int(get<std::int32_t>(p));
    case FileDtype::Int64:
        return f.as_int(get<std::int64_t>(p));
    case FileDtype::UInt16:
        return f.as_int(get<std::uint16_t>(p));
    case FileDtype::UInt32:
        return f.as_int(get<std::uint32_t>(p));
    case FileDtype::UInt64:
        return f.as_unsigned(get<std::uint64_t>(p));
    case FileDtype::Bool:
        return *p ? "true" : "false";
    case FileDtype::Complex64:
        return f.as_complex(get<float>(p), get<float>(p + 4));
    case FileDtype::Complex128:
        return f.as_complex(get<double>(p), get<double>(p + 8));
    case FileDtype::Complex32:
        return f.as_complex(half(p), half(p + 2));
    default:
        return f.as_float(real(d, p));
    }
}
struct Json {
    std::string as_int(std::int64_t v) { return json_int(v); }
    std::string as_unsigned(std::uint64_t v) {
        return v >> 53 ? "{\"int\": \"" + std::to_string(v) + "\"}" : std::to_string(v);
    }
    std::string as_float(double d) { return json_float(d); }
    std::string as_complex(double re, double im) { return json_complex(re, im); }
};
struct Plain {
    std::string as_int(std::int64_t v) { return std::to_string(v); }
    std::string as_unsigned(std::uint64_t v) { return std::to_string(v); }
    std::string as_float(double d) {
        char text[32];
        std::snprintf(text, sizeof text, "%.5g", d);
        return text;
    }
    std::string as_complex(double re, double im) {
        return as_float(re) + (std::signbit(im) ? "-" : "+") + as_float(std::abs(im)) + "j";
    }
};
} // namespace

std::string json_string(std::string_view s) {
    // messages quote damaged files, and names of files are any bytes: JSON must be UTF-8 all the same
    const bool valid = reel::serialize::is_utf8(s);
    std::string out = "\"";
    for (const char c : s) {
        if (!valid && std::uint8_t(c) >= 0x80) {
            out += "\\ufffd";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\', out += c;
        else if (std::uint8_t(c) < 0x20 || c == 0x7f) {
            char text[8];
            std::snprintf(text, sizeof text, "\\u%04x", unsigned(std::uint8_t(c)));
            out += text;
        } else out += c;
    }
    return out + '"';
}
std::string json_float(double d) {
    if (std::isnan(d)) return "{\"float\": \"nan\"}";
    if (std::isinf(d)) return d > 0 ? "{\"float\": \"inf\"}" : "{\"float\": \"-inf\"}";
    std::string s = shortest(d);
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    return s;
}
std::string json_int(std::int64_t v) {
    constexpr std::int64_t exact = std::int64_t(1) << 53;
    return v > exact || v < -exact ? "{\"int\": \"" + std::to_string(v) + "\"}" : std::to_string(v);
}
std::string json_complex(double re, double im) {
    return "{\"complex\": [" + json_float(re) + ", " + json_float(im) + "]}";
}
std::string json_element(FileDtype d, const char* p) { return element(d, p, Json()); }
std::string plain_element(FileDtype d, const char* p) { return element(d, p, Plain()); }

} // namespace reel_file
