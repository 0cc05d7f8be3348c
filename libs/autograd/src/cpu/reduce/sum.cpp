// Blocks, then a pairwise tree over the blocks.
#include "cpu/reduce/sum.hpp"

#include <reel/autograd/kernels/sum.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/reduce/row_kernels.hpp"

namespace reel::cpu {

namespace {

template <class T> T tree(const T* p, std::int64_t n) {
    if (n == 1) return p[0];
    const std::int64_t half = (n + 1) / 2;
    return tree(p, half) + tree(p + half, n - half);
}
template <class T>
inline constexpr bool has_vectors =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Sums of blocks, which have at most `sum_block` elements: `rows` blocks of `n`, one after the other.
template <class A, class T> struct BlockSums {
    void operator()(const T* p, std::int64_t rows, std::int64_t n, A* out) const {
        for (std::int64_t r = 0; r < rows; ++r, p += n) {
            if constexpr (std::is_integral_v<T>) out[r] = row_kernels<T>.whole_sum(p, n);
            else {
                A s{};
                for (std::int64_t i = 0; i < n; ++i) s += A(p[i]);
                out[r] = s;
            }
        }
    }
};
template <class A, class T>
requires has_vectors<T>
struct BlockSums<A, T> {
    typename SumKernels<T>::Rows rows = sum_kernels<T>.rows;
    void operator()(const T* p, std::int64_t count, std::int64_t n, A* out) const { rows(p, count, n, out); }
};
/// The sum of a row that is longer than a block.
template <class A, class T, class Blocks> A row_sum(const T* p, std::int64_t n, Blocks sums) {
    const std::int64_t whole = n / sum_block, rest = n - whole * sum_block;
    std::vector<A> partial(static_cast<std::size_t>(whole + (rest > 0)));
    parallel_for(0, std::int64_t(partial.size()), 8, [&](std::int64_t b, std::int64_t e) {
        if (b < whole) sums(p + b * sum_block, std::min(e, whole) - b, sum_block, partial.data() + b);
        if (e > whole) sums(p + whole * sum_block, 1, rest, partial.data() + whole);
    });
    return tree(partial.data(), std::int64_t(partial.size()));
}
/// The sums of `rows` rows of at most a block.
template <class A, class T, class Blocks>
void short_rows(const T* p, std::int64_t rows, std::int64_t n, T* out, Blocks sums) {
    if (n == 0) std::fill_n(out, rows, T(A{}));
    else if constexpr (std::is_same_v<A, T>) sums(p, rows, n, out);
    else {
        constexpr std::int64_t some = 64;
        A wide[some];
        for (std::int64_t r = 0; r < rows; r += some) {
            const std::int64_t count = std::min(some, rows - r);
            sums(p + r * n, count, n, wide);
            for (std::int64_t i = 0; i < count; ++i) out[r + i] = T(wide[i]);
        }
    }
}
template <class A, class T, class Blocks = BlockSums<A, T>>
void rows_of(const void* in, std::int64_t rows, std::int64_t inner, void* out, Blocks sums = {}) {
    const T* p = static_cast<const T*>(in);
    T* o = static_cast<T*>(out);
    parallel_for(0, rows, std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(inner, 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     if (inner <= sum_block) return short_rows<A>(p + b * inner, e - b, inner, o + b, sums);
                     for (std::int64_t r = b; r < e; ++r) o[r] = T(row_sum<A>(p + r * inner, inner, sums));
                 });
}
template <class T, class F>
void columns_of(const void* in, std::int64_t matrices, std::int64_t rows, std::int64_t cols, void* out, F columns) {
    const T* p = static_cast<const T*>(in);
    T* o = static_cast<T*>(out);
    // Shares of whole cache lines; which columns go together does not change their sums.
    constexpr std::int64_t share = 128;
    const std::int64_t shares = (cols + share - 1) / share;
    parallel_for(0, matrices * shares,
                 std::max<std::int64_t>(1, 32768 / std::min(share, cols) / std::max<std::int64_t>(rows, 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     while (b < e) { // what lies in one matrix goes in one call
                         const std::int64_t m = b / shares, end = std::min(e, (m + 1) * shares);
                         const std::int64_t first = (b - m * shares) * share,
                                            last = std::min(cols, (end - m * shares) * share);
                         T* const to = o + m * cols;
                         if (rows == 0) std::fill(to + first, to + last, T(0));
                         else columns(p + m * rows * cols + first, rows, cols, last - first, to + first);
                         b = end;
                     }
                 });
}

} // namespace

void sum_rows(const Tensor& result, const Tensor& operand, std::int64_t inner) {
    const ScalarType t = result.scalar_type();
    const void* in = host_data(operand, "sum");
    void* out = host_data(result, "sum");
    const std::int64_t rows = result.numel();
    switch (t) {
    case kFloat:
        return rows_of<float, float>(in, rows, inner, out);
    case kDouble:
        return rows_of<double, double>(in, rows, inner, out);
    case kHalf:
        return rows_of<float, Half>(in, rows, inner, out);
    case kBFloat16:
        return rows_of<float, BFloat16>(in, rows, inner, out);
    case kComplexFloat:
        return rows_of<std::complex<float>, std::complex<float>>(in, rows, inner, out);
    case kComplexDouble:
        return rows_of<std::complex<double>, std::complex<double>>(in, rows, inner, out);
    case kByte: // integers wrap, which only unsigned sums do
        return rows_of<std::uint64_t, std::uint8_t>(in, rows, inner, out);
    case kChar:
        return rows_of<std::uint64_t, std::int8_t>(in, rows, inner, out);
    case kShort:
        return rows_of<std::uint64_t, std::int16_t>(in, rows, inner, out);
    case kInt:
        return rows_of<std::uint64_t, std::int32_t>(in, rows, inner, out);
    case kLong:
        return rows_of<std::uint64_t, std::int64_t>(in, rows, inner, out);
    case kBool:
        return rows_of<std::uint64_t, bool>(in, rows, inner, out);
    default:
        REEL_THROW(NotImplementedError, "sum: there is no kernel for ", dtype_name(t));
    }
}
void sum_columns(const Tensor& result, const Tensor& operand, std::int64_t rows, std::int64_t cols) {
    const ScalarType t = result.scalar_type();
    const void* in = host_data(operand, "sum");
    void* out = host_data(result, "sum");
    const std::int64_t matrices = result.numel() / cols;
    if (t == kHalf) return columns_of<Half>(in, matrices, rows, cols, out, row_kernels<Half>.sum_of_columns);
    if (t == kBFloat16)
        return columns_of<BFloat16>(in, matrices, rows, cols, out, row_kernels<BFloat16>.sum_of_columns);
    if (t == kFloat) return columns_of<float>(in, matrices, rows, cols, out, sum_kernels<float>.columns);
    REEL_INTERNAL_ASSERT(t == kDouble, "sum_columns");
    columns_of<double>(in, matrices, rows, cols, out, sum_kernels<double>.columns);
}

void sum_of_numbers(const Tensor& result, const Tensor& operand, std::int64_t inner, std::int64_t cols) {
    const void* in = host_data(operand, "nansum");
    void* out = host_data(result, "nansum");
    const std::int64_t count = result.numel();
    const auto run = [&]<class T>(T) {
        using Sum = typename SumKernels<T>::Sum;
        if (cols == 0) {
            const BlockSums<Sum, T> sums{sum_kernels<T>.rows_of_numbers};
            return rows_of<Sum, T>(in, count, inner, out, sums);
        }
        if constexpr (std::is_same_v<T, Sum>)
            return columns_of<T>(in, count / cols, inner, cols, out, sum_kernels<T>.columns_of_numbers);
        REEL_INTERNAL_ASSERT(false, "sum_of_numbers");
    };
    switch (result.scalar_type()) {
    case kFloat:
        return run(float());
    case kDouble:
        return run(double());
    case kHalf:
        return run(Half());
    default:
        REEL_INTERNAL_ASSERT(result.scalar_type() == kBFloat16, "sum_of_numbers");
        return run(BFloat16());
    }
}

} // namespace reel::cpu
