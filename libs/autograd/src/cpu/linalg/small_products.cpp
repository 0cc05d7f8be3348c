#include "cpu/linalg/small_products.hpp"

#include <algorithm>

#include <reel/autograd/host_data.hpp>

#include "cpu/linalg/packed_product.hpp"
#include "cpu/shape/transpose.hpp"

namespace reel::cpu {

namespace {

/// One matrix of a batch and the steps to its next row and column.
template <class T> struct Matrix {
    const T* data;
    std::int64_t down, along;
};
template <class T> void copy(const Matrix<T>& x, std::int64_t rows, std::int64_t columns, T* to) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) to[r * columns + c] = x.data[r * x.down + c * x.along];
}

template <class T> void run(const Tensor& out, const Tensor& a, const Tensor& b) {
    const PackedProductKernels<T>& kernel = packed_product_kernels<T>;
    const std::int64_t m = a.size(1), k = a.size(2), n = b.size(2), panels = (n + kernel.width - 1) / kernel.width;
    const T *const left = host_data<T>(a, "bmm"), *const right = host_data<T>(b, "bmm");
    T* const to = host_data<T>(out, "bmm");
    parallel_for(0, a.size(0), std::max<std::int64_t>(1, 100000 / (m * n * k)),
                 [&](std::int64_t begin, std::int64_t end) {
                     const Scratch scratch(std::size_t(kernel.size(k, n) + std::max(m, n) * k) * sizeof(T));
                     T *const packed = scratch.as<T>(), *const dense = packed + kernel.size(k, n);
                     for (std::int64_t i = begin; i < end; ++i) {
                         const Matrix<T> y{right + i * b.stride(0), b.stride(1), b.stride(2)};
                         if (y.along == 1) kernel.pack(y.data, false, k, n, y.down, packed);
                         else if (y.down == 1) kernel.pack(y.data, true, k, n, y.along, packed);
                         else {
                             copy(y, k, n, dense);
                             kernel.pack(dense, false, k, n, n, packed);
                         }
                         Matrix<T> x{left + i * a.stride(0), a.stride(1), a.stride(2)};
                         if (x.along != 1) {
                             if (x.down == 1) transposed_copy(dense, k, x.data, x.along, m, k);
                             else copy(x, m, k, dense);
                             x = {dense, k, 1};
                         }
                         kernel.run(x.data, x.down, packed, 0, panels, to + i * m * n, n, m, n, k, false);
                     }
                 });
}

} // namespace

bool small_products(const Tensor& out, const Tensor& a, const Tensor& b) {
    constexpr std::int64_t small = 128; // an extent up to which the tiles beat a call
    if (a.size(1) > small || a.size(2) > small || b.size(2) > small || out.numel() == 0 || a.size(2) == 0) return false;
    if (out.scalar_type() == kFloat) run<float>(out, a, b);
    else if (out.scalar_type() == kDouble) run<double>(out, a, b);
    else return false;
    return true;
}

} // namespace reel::cpu
