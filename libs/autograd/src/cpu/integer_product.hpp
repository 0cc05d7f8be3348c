// Products of integer matrices, a row of the result at a time.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// out[j] = the sum over l < k of a[l * a_step] * b[l * ldb + j] for j < n, wrapping.
template <class T>
using IntegerRowFn = void (*)(T* out, const T* a, std::int64_t a_step, const T* b, std::int64_t ldb, std::int64_t k,
                              std::int64_t n);
/// The kernel of the instruction set for one integer type.
template <class T> inline constinit IntegerRowFn<T> integer_row = nullptr;

} // namespace reel::cpu
