// Which numbers the dtypes hold.
#include "tensor/number_range.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/error.hpp>

namespace reel::detail {

namespace {
template <class T> IntegerRange range_of() {
    return {std::int64_t(std::numeric_limits<T>::min()), std::int64_t(std::numeric_limits<T>::max())};
}
bool within(const IntegerRange& r, const Scalar& value) {
    const std::int64_t low = r.low == 0 ? -r.high : r.low;
    if (value.isIntegral(true)) return value.toLong() >= low && value.toLong() <= r.high;
    const double whole = std::trunc(value.toComplexDouble().real());
    // The greatest number of 64 bits is no double: the next one is too large.
    return whole >= double(low) && whole < double(r.high) + 1;
}
} // namespace

std::optional<IntegerRange> integer_range(ScalarType t) {
    switch (t) {
    case kByte:
        return range_of<std::uint8_t>();
    case kChar:
        return range_of<std::int8_t>();
    case kShort:
        return range_of<std::int16_t>();
    case kInt:
        return range_of<std::int32_t>();
    case kLong:
        return range_of<std::int64_t>();
    default:
        return std::nullopt;
    }
}

void check_holds(const char* op, ScalarType t, const Scalar& value) {
    const std::optional<IntegerRange> r = integer_range(t);
    if (!r || within(*r, value)) return;
    REEL_THROW(ValueError, op, ": the value ", value, " is no number of ", dtype_name(t), ", which reaches from ",
               r->low, " to ", r->high, "; convert the tensor to a wider dtype first");
}

bool loses_number(ScalarType t, const Scalar& value) {
    if ((t != kHalf && t != kBFloat16) || value.isComplex()) return false;
    const double size = std::abs(value.toDouble());
    if (size == 0 || !std::isfinite(size)) return false;
    return t == kHalf ? size > 65504 || size < 0x1p-14 : size > 0x1.fep127 || size < 0x1p-126;
}

} // namespace reel::detail
