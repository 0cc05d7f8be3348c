// Products of bfloat16 matrices by the processor's dot instruction, where it has one.
#pragma once

#include <cstdint>

#include <reel/autograd/half.hpp>

namespace reel::cpu {

/// Inner loops, null where the processor has no such instruction. Numbers go in pairs along k, which `depth` counts;
/// the last pair of an odd k is filled up with zero. Sums are float32's, in an order that k alone determines.
struct BFloat16Product {
    std::int64_t width = 0; ///< columns of a panel
    /// Columns [j, j + count) of b ([k, n], or [n, k] when `transposed`) as a panel: depth * width pairs.
    void (*pack)(const BFloat16* b, bool transposed, std::int64_t ldb, std::int64_t k, std::int64_t j,
                 std::int64_t count, BFloat16* panel) = nullptr;
    /// The pairs of `rows` columns of a, whose rows are `lda` apart, each column's one after the other in a row of
    /// `to`, `ld` numbers (an even number) from one to the next.
    void (*turn)(const BFloat16* a, std::int64_t lda, std::int64_t rows, std::int64_t pairs, BFloat16* to,
                 std::int64_t ld) = nullptr;
    /// c [rows, width] = a times a panel of `depth` pairs, added to what is there when `add`. A row of a holds its
    /// pairs one after the other, `lda` numbers from row to row.
    void (*multiply)(const BFloat16* a, std::int64_t lda, const BFloat16* panel, std::int64_t depth, float* c,
                     std::int64_t rows, bool add) = nullptr;
};
inline constinit BFloat16Product bfloat16_product{};

/// c [m, n] = alpha op(a) op(b) + beta c, row-major, each result rounded once; false, with nothing done, where the
/// processor lacks the instruction. Numbers below float32's normal range count as zero.
bool multiply_bfloat16(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const BFloat16* a,
                       std::int64_t lda, const BFloat16* b, std::int64_t ldb, float beta, BFloat16* c,
                       std::int64_t ldc);

} // namespace reel::cpu
