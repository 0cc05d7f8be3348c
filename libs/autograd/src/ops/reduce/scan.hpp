// Scans that other rules build on.
#pragma once

#include <reel/autograd/tensor.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

namespace reduction {
/// Running results are kept wider than the elements: float32 for 16 bits, float64 for float32. Integers wrap, which
/// unsigned ones do.
template <class T> struct RunningOf { using type = Wide<T>; };
template <> struct RunningOf<float> { using type = double; };
template <> struct RunningOf<std::complex<float>> { using type = std::complex<double>; };
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct RunningOf<T> {
    using type = std::uint64_t;
};
template <class T> using Running = typename RunningOf<T>::type;
} // namespace reduction

/// Running sums from the end: out[i] = x[i] + ... + x[n - 1]. Differentiable.
Tensor reverse_cumsum(const Tensor& x, std::int64_t dim);
/// The elements along `dim` in opposite order. Differentiable.
Tensor reverse(const Tensor& x, std::int64_t dim);

} // namespace reel
