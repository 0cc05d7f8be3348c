// Products of integer matrices, some rows of the result at a time.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// T is unsigned; products of integers with a sign are the same, bit for bit.
/// out[r * ldo + j] = the sum over l < k of a[r * a_row + l * a_step] * b[l * ldb + j] for r < rows, j < n, wrapping.
template <class T>
using IntegerRowsFn = void (*)(T* out, std::int64_t ldo, std::int64_t rows, const T* a, std::int64_t a_row,
                               std::int64_t a_step, const T* b, std::int64_t ldb, std::int64_t k, std::int64_t n);
/// The kernel of the instruction set for integers of one width.
template <class T> inline constinit IntegerRowsFn<T> integer_rows = nullptr;

} // namespace reel::cpu
