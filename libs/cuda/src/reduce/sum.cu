// Sums of rows and of columns.
#include <reel/autograd/kernels/sum.hpp>

#include "columns.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Sum : DenseRows<T, Sum<T>> {
    using State = number_t<T>;
    Elements<T> out;

    __device__ State nothing() const { return State(0); }
    __device__ void take(State& s, State v, std::int64_t) const { s = s + v; }
    __device__ State join(State a, State b) const { return a + b; }
    __device__ void finish(std::int64_t row, State s, std::int64_t) const { out.put(row, s); }
};

void sum_rows(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    for_dtype<floats | halves | whole | complexes>("sum", out, [&]<class T>() {
        reduce_rows("sum", out, Sum<T>{{rows, inner}, Elements<T>(out)}, out.numel(), inner);
    });
}

/// Of matrices that stand one after the other: their columns are counted through.
template <class T> struct ColumnSum {
    using State = compute_t<T>;
    const T* in;
    T* out;
    std::int64_t rows, cols;

    __device__ State nothing() const { return State(0); }
    __device__ void take(State& s, std::int64_t row, std::int64_t column) const {
        s += State(in[(column / cols * rows + row) * cols + column % cols]);
    }
    __device__ State join(State a, State b) const { return a + b; }
    __device__ void finish(std::int64_t column, State s) const { out[column] = T(s); }
};

void sum_columns(const Tensor& out, const Tensor& operand, std::int64_t rows, std::int64_t cols) {
    for_dtype<floats | halves>("sum", out, [&]<class T>() {
        const ColumnSum<T> rule{Elements<T>(operand).data, Elements<T>(out).data, rows, cols};
        reduce_columns("sum", out, rule, rows, out.numel());
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::sum_rows.set(kCUDA, &sum_rows);
    kernels::sum_columns.set(kCUDA, &sum_columns);
    return true;
}();

} // namespace

} // namespace reel::cuda
