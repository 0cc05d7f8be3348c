// Maxima over sliding and adaptive windows, and placing elements back.
#include <reel/autograd/ops/nn/max_pool.hpp>
#include <reel/autograd/record.hpp>

#include "ops/nn/pool.hpp"

namespace reel {

/// The largest element of each window of input [C, L] or [N, C, L] and its place in the image. The gradient goes there.
REEL_OP("max_pool1d_with_indices(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
        rule, samples(call(numbers({2, 3, 6}), ints({2}))))
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   OptionalIntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
    return pool::max("max_pool1d",
                     pool::sliding("max_pool1d", 1, input, {kernel_size, stride, padding, dilation, ceil_mode}), input);
}
REEL_OP("max_pool1d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({2, 3, 6}), ints({2}))))
Tensor max_pool1d(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                  IntArrayRef dilation, bool ceil_mode) {
    return std::get<0>(max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode));
}
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.max_pool1d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False, "
        "bool return_indices=False) -> Value",
        composite, cpp("max_pool1d_as"))
Value max_pool1d_as(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                    IntArrayRef dilation, bool ceil_mode, bool return_indices) {
    const auto r = max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}

/// The largest element of each window of input [C, H, W] or [N, C, H, W] and its place in the image. The gradient goes
/// there.
REEL_OP("max_pool2d_with_indices(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
        rule, samples(call(numbers({2, 2, 4, 5}), ints({2, 2}))))
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   OptionalIntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
    return pool::max("max_pool2d",
                     pool::sliding("max_pool2d", 2, input, {kernel_size, stride, padding, dilation, ceil_mode}), input);
}
REEL_OP("max_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({2, 2, 4, 5}), ints({2, 2}))))
Tensor max_pool2d(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                  IntArrayRef dilation, bool ceil_mode) {
    return std::get<0>(max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode));
}
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.max_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False, "
        "bool return_indices=False) -> Value",
        composite, cpp("max_pool2d_as"))
Value max_pool2d_as(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                    IntArrayRef dilation, bool ceil_mode, bool return_indices) {
    const auto r = max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}

/// The largest element of each window of input [C, D, H, W] or [N, C, D, H, W] and its place in the image. The gradient
/// goes there.
REEL_OP("max_pool3d_with_indices(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
        rule, samples(call(numbers({1, 2, 4, 4, 4}), ints({2, 2, 2}))))
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   OptionalIntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
    return pool::max("max_pool3d",
                     pool::sliding("max_pool3d", 3, input, {kernel_size, stride, padding, dilation, ceil_mode}), input);
}
REEL_OP("max_pool3d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({1, 2, 4, 4, 4}), ints({2, 2, 2}))))
Tensor max_pool3d(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                  IntArrayRef dilation, bool ceil_mode) {
    return std::get<0>(max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode));
}
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.max_pool3d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False, "
        "bool return_indices=False) -> Value",
        composite, cpp("max_pool3d_as"))
Value max_pool3d_as(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride, IntArrayRef padding,
                    IntArrayRef dilation, bool ceil_mode, bool return_indices) {
    const auto r = max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}

/// The largest element of each of `output_size` parts of the image (None: as many as the input has) and its place.
REEL_OP("adaptive_max_pool1d(Tensor input, int?[] output_size) -> (Tensor, Tensor)", rule,
        samples(call(numbers({2, 3, 6}), ints({4}))))
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& input, IntArrayRef output_size) {
    return pool::max("adaptive_max_pool1d", pool::adaptive("adaptive_max_pool1d", 1, input, output_size), input);
}
REEL_OP("nn.functional.adaptive_max_pool1d(Tensor input, int?[] output_size, bool return_indices=False) -> Value",
        composite, cpp("adaptive_max_pool1d_as"))
Value adaptive_max_pool1d_as(const Tensor& input, IntArrayRef output_size, bool return_indices) {
    const auto r = adaptive_max_pool1d(input, output_size);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}

/// The largest element of each of `output_size` parts of the image (None: as many as the input has) and its place.
REEL_OP("adaptive_max_pool2d(Tensor input, int?[] output_size) -> (Tensor, Tensor)", rule,
        samples(call(numbers({2, 2, 4, 5}), ints({3, 2}))))
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& input, IntArrayRef output_size) {
    return pool::max("adaptive_max_pool2d", pool::adaptive("adaptive_max_pool2d", 2, input, output_size), input);
}
REEL_OP("nn.functional.adaptive_max_pool2d(Tensor input, int?[] output_size, bool return_indices=False) -> Value",
        composite, cpp("adaptive_max_pool2d_as"))
Value adaptive_max_pool2d_as(const Tensor& input, IntArrayRef output_size, bool return_indices) {
    const auto r = adaptive_max_pool2d(input, output_size);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}

/// The largest element of each of `output_size` parts of the image (None: as many as the input has) and its place.
REEL_OP("adaptive_max_pool3d(Tensor input, int?[] output_size) -> (Tensor, Tensor)", rule,
        samples(call(numbers({1, 2, 4, 4, 4}), ints({3, 2, 2}))))
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& input, IntArrayRef output_size) {
    return pool::max("adaptive_max_pool3d", pool::adaptive("adaptive_max_pool3d", 3, input, output_size), input);
}
REEL_OP("nn.functional.adaptive_max_pool3d(Tensor input, int?[] output_size, bool return_indices=False) -> Value",
        composite, cpp("adaptive_max_pool3d_as"))
Value adaptive_max_pool3d_as(const Tensor& input, IntArrayRef output_size, bool return_indices) {
    const auto r = adaptive_max_pool3d(input, output_size);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}

} // namespace reel
