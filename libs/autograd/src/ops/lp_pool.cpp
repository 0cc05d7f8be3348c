// Power means over sliding windows.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel {

namespace {
/// From the mean of x^p to sign(s) |s|^(1/p) with s the sum, as PyTorch writes it: zero gradient where s is negative.
Tensor root(const Tensor& mean, double norm_type, IntArrayRef kernel_size, std::size_t dims) {
    std::int64_t n = 1;
    for (std::size_t d = 0; d < dims; ++d) n *= kernel_size[kernel_size.size() == 1 ? 0 : d];
    return pow(sign(mean) * relu(abs(mean)) * Scalar(n), 1.0 / norm_type);
}
} // namespace

/// (sum of x^p)^(1/p) over each window of input [C, L] or [N, C, L]; p is `norm_type`.
REEL_OP("nn.functional.lp_pool1d(Tensor input, float norm_type, int[] kernel_size, int[]? stride=None, bool "
        "ceil_mode=False) -> Tensor")
Tensor lp_pool1d(const Tensor& input, double norm_type, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                 bool ceil_mode) {
    return root(avg_pool1d(pow(input, Scalar(norm_type)), kernel_size, stride, 0, ceil_mode), norm_type, kernel_size,
                1);
}
/// The same over windows of [C, H, W] or [N, C, H, W].
REEL_OP("nn.functional.lp_pool2d(Tensor input, float norm_type, int[] kernel_size, int[]? stride=None, bool "
        "ceil_mode=False) -> Tensor")
Tensor lp_pool2d(const Tensor& input, double norm_type, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                 bool ceil_mode) {
    return root(avg_pool2d(pow(input, Scalar(norm_type)), kernel_size, stride, 0, ceil_mode), norm_type, kernel_size,
                2);
}
/// The same over windows of [C, D, H, W] or [N, C, D, H, W].
REEL_OP("nn.functional.lp_pool3d(Tensor input, float norm_type, int[] kernel_size, int[]? stride=None, bool "
        "ceil_mode=False) -> Tensor")
Tensor lp_pool3d(const Tensor& input, double norm_type, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                 bool ceil_mode) {
    return root(avg_pool3d(pow(input, Scalar(norm_type)), kernel_size, stride, 0, ceil_mode), norm_type, kernel_size,
                3);
}

} // namespace reel
