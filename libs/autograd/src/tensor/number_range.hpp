// Which numbers the dtypes hold.
#pragma once

#include <cstdint>
#include <optional>

#include <reel/autograd/dtype.hpp>
#include <reel/autograd/scalar.hpp>

namespace reel::detail {

/// The least and the greatest number of a dtype.
struct IntegerRange {
    std::int64_t low, high;
};
/// None for dtypes that are no integers, and for bool, which holds whatever there is.
std::optional<IntegerRange> integer_range(ScalarType t);

/// Throws ValueError naming `op` where `value`, without its fraction, is no number of the integer dtype `t`: written,
/// it would wrap. Unsigned dtypes take what is negative modulo their size, as `-1` for all bits.
void check_holds(const char* op, ScalarType t, const Scalar& value);

/// Does a 16-bit dtype round `value` to an infinity, to zero, or to fewer digits than it has?
bool loses_number(ScalarType t, const Scalar& value);

} // namespace reel::detail
