// The numbers that scripts use for dtypes, memory formats and reductions (rules SC-34, SC-91).
#pragma once

#include <cstdint>
#include <string_view>

#include <reel/autograd/value.hpp>

namespace reel::jit {

/// ValueError for a number that is no dtype here.
ScalarType dtype_of_number(std::int64_t number);
std::int64_t number_of_dtype(ScalarType dtype);
/// `contiguous_format` of 0, ...; ValueError for a number that is none.
std::string_view memory_format_of_number(std::int64_t number);
/// `none`, `mean`, `sum`.
std::string_view reduction_of_number(std::int64_t number);
/// None stays absent; a dtype may come as itself too.
std::optional<ScalarType> optional_dtype(const IValue& v);

} // namespace reel::jit
