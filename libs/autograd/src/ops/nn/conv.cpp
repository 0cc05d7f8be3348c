// Convolutions and transposed convolutions of one, two and three spatial dimensions.
#include "ops/nn/conv.hpp"

#include <reel/autograd/ops/nn/conv.hpp>
#include <reel/autograd/record.hpp>

namespace reel {

namespace {

conv::Arguments arguments(const char* op, std::size_t n, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                          std::int64_t groups, IntArrayRef output_padding = 0) {
    return {conv::spread(op, "stride", stride, n), conv::spread(op, "padding", padding, n),
            conv::spread(op, "dilation", dilation, n), conv::spread(op, "output_padding", output_padding, n), groups};
}
Tensor by_name(const char* op, std::size_t n, const Tensor& input, const Tensor& weight, const Tensor& bias,
               IntArrayRef stride, std::string_view padding, IntArrayRef dilation, std::int64_t groups) {
    REEL_CHECK(padding == "same" || padding == "valid", op, ": padding is '", padding,
               "'; expected numbers, 'same' or 'valid'");
    return conv::convolve(op, n, input, weight, bias, arguments(op, n, stride, 0, dilation, groups), padding == "same");
}

} // namespace

/// Correlates input [N, C, L] or [C, L] with weight [out, C / groups, kernel...]; the gradients are convolutions of the
/// same kind.
REEL_OP("nn.functional.conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] "
        "dilation=1, int groups=1) -> Tensor",
        rule, samples(call(numbers({1, 2, 5}), numbers({3, 2, 2}))))
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
              IntArrayRef dilation, std::int64_t groups) {
    return conv::convolve("conv1d", 1, input, weight, bias, arguments("conv1d", 1, stride, padding, dilation, groups),
                          false);
}
/// `padding` is "same" (stride 1; the larger half on the right) or "valid" (none).
REEL_OP("nn.functional.conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, str padding='valid', "
        "int[] dilation=1, int groups=1) -> Tensor",
        rule, cpp("conv1d_padded"))
Tensor conv1d_padded(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                     std::string_view padding, IntArrayRef dilation, std::int64_t groups) {
    return by_name("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
}

/// Correlates input [N, C, H, W] or [C, H, W] with weight [out, C / groups, kernel...]; the gradients are convolutions
/// of the same kind.
REEL_OP("nn.functional.conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] "
        "dilation=1, int groups=1) -> Tensor",
        rule)
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
              IntArrayRef dilation, std::int64_t groups) {
    return conv::convolve("conv2d", 2, input, weight, bias, arguments("conv2d", 2, stride, padding, dilation, groups),
                          false);
}
/// `padding` is "same" (stride 1; the larger half on the right) or "valid" (none).
REEL_OP("nn.functional.conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, str padding='valid', "
        "int[] dilation=1, int groups=1) -> Tensor",
        rule, cpp("conv2d_padded"), samples(call(numbers({1, 2, 4, 5}), numbers({3, 2, 2, 3}), none, 1, "same")))
Tensor conv2d_padded(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                     std::string_view padding, IntArrayRef dilation, std::int64_t groups) {
    return by_name("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
}

/// Correlates input [N, C, D, H, W] or [C, D, H, W] with weight [out, C / groups, kernel...]; the gradients are
/// convolutions of the same kind.
REEL_OP("nn.functional.conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, int[] "
        "dilation=1, int groups=1) -> Tensor",
        rule, samples(call(numbers({1, 2, 3, 4, 3}), numbers({2, 2, 2, 2, 2}))))
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
              IntArrayRef dilation, std::int64_t groups) {
    return conv::convolve("conv3d", 3, input, weight, bias, arguments("conv3d", 3, stride, padding, dilation, groups),
                          false);
}
/// `padding` is "same" (stride 1; the larger half on the right) or "valid" (none).
REEL_OP("nn.functional.conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, str padding='valid', "
        "int[] dilation=1, int groups=1) -> Tensor",
        rule, cpp("conv3d_padded"))
Tensor conv3d_padded(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                     std::string_view padding, IntArrayRef dilation, std::int64_t groups) {
    return by_name("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
}

/// The adjoint of conv1d in its input: weight [C, out / groups, kernel...]; `output_padding` widens the result at its
/// end.
REEL_OP("nn.functional.conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] "
        "padding=0, int[] output_padding=0, "
        "int groups=1, int[] dilation=1) -> Tensor",
        rule)
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                        IntArrayRef padding, IntArrayRef output_padding, std::int64_t groups, IntArrayRef dilation) {
    return conv::convolve_transposed(
        "conv_transpose1d", 1, input, weight, bias,
        arguments("conv_transpose1d", 1, stride, padding, dilation, groups, output_padding));
}

/// The adjoint of conv2d in its input: weight [C, out / groups, kernel...]; `output_padding` widens the result at its
/// end.
REEL_OP("nn.functional.conv_transpose2d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] "
        "padding=0, int[] output_padding=0, "
        "int groups=1, int[] dilation=1) -> Tensor",
        rule)
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                        IntArrayRef padding, IntArrayRef output_padding, std::int64_t groups, IntArrayRef dilation) {
    return conv::convolve_transposed(
        "conv_transpose2d", 2, input, weight, bias,
        arguments("conv_transpose2d", 2, stride, padding, dilation, groups, output_padding));
}

/// The adjoint of conv3d in its input: weight [C, out / groups, kernel...]; `output_padding` widens the result at its
/// end.
REEL_OP("nn.functional.conv_transpose3d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] "
        "padding=0, int[] output_padding=0, "
        "int groups=1, int[] dilation=1) -> Tensor",
        rule)
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                        IntArrayRef padding, IntArrayRef output_padding, std::int64_t groups, IntArrayRef dilation) {
    return conv::convolve_transposed(
        "conv_transpose3d", 3, input, weight, bias,
        arguments("conv_transpose3d", 3, stride, padding, dilation, groups, output_padding));
}

} // namespace reel
