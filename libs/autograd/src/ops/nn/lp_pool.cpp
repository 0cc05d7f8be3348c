// Power means over sliding windows.
#include <cmath>

#include <reel/autograd/ops/nn/avg_pool.hpp>
#include <reel/autograd/ops/nn/lp_pool.hpp>
#include <reel/autograd/ops/nn/max_pool.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tensor/checked_size.hpp"

namespace reel {

namespace {
/// From the mean of x^p to sign(s) |s|^(1/p) with s the sum, as PyTorch writes it: zero gradient where s is negative.
Tensor root(const char* op, const Tensor& mean, double norm_type, IntArrayRef kernel_size, std::size_t dims) {
    std::int64_t n = 1;
    for (std::size_t d = 0; d < dims; ++d)
        n = detail::checked_mul(op, "the window", n, kernel_size[kernel_size.size() == 1 ? 0 : d]);
    return pow(sign(mean) * relu(abs(mean)) * Scalar(n), 1.0 / norm_type);
}
/// An infinite p asks for the largest magnitude, or with a minus for the smallest, as a negative of a maximum.
template <class MaxPool, class AvgPool>
Tensor power_mean(const char* op, const Tensor& input, double norm_type, IntArrayRef kernel_size,
                  OptionalIntArrayRef stride, bool ceil_mode, std::size_t dims, MaxPool max_pool, AvgPool avg_pool) {
    REEL_CHECK_VALUE(norm_type != 0, op, ": norm_type must be a non-zero value, but got ", norm_type);
    if (!std::isinf(norm_type))
        return root(op, avg_pool(pow(input, Scalar(norm_type)), kernel_size, stride, 0, ceil_mode), norm_type,
                    kernel_size, dims);
    const auto largest = [&](const Tensor& x) {
        return std::get<0>(max_pool(x, kernel_size, stride, 0, 1, ceil_mode));
    };
    return norm_type > 0 ? largest(abs(input)) : -largest(-abs(input));
}
} // namespace

/// (sum of x^p)^(1/p) over each window of input [C, L] or [N, C, L]; p is `norm_type`.
REEL_OP("nn.functional.lp_pool1d(Tensor input, float norm_type, int[] kernel_size, int[]? stride=None, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({2, 3, 6}), 2.0, ints({2}))))
Tensor lp_pool1d(const Tensor& input, double norm_type, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                 bool ceil_mode) {
    const auto max = [](auto&&... a) { return max_pool1d_with_indices(a...); };
    const auto avg = [](auto&&... a) { return avg_pool1d(a...); };
    return power_mean("lp_pool1d", input, norm_type, kernel_size, stride, ceil_mode, 1, max, avg);
}
/// The same over windows of [C, H, W] or [N, C, H, W].
REEL_OP("nn.functional.lp_pool2d(Tensor input, float norm_type, int[] kernel_size, int[]? stride=None, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({2, 2, 4, 5}), 3.0, ints({2, 2}))))
Tensor lp_pool2d(const Tensor& input, double norm_type, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                 bool ceil_mode) {
    const auto max = [](auto&&... a) { return max_pool2d_with_indices(a...); };
    const auto avg = [](auto&&... a) { return avg_pool2d(a...); };
    return power_mean("lp_pool2d", input, norm_type, kernel_size, stride, ceil_mode, 2, max, avg);
}
/// The same over windows of [C, D, H, W] or [N, C, D, H, W].
REEL_OP("nn.functional.lp_pool3d(Tensor input, float norm_type, int[] kernel_size, int[]? stride=None, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({1, 2, 4, 4, 4}), 2.0, ints({2, 2, 2}))))
Tensor lp_pool3d(const Tensor& input, double norm_type, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                 bool ceil_mode) {
    const auto max = [](auto&&... a) { return max_pool3d_with_indices(a...); };
    const auto avg = [](auto&&... a) { return avg_pool3d(a...); };
    return power_mean("lp_pool3d", input, norm_type, kernel_size, stride, ceil_mode, 3, max, avg);
}

} // namespace reel
