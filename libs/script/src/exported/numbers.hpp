// The numbers of dtypes and memory formats in exported programs, which are not those of scripts (rules SC-34, SC-107).
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>

namespace reel::jit {

/// `Undefined` for a number that no dtype has.
ScalarType exported_dtype(std::int64_t number);
std::int64_t exported_dtype_number(ScalarType dtype);

/// From the numbers of exported programs to those of scripts. ValueError for one that there is not.
std::int64_t script_dtype(std::int64_t exported);
std::int64_t script_memory_format(std::int64_t exported);
/// And back.
std::int64_t exported_from_script_dtype(std::int64_t script);
std::int64_t exported_from_script_memory_format(std::int64_t script);

} // namespace reel::jit
