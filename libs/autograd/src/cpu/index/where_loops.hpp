// Choices between two operands along a dense line.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// out[i] = condition[i] ? input[i] : other[i] for i < n; the operand that repeats is one element.
template <class T>
using WhereLine = void (*)(T* out, const bool* condition, const T* input, const T* other, std::int64_t n);
template <class T> struct WhereLoops {
    WhereLine<T> both_dense = nullptr, input_repeats = nullptr, other_repeats = nullptr;
};
/// By the size of elements, which are only moved: 1, 2, 4, 8 bytes.
template <class T> inline constinit WhereLoops<T> where_loops{};

} // namespace reel::cpu
