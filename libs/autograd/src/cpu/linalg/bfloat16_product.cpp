// Products of bfloat16 matrices: both factors in pairs along k, one row of panels after the other.
#include "cpu/linalg/bfloat16_product.hpp"

#include <algorithm>
#include <cstring>

#include <reel/autograd/parallel.hpp>

#include "cpu/scratch.hpp"
#include "cpu/shape/convert.hpp"

namespace reel::cpu {

namespace {

constexpr std::int64_t chunk_rows = 96; // rows whose sums for one panel stay in the first cache
constexpr std::int64_t deepest = 512;   // pairs of a panel that stay in the second one
constexpr std::int64_t share = 1000000; // multiplications that are worth a thread
constexpr std::int64_t moved = 1 << 16; // numbers whose packing is

/// Rows of the left factor whose pairs lie one after the other.
struct Rows {
    const BFloat16* data;
    std::int64_t ld;
};
/// [m, k] from [m, k] or, transposed, [k, m]; an odd k gets a zero more.
void pack_rows(const BFloat16* a, bool transposed, std::int64_t lda, std::int64_t m, std::int64_t k, BFloat16* to) {
    const std::int64_t ld = (k + 1) / 2 * 2;
    parallel_for(0, m, std::max<std::int64_t>(1, moved / ld), [&](std::int64_t begin, std::int64_t end) {
        if (transposed) bfloat16_product.turn(a + begin, lda, end - begin, k / 2, to + begin * ld, ld);
        for (std::int64_t i = begin; i < end; ++i) {
            if (!transposed) std::memcpy(static_cast<void*>(to + i * ld), a + i * lda, std::size_t(k) * 2);
            else if (k < ld) to[i * ld + k - 1] = a[(k - 1) * lda + i];
            if (k < ld) to[i * ld + k] = BFloat16(0.f);
        }
    });
}
/// to = alpha sums + beta to, rounded once.
void round_row(float* sums, std::int64_t n, float alpha, float beta, BFloat16* to) {
    if (alpha != 1)
        for (std::int64_t j = 0; j < n; ++j) sums[j] *= alpha;
    if (beta != 0)
        for (std::int64_t j = 0; j < n; ++j) sums[j] += beta * float(to[j]);
    convert_kernel(kBFloat16, kFloat)(to, sums, n);
}

} // namespace

bool multiply_bfloat16(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const BFloat16* a,
                       std::int64_t lda, const BFloat16* b, std::int64_t ldb, float beta, BFloat16* c,
                       std::int64_t ldc) {
    const BFloat16Product& kernel = bfloat16_product;
    if (!kernel.multiply || k == 0) return false;
    const std::int64_t pairs = (k + 1) / 2, width = kernel.width, panels = (n + width - 1) / width,
                       panel = pairs * width * 2;
    const Scratch right(std::size_t(panels * panel) * sizeof(BFloat16)),
        left(ta || k % 2 ? std::size_t(m * pairs * 2) * sizeof(BFloat16) : 0);
    parallel_for(0, panels, std::max<std::int64_t>(1, moved / panel), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p)
            kernel.pack(b, tb, ldb, k, p * width, std::min(width, n - p * width), right.as<BFloat16>() + p * panel);
    });
    if (left.as<BFloat16>()) pack_rows(a, ta, lda, m, k, left.as<BFloat16>());
    const Rows rows = left.as<BFloat16>() ? Rows{left.as<BFloat16>(), 2 * pairs} : Rows{a, lda};
    const std::int64_t chunks = (m + chunk_rows - 1) / chunk_rows, step = (m + chunks - 1) / chunks,
                       grain = std::max<std::int64_t>(1, share / (step * panel));
    parallel_for(0, chunks * panels, grain, [&](std::int64_t begin, std::int64_t end) {
        const Scratch sums(std::size_t(step * width) * sizeof(float));
        for (std::int64_t job = begin; job < end; ++job) {
            const std::int64_t p = job / chunks, i0 = job % chunks * step, count = std::min(step, m - i0);
            for (std::int64_t d = 0; d < pairs; d += deepest)
                kernel.multiply(rows.data + i0 * rows.ld + 2 * d, rows.ld,
                                right.as<BFloat16>() + p * panel + d * width * 2, std::min(deepest, pairs - d),
                                sums.as<float>(), count, d > 0);
            for (std::int64_t i = 0; i < count; ++i)
                round_row(sums.as<float>() + i * width, std::min(width, n - p * width), alpha, beta,
                          c + (i0 + i) * ldc + p * width);
        }
    });
    return true;
}

} // namespace reel::cpu
