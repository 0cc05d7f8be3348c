// Tiles of 6 rows and 64 columns of a product of bfloat16 numbers: 24 registers of float32 sums.
#include "cpu/linalg/bfloat16_product.hpp"
#include "cpu/shape/transpose.hpp"

#include <algorithm>
#include <cstring>

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace {

// Not every processor with the instruction set of this file has the instruction: only these functions may use it.
#define REEL_BF16 __attribute__((target("avx512bf16")))

constexpr int panel_vectors = 4, lanes = 16, width = panel_vectors * lanes, tile_rows = 6;

void pack(const BFloat16* b, bool transposed, std::int64_t ldb, std::int64_t k, std::int64_t j, std::int64_t count,
          BFloat16* panel) {
    const auto* const from = reinterpret_cast<const std::uint16_t*>(b);
    auto* const to = reinterpret_cast<std::uint16_t*>(panel);
    const std::int64_t pairs = (k + 1) / 2;
    if (transposed) {
        if (count < width || k % 2) std::memset(to, 0, std::size_t(pairs * width) * 4);
        const auto address = reinterpret_cast<std::uintptr_t>(from + j * ldb);
        const bool whole = address % 4 == 0 && ldb % 2 == 0; // pairs are numbers of 32 bits to be transposed
        if (whole)
            transpose_kernels.b4(reinterpret_cast<std::uint32_t*>(to), width,
                                 reinterpret_cast<const std::uint32_t*>(address), ldb / 2, k / 2, count, false);
        constexpr std::int64_t block = 16; // pairs of one column that are read while their lines are in the cache
        for (std::int64_t p0 = 0; !whole && p0 < k / 2; p0 += block)
            for (std::int64_t c = 0; c < count; ++c) {
                const std::uint16_t* const column = from + (j + c) * ldb;
                for (std::int64_t p = p0; p < std::min(p0 + block, k / 2); ++p)
                    std::memcpy(to + (p * width + c) * 2, column + 2 * p, 4);
            }
        for (std::int64_t c = 0; k % 2 && c < count; ++c)
            to[((pairs - 1) * width + c) * 2] = from[(j + c) * ldb + k - 1];
        return;
    }
    std::uint16_t even[width] = {}, odd[width] = {};
    for (std::int64_t p = 0; p < pairs; ++p) {
        const bool last = 2 * p + 1 == k;
        std::memcpy(even, from + 2 * p * ldb + j, std::size_t(count) * 2);
        if (last) std::memset(odd, 0, sizeof(odd));
        else std::memcpy(odd, from + (2 * p + 1) * ldb + j, std::size_t(count) * 2);
        std::uint16_t* const row = to + p * width * 2;
        for (int c = 0; c < width; ++c) {
            row[2 * c] = even[c];
            row[2 * c + 1] = odd[c];
        }
    }
}

void turn(const BFloat16* a, std::int64_t lda, std::int64_t rows, std::int64_t pairs, BFloat16* to, std::int64_t ld) {
    constexpr std::int64_t some = 16, most = 64;
    const auto* const from = reinterpret_cast<const std::uint16_t*>(a);
    std::uint32_t together[some][most]; // pairs of each row, as they come
    for (std::int64_t p = 0; p < pairs; p += some)
        for (std::int64_t i = 0; i < rows; i += most) {
            const std::int64_t count = std::min(some, pairs - p), n = std::min(most, rows - i);
            for (std::int64_t q = 0; q < count; ++q) {
                const std::uint16_t *const even = from + 2 * (p + q) * lda + i, *const odd = even + lda;
                for (std::int64_t r = 0; r < n; ++r)
                    together[q][r] = std::uint32_t(even[r]) | std::uint32_t(odd[r]) << 16;
            }
            transpose_kernels.b4(reinterpret_cast<std::uint32_t*>(to + i * ld) + p, ld / 2, &together[0][0], most, n,
                                 count, false);
        }
}

template <int M>
REEL_BF16 void tile(const BFloat16* a, std::int64_t lda, const BFloat16* panel, std::int64_t depth, float* c,
                    bool add) {
    __m512 sum[M][panel_vectors];
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < panel_vectors; ++j)
            sum[i][j] = add ? _mm512_loadu_ps(c + i * width + j * lanes) : _mm512_setzero_ps();
    for (std::int64_t p = 0; p < depth; ++p, panel += 2 * width) {
        __m512bh b[panel_vectors];
        for (int j = 0; j < panel_vectors; ++j) b[j] = (__m512bh)_mm512_loadu_si512(panel + j * 2 * lanes);
        for (int i = 0; i < M; ++i) {
            std::int32_t pair;
            std::memcpy(&pair, a + i * lda + 2 * p, sizeof(pair));
            const __m512bh x = (__m512bh)_mm512_set1_epi32(pair);
            for (int j = 0; j < panel_vectors; ++j) sum[i][j] = _mm512_dpbf16_ps(sum[i][j], x, b[j]);
        }
    }
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < panel_vectors; ++j) _mm512_storeu_ps(c + i * width + j * lanes, sum[i][j]);
}

void multiply(const BFloat16* a, std::int64_t lda, const BFloat16* panel, std::int64_t depth, float* c,
              std::int64_t rows, bool add) {
    constexpr decltype(&tile<1>) tiles[tile_rows] = {&tile<1>, &tile<2>, &tile<3>, &tile<4>, &tile<5>, &tile<6>};
    // Blocks of rows that differ by one at most: sums run over k alone, so bits do not depend on them.
    const std::int64_t blocks = (rows + tile_rows - 1) / tile_rows;
    for (std::int64_t i = 0, block = 0; block < blocks; ++block) {
        const std::int64_t n = (rows - i) / (blocks - block);
        tiles[n - 1](a + i * lda, lda, panel, depth, c + i * width, add);
        i += n;
    }
}

} // namespace

void register_bfloat16_product() {
    if (__builtin_cpu_supports("avx512bf16")) bfloat16_product = {width, &pack, &turn, &multiply};
}
#else
void register_bfloat16_product() {}
#endif

} // namespace reel::cpu::REEL_ISA
