// Products of matrices of whole numbers, for which the library has no function: sums wrap in the elements' own type.
#include "linalg/integer_mm.hpp"

#include "dispatch.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Dot {
    T* out;
    const T *a, *b;
    std::int64_t n, k, a_row, a_column, b_row, b_column;
    std::uint64_t alpha, beta;
    __device__ void operator()(std::int64_t i) const {
        const T* const row = a + i / n * a_row;
        const T* const column = b + i % n * b_column;
        std::uint64_t sum = 0;
        for (std::int64_t j = 0; j < k; ++j) sum += std::uint64_t(row[j * a_column]) * std::uint64_t(column[j * b_row]);
        out[i] = T(alpha * sum + (beta == 0 ? 0 : beta * std::uint64_t(out[i])));
    }
};

} // namespace

void integer_mm(const Tensor& out, const Tensor& a, const Tensor& b, double alpha, double beta) {
    dispatch(IntegralTypes(), "mm", out, [&]<class T>() {
        for_each("mm", out.device().index(), out.numel(),
                 Dot<T>{data<T>(out), data<T>(a), data<T>(b), out.size(1), a.size(1), a.stride(0), a.stride(1),
                        b.stride(0), b.stride(1), std::uint64_t(std::int64_t(alpha)),
                        std::uint64_t(std::int64_t(beta))});
    });
}

} // namespace reel::cuda
