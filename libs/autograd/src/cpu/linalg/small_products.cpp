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

/// Does what lies from the first to the last of `count` places stay in the first cache, whose sets few others share?
template <class T> bool stays_near(std::int64_t count, std::int64_t step) {
    return count * step * std::int64_t(sizeof(T)) <= 1 << 15;
}

/// The products of matrices [m, k] and [k, n]. Operands are read where they lie, if the tiles can.
template <class T> struct Products {
    const PackedProductKernels<T>& kernel = packed_product_kernels<T>;
    std::int64_t m, k, n;

    void operator()(Matrix<T> x, const Matrix<T>& y, T* packed, T* to) const {
        T* const dense = packed + kernel.size(k, n);
        const bool in_place = y.along == 1 && n % kernel.lanes == 0 && y.down > 0 && stays_near<T>(k, y.down);
        if (!in_place) pack(y, dense, packed);
        if (x.along != 1 && !stays_near<T>(k, x.along)) {
            if (x.down == 1) transposed_copy(dense, k, x.data, x.along, m, k);
            else copy(x, m, k, dense);
            x = {dense, k, 1};
        }
        kernel.run_in_place(x.data, x.down, x.along, in_place ? y.data : packed, in_place ? y.down : 0, to, n, m, n, k);
    }

private:
    void pack(const Matrix<T>& y, T* dense, T* packed) const {
        if (y.along == 1) kernel.pack(y.data, false, k, n, y.down, packed);
        else if (y.down == 1) kernel.pack(y.data, true, k, n, y.along, packed);
        else {
            copy(y, k, n, dense);
            kernel.pack(dense, false, k, n, n, packed);
        }
    }
};

template <class T> void run(const Tensor& out, const Tensor& a, const Tensor& b) {
    const Products<T> products{.m = a.size(1), .k = a.size(2), .n = b.size(2)};
    const std::int64_t m = products.m, k = products.k, n = products.n;
    const Matrix<T> left{host_data<T>(a, "bmm"), a.stride(1), a.stride(2)},
        right{host_data<T>(b, "bmm"), b.stride(1), b.stride(2)};
    const std::int64_t to_left = a.stride(0), to_right = b.stride(0), to_out = m * n;
    const std::size_t room = std::size_t(products.kernel.size(k, n) + std::max(m, n) * k) * sizeof(T);
    T* const to = host_data<T>(out, "bmm");
    parallel_for(
        0, a.size(0), std::max<std::int64_t>(1, 100000 / (m * n * k)), [&](std::int64_t begin, std::int64_t end) {
            const Scratch scratch(room);
            for (std::int64_t i = begin; i < end; ++i)
                products({left.data + i * to_left, left.down, left.along},
                         {right.data + i * to_right, right.down, right.along}, scratch.as<T>(), to + i * to_out);
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
