// Products of few rows with a matrix that is used many times: the matrix is brought into the kernel's order once.
#pragma once

#include <cstdint>

#include <reel/autograd/parallel.hpp>

#include "cpu/scratch.hpp"

namespace reel::cpu {

/// Inner loops, compiled once per instruction set. Columns stand in panels of `width`, the last one as narrow as
/// vectors allow; a panel holds its columns' values row after row.
template <class T> struct PackedProductKernels {
    std::int64_t width;
    /// Do these loops beat OpenBLAS at every size? They do on processors that it does not know.
    bool always;
    /// If not, the elements and the smaller extent of a right matrix up to which they do: one is enough.
    std::int64_t most_elements, most_extent;
    /// Elements that the panels of n columns take.
    std::int64_t (*size)(std::int64_t k, std::int64_t n);
    /// `b` is [k, n], or [n, k] when `transposed`.
    void (*pack)(const T* b, bool transposed, std::int64_t k, std::int64_t n, std::int64_t ldb, T* panels);
    /// Columns of panels [first, last) of c = a b, or of c += a b; a is [m, k].
    void (*run)(const T* a, std::int64_t lda, const T* panels, std::int64_t first, std::int64_t last, T* c,
                std::int64_t ldc, std::int64_t m, std::int64_t n, std::int64_t k, bool add);
    /// c = a b, with the same bits. a's next row lies `down`, its next column `along` further. Where `ldb` is zero, `b`
    /// are panels; else its rows, which lie `ldb` apart, and n is a multiple of `lanes`.
    void (*run_in_place)(const T* a, std::int64_t down, std::int64_t along, const T* b, std::int64_t ldb, T* c,
                         std::int64_t ldc, std::int64_t m, std::int64_t n, std::int64_t k);
    std::int64_t lanes; ///< of a vector
};
template <class T> inline constinit PackedProductKernels<T> packed_product_kernels{};

/// A matrix [k, n] in panels.
template <class T> class PackedMatrix {
public:
    PackedMatrix(const T* b, bool transposed, std::int64_t k, std::int64_t n, std::int64_t ldb)
        : k_(k), n_(n), panels_(std::size_t(packed_product_kernels<T>.size(k, n)) * sizeof(T)) {
        packed_product_kernels<T>.pack(b, transposed, k, n, ldb, panels_.template as<T>());
    }
    /// c [m, n] = a [m, k] times the matrix, added to what is there when `add`. The bits do not depend on threads.
    void multiply(const T* a, std::int64_t lda, T* c, std::int64_t ldc, std::int64_t m, bool add) const {
        const auto& kernels = packed_product_kernels<T>;
        const std::int64_t panels = (n_ + kernels.width - 1) / kernels.width, work = m * k_ * kernels.width,
                           grain = std::max<std::int64_t>(1, 1500000 / std::max<std::int64_t>(work, 1));
        parallel_for(0, panels, grain, [&](std::int64_t first, std::int64_t last) {
            kernels.run(a, lda, panels_.template as<T>(), first, last, c, ldc, m, n_, k_, add);
        });
    }

private:
    std::int64_t k_, n_;
    Scratch panels_;
};

} // namespace reel::cpu
