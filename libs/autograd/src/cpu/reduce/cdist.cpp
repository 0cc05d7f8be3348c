// Euclidean distances between the rows of two matrices.
#include <reel/autograd/kernels/cdist.hpp>

#include <algorithm>
#include <cmath>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/reduce/row_distances.hpp"
#include "cpu/scratch.hpp"

namespace reel::cpu {

namespace {

/// Rows against the rows of one panel.
struct Block {
    const float *a, *b;
    float* out;
    std::int64_t rows, count, m, ld;

    double apart(std::int64_t i, std::int64_t j) const {
        double sum = 0;
        for (std::int64_t k = 0; k < m; ++k) {
            const double d = double(a[i * m + k]) - double(b[j * m + k]);
            sum += d * d;
        }
        return std::sqrt(sum);
    }
    /// In float64 what float32 may have lost parts of.
    void make_sure() const {
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < count; ++j) {
                float& d = out[i * ld + j];
                if (!(d > least_sure_distance && d < most_sure_distance)) d = float(apart(i, j));
            }
    }
};

} // namespace

void cdist(const Tensor& out, const Tensor& x1, const Tensor& x2) {
    const std::int64_t batch = x1.size(0), rows = x1.size(1), others = x2.size(1), m = x1.size(2);
    if (out.numel() == 0) return;
    constexpr std::int64_t share = 96; // rows against one panel
    const std::int64_t panels = (others + panel_rows - 1) / panel_rows, shares = (rows + share - 1) / share;
    const float *a = host_data<float>(x1, "cdist"), *b = host_data<float>(x2, "cdist");
    float* const to = host_data<float>(out, "cdist");
    const std::int64_t work = std::max<std::int64_t>(1, share * panel_rows * m / 16);
    parallel_for(0, batch * panels * shares, std::max<std::int64_t>(1, 32768 / work),
                 [&](std::int64_t begin, std::int64_t end) {
                     const Scratch scratch(std::size_t(panel_rows * m) * sizeof(float));
                     float* const panel = scratch.as<float>();
                     for (std::int64_t task = begin; task < end; ++task) {
                         const std::int64_t n = task / shares / panels, first = task / shares % panels * panel_rows,
                                            count = std::min(panel_rows, others - first), i = task % shares * share;
                         if (i == 0 || task == begin) {
                             const float* const from = b + (n * others + first) * m;
                             for (std::int64_t k = 0; k < m; ++k)
                                 for (std::int64_t j = 0; j < panel_rows; ++j)
                                     panel[k * panel_rows + j] = j < count ? from[j * m + k] : 0;
                         }
                         const Block block{a + (n * rows + i) * m,
                                           b + (n * others + first) * m,
                                           to + (n * rows + i) * others + first,
                                           std::min(share, rows - i),
                                           count,
                                           m,
                                           others};
                         if (!row_distances(block.a, block.rows, panel, m, block.out, others, count)) block.make_sure();
                     }
                 });
}

} // namespace reel::cpu
