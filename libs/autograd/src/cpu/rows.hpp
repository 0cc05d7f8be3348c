// Loops over dense rows, and the number types that they compute in.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

/// The type that a 16-bit number computes in; others compute in their own.
template <class T> using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;
template <class T> inline constexpr bool complex_v = false;
template <class T> inline constexpr bool complex_v<std::complex<T>> = true;
template <class T> bool is_nan(const T& x) {
    if constexpr (complex_v<T>) return x.real() != x.real() || x.imag() != x.imag();
    else return x != x;
}
/// How many rows of `inner` elements make a task.
inline std::int64_t row_grain(std::int64_t inner) {
    return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(inner, 1));
}

/// `out[i] = f(row i, its length)` for `op`, rows spread over threads.
template <class T, class O, class F>
void for_rows(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, F f) {
    const T* in = static_cast<const T*>(host_data(rows, op));
    O* o = static_cast<O*>(host_data(out, op));
    parallel_for(0, out.numel(), row_grain(inner), [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i) o[i] = f(in + i * inner, inner);
    });
}
/// How many elements of a long row go together: as many whatever the number of threads, which share them.
inline constexpr std::int64_t row_block = 32768;
/// `f(p, n)` over the blocks of a row, put together by `combine` in their order.
template <class T, class F, class Combine>
auto in_blocks(const T* p, std::int64_t n, const F& f, const Combine& combine) -> decltype(f(p, n)) {
    using Part = decltype(f(p, n));
    if (n <= row_block) return f(p, n);
    const std::int64_t blocks = (n + row_block - 1) / row_block;
    const auto part = std::make_unique<Part[]>(std::size_t(blocks)); // no vector, whose bools share bytes
    parallel_for(0, blocks, 1, [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i)
            part[std::size_t(i)] = f(p + i * row_block, std::min(row_block, n - i * row_block));
    });
    Part all = part[0];
    for (std::int64_t i = 1; i < blocks; ++i) all = combine(all, part[std::size_t(i)]);
    return all;
}
/// out[i] = what row i becomes: `kernel(first, rows, n, out)` for rows of up to a block, which lie one after the other,
/// and for the blocks of longer ones, whose results `combine` puts together in their order.
template <class T, class Kernel, class Combine>
void for_rows_in_blocks(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, const Kernel& kernel,
                        const Combine& combine) {
    if (inner > row_block) {
        const auto block = [&](const T* p, std::int64_t n) {
            T one;
            kernel(p, 1, n, &one);
            return one;
        };
        return for_rows<T, T>(op, out, rows, inner,
                              [&](const T* row, std::int64_t n) { return in_blocks(row, n, block, combine); });
    }
    const T* const in = static_cast<const T*>(host_data(rows, op));
    T* const o = static_cast<T*>(host_data(out, op));
    parallel_for(0, out.numel(), row_grain(inner),
                 [&](std::int64_t b, std::int64_t e) { kernel(in + b * inner, e - b, inner, o + b); });
}

/// `f(row i of in, row i of out, its length)` for rows of the last dimension; both have one shape, are dense.
template <class T, class O, class F> void for_lines(const char* op, const Tensor& out, const Tensor& rows, F f) {
    if (out.numel() == 0) return; // however many lines of nothing there are
    const std::int64_t n = rows.sizes().back();
    const T* in = static_cast<const T*>(host_data(rows, op));
    O* o = static_cast<O*>(host_data(out, op));
    parallel_for(0, rows.numel() / n, row_grain(n), [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i) f(in + i * n, o + i * n, n);
    });
}

} // namespace reel::cpu
