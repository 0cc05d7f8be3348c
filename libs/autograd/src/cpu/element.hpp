// A number as one element in memory.
#pragma once

#include <reel/autograd/scalar.hpp>

namespace reel::cpu {

/// The largest element, and the strictest alignment.
inline constexpr std::size_t most_element_bytes = 16;

/// Writes `number` to `to` as an element of that dtype; nothing where elements are none of numbers.
inline void write_element(const Scalar& number, ScalarType dtype, void* to) {
    switch (dtype) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        *static_cast<T*>(to) = number.to<T>();                                                                         \
        break;
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        break;
    }
}

} // namespace reel::cpu
