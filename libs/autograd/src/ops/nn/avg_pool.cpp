// Means over sliding and adaptive windows.
#include <reel/autograd/ops/nn/avg_pool.hpp>
#include <reel/autograd/record.hpp>

#include "ops/nn/pool.hpp"

namespace reel {

/// The mean of each window of input [C, L] or [N, C, L]. Zeros of the padding count unless `count_include_pad` is
/// false.
REEL_OP("nn.functional.avg_pool1d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, bool "
        "ceil_mode=False, "
        "bool count_include_pad=True) -> Tensor",
        rule)
Tensor avg_pool1d(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad) {
    return pool::window_means(
        "avg_pool1d",
        pool::sliding("avg_pool1d", 1, input, {kernel_size, stride, padding, 1, ceil_mode, count_include_pad}), input);
}
/// The mean of each of `output_size` parts of the image (None: as many as the input has).
REEL_OP("nn.functional.adaptive_avg_pool1d(Tensor input, int?[] output_size) -> Tensor", rule)
Tensor adaptive_avg_pool1d(const Tensor& input, IntArrayRef output_size) {
    return pool::window_means("adaptive_avg_pool1d", pool::adaptive("adaptive_avg_pool1d", 1, input, output_size),
                              input);
}

/// The mean of each window of input [C, H, W] or [N, C, H, W]. Zeros of the padding count unless `count_include_pad` is
/// false.
REEL_OP("nn.functional.avg_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
        rule, out_exact)
Tensor avg_pool2d(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad, std::optional<std::int64_t> divisor_override) {
    return pool::window_means(
        "avg_pool2d",
        pool::sliding("avg_pool2d", 2, input,
                      {kernel_size, stride, padding, 1, ceil_mode, count_include_pad, divisor_override}),
        input);
}
/// The mean of each of `output_size` parts of the image (None: as many as the input has).
REEL_OP("nn.functional.adaptive_avg_pool2d(Tensor input, int?[] output_size) -> Tensor", rule)
Tensor adaptive_avg_pool2d(const Tensor& input, IntArrayRef output_size) {
    return pool::window_means("adaptive_avg_pool2d", pool::adaptive("adaptive_avg_pool2d", 2, input, output_size),
                              input);
}

/// The mean of each window of input [C, D, H, W] or [N, C, D, H, W]. Zeros of the padding count unless
/// `count_include_pad` is false.
REEL_OP("nn.functional.avg_pool3d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
        rule, out_exact)
Tensor avg_pool3d(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad, std::optional<std::int64_t> divisor_override) {
    return pool::window_means(
        "avg_pool3d",
        pool::sliding("avg_pool3d", 3, input,
                      {kernel_size, stride, padding, 1, ceil_mode, count_include_pad, divisor_override}),
        input);
}
/// The mean of each of `output_size` parts of the image (None: as many as the input has).
REEL_OP("nn.functional.adaptive_avg_pool3d(Tensor input, int?[] output_size) -> Tensor", rule)
Tensor adaptive_avg_pool3d(const Tensor& input, IntArrayRef output_size) {
    return pool::window_means("adaptive_avg_pool3d", pool::adaptive("adaptive_avg_pool3d", 3, input, output_size),
                              input);
}

} // namespace reel
