// The right matrix in panels, some rows of it at a time; of the left one strips that stay in the second cache meet all
// panels, of which one stays in the first (K. Goto, R. A. van de Geijn, "Anatomy of high-performance matrix
// multiplication", 2008).
#include "cpu/linalg/blocked_product.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/linalg/packed_product.hpp"
#include "cpu/shape/transpose.hpp"

namespace reel::cpu {

namespace {

constexpr std::int64_t most_depth = 384, strip_elements = 1 << 15;
constexpr std::int64_t most_columns = 4096; // panels of one depth stay in the last cache
constexpr std::int64_t task = 2000000;      // multiplications that are worth a thread

std::int64_t parts(std::int64_t extent, std::int64_t most) { return (extent + most - 1) / most; }
/// The extent of equal parts, in units.
std::int64_t step(std::int64_t extent, std::int64_t count, std::int64_t unit) {
    return parts(parts(extent, count), unit) * unit;
}

/// A product and how it is cut, by its shape alone.
template <class T> class Blocks {
public:
    Blocks(std::int64_t m, std::int64_t n, std::int64_t k)
        : m_(m), n_(n), panels_(parts(n, kernels_.width)), depth_(step(k, parts(k, most_depth), 4)),
          rows_(step(m, parts(m, std::max<std::int64_t>(strip_elements / depth_, 12)), 6)), strips_(parts(m, rows_)),
          // few strips: each goes to several threads
          chunk_(strips_ < 8 ? step(panels_, std::min<std::int64_t>(4, parts(rows_ * n * depth_, task)), 1) : panels_),
          chunks_(parts(panels_, chunk_)), panels_of_depth_(std::size_t(kernels_.size(depth_, n)) * sizeof(T)) {}
    std::int64_t depth() const { return depth_; }

    /// `b` begins at the first of `k` rows.
    void pack(const T* b, bool tb, std::int64_t k, std::int64_t ldb) const {
        const std::int64_t width = kernels_.width;
        parallel_for(0, panels_, std::max<std::int64_t>(1, 65536 / (k * width)),
                     [&](std::int64_t first, std::int64_t last) {
                         const std::int64_t j = first * width;
                         kernels_.pack(b + (tb ? j * ldb : j), tb, k, std::min(last * width, n_) - j, ldb,
                                       panels_of_depth_.template as<T>() + j * k);
                     });
    }
    /// `a` begins at the first of `k` columns.
    void multiply(const T* a, bool ta, std::int64_t k, std::int64_t lda, bool add, T* c, std::int64_t ldc) const {
        const std::int64_t work = std::max<std::int64_t>(1, rows_ * k * std::min(chunk_ * kernels_.width, n_));
        parallel_for(
            0, strips_ * chunks_, std::max<std::int64_t>(1, task / work), [&](std::int64_t begin, std::int64_t end) {
                const bool copied = ta || lda > 2 * k; // rows far apart would share their places in the cache
                const Scratch strip(copied ? std::size_t(rows_ * k) * sizeof(T) : 0);
                for (std::int64_t t = begin, in_strip = -1; t < end; ++t) {
                    const std::int64_t row = t / chunks_ * rows_, rows = std::min(rows_, m_ - row),
                                       panel = t % chunks_ * chunk_;
                    const T* from = ta ? a + row : a + row * lda;
                    if (copied && in_strip != row) copy(strip.as<T>(), from, ta, rows, k, lda);
                    in_strip = row;
                    kernels_.run(copied ? strip.as<T>() : from, copied ? k : lda, panels_of_depth_.as<T>(), panel,
                                 std::min(panel + chunk_, panels_), c + row * ldc, ldc, rows, n_, k, add);
                }
            });
    }

private:
    static void copy(T* to, const T* a, bool ta, std::int64_t rows, std::int64_t k, std::int64_t lda) {
        if (ta) return transposed_copy(to, k, a, lda, rows, k);
        for (std::int64_t i = 0; i < rows; ++i) std::memcpy(to + i * k, a + i * lda, std::size_t(k) * sizeof(T));
    }

    const PackedProductKernels<T>& kernels_ = packed_product_kernels<T>;
    std::int64_t m_, n_, panels_, depth_, rows_, strips_, chunk_, chunks_;
    Scratch panels_of_depth_;
};

} // namespace

template <class T>
bool blocked_product(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda,
                     const T* b, std::int64_t ldb, bool add, T* c, std::int64_t ldc) {
    const auto& kernels = packed_product_kernels<T>;
    // With few rows, bringing the right matrix into order would take longest.
    const bool small = k * n <= kernels.most_elements && m >= (tb ? 16 : 4),
               narrow = std::min(k, n) <= kernels.most_extent && m >= 32 && n >= kernels.width;
    if (!kernels.always && !small && !narrow) return false;
    const std::int64_t columns = step(n, parts(n, most_columns), kernels.width);
    for (std::int64_t j = 0; j < n; j += columns) {
        const Blocks<T> blocks(m, std::min(columns, n - j), k);
        for (std::int64_t p = 0; p < k; p += blocks.depth()) {
            const std::int64_t depth = std::min(blocks.depth(), k - p);
            blocks.pack(b + (tb ? j * ldb + p : p * ldb + j), tb, depth, ldb);
            blocks.multiply(a + (ta ? p * lda : p), ta, depth, lda, add || p > 0, c + j, ldc);
        }
    }
    return true;
}
template bool blocked_product(bool, bool, std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t,
                              const float*, std::int64_t, bool, float*, std::int64_t);
template bool blocked_product(bool, bool, std::int64_t, std::int64_t, std::int64_t, const double*, std::int64_t,
                              const double*, std::int64_t, bool, double*, std::int64_t);

} // namespace reel::cpu
