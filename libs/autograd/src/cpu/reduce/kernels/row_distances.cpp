// Each distance on a lane of its own; several rows share what is loaded of the panel.
#include "cpu/reduce/row_distances.hpp"

#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

constexpr int w = VF::size, vectors = vector_bytes == 64 ? 4 : 2, together = 3;
constexpr float least_sure = 1e-25f, most_sure = 1e38f; // of squares: beyond, parts may be lost

/// `rows` rows against `vectors` vectors of the panel's.
template <int rows> bool tile(const float* a, const float* panel, std::int64_t m, float* out, std::int64_t ld) {
    constexpr std::int64_t block = 16;
    VF total[rows][vectors];
    for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v) total[r][v] = VF(0.f);
    for (std::int64_t first = 0; first < m; first += block) {
        const std::int64_t end = m - first < block ? m : first + block;
        VF sum[rows][vectors];
        for (int r = 0; r < rows; ++r)
            for (int v = 0; v < vectors; ++v) sum[r][v] = VF(0.f);
        for (std::int64_t k = first; k < end; ++k)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                const VF b = VF::load(panel + k * panel_rows + v * w);
#pragma GCC unroll 4
                for (int r = 0; r < rows; ++r) {
                    const VF d = VF(a[r * m + k]) - b;
                    sum[r][v] = VF(d.v * d.v + sum[r][v].v);
                }
            }
        for (int r = 0; r < rows; ++r)
            for (int v = 0; v < vectors; ++v) total[r][v] += sum[r][v];
    }
    for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v) sqrt(total[r][v]).store(out + r * ld + v * w);
    auto sure = total[0][0] > VF(least_sure) & total[0][0] < VF(most_sure);
    for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v) sure = sure & (total[r][v] > VF(least_sure)) & (total[r][v] < VF(most_sure));
    return !any(!sure);
}
template <int rows>
bool line_of_tiles(const float* a, const float* panel, std::int64_t m, float* out, std::int64_t ld,
                   std::int64_t count) {
    constexpr std::int64_t width = vectors * w;
    bool sure = true;
    for (std::int64_t j = 0; j < count; j += width) {
        if (j + width <= count) {
            sure &= tile<rows>(a, panel + j, m, out + j, ld);
            continue;
        }
        float rest[rows * width];
        sure &= tile<rows>(a, panel + j, m, rest, width);
        for (int r = 0; r < rows; ++r)
            for (std::int64_t c = j; c < count; ++c) out[r * ld + c] = rest[r * width + c - j];
    }
    return sure;
}
bool distances(const float* a, std::int64_t rows, const float* panel, std::int64_t m, float* out, std::int64_t ld,
               std::int64_t count) {
    std::int64_t i = 0;
    bool sure = true;
    for (; i + together <= rows; i += together)
        sure &= line_of_tiles<together>(a + i * m, panel, m, out + i * ld, ld, count);
    for (; i < rows; ++i) sure &= line_of_tiles<1>(a + i * m, panel, m, out + i * ld, ld, count);
    return sure;
}

} // namespace

void register_row_distances() { row_distances = &distances; }

} // namespace reel::cpu::REEL_ISA
