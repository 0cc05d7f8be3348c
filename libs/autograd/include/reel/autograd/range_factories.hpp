// Ranges and identities with the options where libtorch has them too, in the step's place.
#pragma once

#include <concepts>

#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/spectral/frequencies.hpp>

namespace reel {

/// `arange(0, 10, kFloat)`: step one, with options; see arange(start, end, step, options).
template <std::convertible_to<TensorOptions> O>
requires(!std::convertible_to<O, Scalar>) Tensor arange(const Scalar& start, const Scalar& end, const O& options) {
    return arange(start, end, Scalar(1), TensorOptions(options));
}
/// `range(0, 10, kInt)`, in the same way.
template <std::convertible_to<TensorOptions> O>
requires(!std::convertible_to<O, Scalar>) Tensor range(const Scalar& start, const Scalar& end, const O& options) {
    return range(start, end, Scalar(1), TensorOptions(options));
}

/// `eye(3, kDouble)`: n rows and columns, with options.
template <std::convertible_to<TensorOptions> O>
requires(!std::convertible_to<O, Scalar>) Tensor eye(std::int64_t n, const O& options) {
    return eye(n, std::nullopt, TensorOptions(options));
}

namespace fft {
/// `fftfreq(5, kDouble)`: samples one apart, with options.
template <std::convertible_to<TensorOptions> O>
requires(!std::convertible_to<O, double>) Tensor fftfreq(std::int64_t n, const O& options) {
    return fftfreq(n, 1.0, TensorOptions(options));
}
template <std::convertible_to<TensorOptions> O>
requires(!std::convertible_to<O, double>) Tensor rfftfreq(std::int64_t n, const O& options) {
    return rfftfreq(n, 1.0, TensorOptions(options));
}
} // namespace fft

} // namespace reel
