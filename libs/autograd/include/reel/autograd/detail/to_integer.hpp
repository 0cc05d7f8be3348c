// Floating numbers to whole ones, for every number.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace reel::detail {

/// `v` without its fraction. What no D holds C++ leaves undefined; here it is what x86's conversion gives and PyTorch
/// shows there: the least int64 for 64 bits; narrower integers are the low bits of an int32, the least one where `v`,
/// or NaN, does not fit.
template <class D, class S> constexpr D to_integer(S v) {
    using Wide = std::conditional_t<(sizeof(D) < 8), std::int32_t, std::int64_t>;
    constexpr S least = static_cast<S>(std::numeric_limits<Wide>::min());
    return static_cast<D>(static_cast<Wide>(v >= least && v < -least ? v : least));
}

} // namespace reel::detail
