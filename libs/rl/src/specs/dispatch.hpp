// Plain loops over the elements of any real dtype.
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>
#include <reel/autograd/error.hpp>

namespace reel::rl::detail {

/// Calls `f` with a null pointer of the dtype's element type. Error for complex dtypes.
template <class F> decltype(auto) visit_real(ScalarType dtype, const char* what, F&& f) {
    switch (dtype) {
    case kByte:
        return f(static_cast<std::uint8_t*>(nullptr));
    case kChar:
        return f(static_cast<std::int8_t*>(nullptr));
    case kShort:
        return f(static_cast<std::int16_t*>(nullptr));
    case kInt:
        return f(static_cast<std::int32_t*>(nullptr));
    case kLong:
        return f(static_cast<std::int64_t*>(nullptr));
    case kBool:
        return f(static_cast<bool*>(nullptr));
    case kFloat:
        return f(static_cast<float*>(nullptr));
    case kDouble:
        return f(static_cast<double*>(nullptr));
    case kHalf:
        return f(static_cast<Half*>(nullptr));
    case kBFloat16:
        return f(static_cast<BFloat16*>(nullptr));
    default:
        break;
    }
    REEL_THROW(TypeError, what, ": dtype ", dtype_name(dtype), " has no order; expected a real dtype");
}
/// The type in which values of `T` are compared and drawn.
template <class T> using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

} // namespace reel::rl::detail
