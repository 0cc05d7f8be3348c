// Single elements of any dtype as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "file_dtype.hpp"

namespace reel_file {

/// `"text"` with everything escaped that JSON wants escaped.
std::string json_string(std::string_view s);
/// A float with a point or an exponent; `{"float": "nan"}` for what JSON lacks.
std::string json_float(double d);
std::string json_int(std::int64_t v);
std::string json_complex(double re, double im);
/// The element at `p`.
std::string json_element(reel::serialize::FileDtype d, const char* p);
/// The same for people: `1.5`, `nan`, `1+2j`.
std::string plain_element(reel::serialize::FileDtype d, const char* p);

} // namespace reel_file
