// Sliding windows of images as columns, and columns summed back into images.
#include <reel/autograd/kernels/accumulate.hpp>
#include <reel/autograd/ops/nn/im2col.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// The geometry of the windows, each pair (height, width).
struct Windows {
    std::int64_t size[2], kernel[2], dilation[2], padding[2], stride[2];
    std::int64_t count(int i) const {
        return (size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
    }
    std::int64_t padded(int i) const { return size[i] + 2 * padding[i]; }
    /// All windows of a padded image [N, C, H, W] as [N, C, kh, kw, oh, ow], sharing its memory.
    Tensor over(const Tensor& image) const {
        const IntArrayRef s = image.strides();
        // Steps of a single window or tap are never made and may be too long to count.
        const auto times = [](std::int64_t a, std::int64_t b) {
            return std::int64_t(std::uint64_t(a) * std::uint64_t(b));
        };
        return alias_raw(image, {image.size(0), image.size(1), kernel[0], kernel[1], count(0), count(1)},
                         {s[0], s[1], times(s[2], dilation[0]), times(s[3], dilation[1]), times(s[2], stride[0]),
                          times(s[3], stride[1])},
                         image.storage_offset());
    }
    Dims columns(const Tensor& image) const {
        return {image.size(0), image.size(1) * kernel[0] * kernel[1], count(0) * count(1)};
    }
};

void read_pair(const char* op, const char* name, IntArrayRef given, std::int64_t least, std::int64_t (&to)[2]) {
    REEL_CHECK(given.size() == 1 || given.size() == 2, op, ": ", name, " must be one or two numbers, got ", given);
    to[0] = given[0];
    to[1] = given[given.size() - 1];
    REEL_CHECK(to[0] >= least && to[1] >= least, op, ": ", name, " must be at least ", least, ", got ", given);
}

Windows read_windows(const char* op, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
                     IntArrayRef stride) {
    Windows w{};
    read_pair(op, "kernel_size", kernel_size, 1, w.kernel);
    read_pair(op, "dilation", dilation, 1, w.dilation);
    read_pair(op, "padding", padding, 0, w.padding);
    read_pair(op, "stride", stride, 1, w.stride);
    return w;
}

void check_count(const char* op, const Windows& w) {
    for (const int i : {0, 1}) {
        checked_add(op, "the padded size", w.size[i], checked_mul(op, "twice the padding", w.padding[i], 2));
        checked_mul(op, "the window", w.dilation[i], w.kernel[i]);
        REEL_CHECK(w.padded(i) - w.dilation[i] * (w.kernel[i] - 1) >= 1, op, ": a window of ", w.kernel[i],
                   " elements, ", w.dilation[i], " apart, does not fit into the padded size ", w.padded(i));
    }
    check_sizes(op, {w.kernel[0], w.kernel[1], w.count(0), w.count(1)}, kByte);
    check_sizes(op, {w.padded(0), w.padded(1)}, kByte);
}

Tensor inner_part(const Tensor& padded, const Windows& w) {
    return narrow_raw(narrow_raw(padded, 2, w.padding[0], w.size[0]), 3, w.padding[1], w.size[1]);
}

Tensor fold_batch(const Tensor& columns, const Windows& w);

/// [N, C, H, W] to [N, C kh kw, windows].
Tensor unfold_batch(const Tensor& image, const Windows& w) {
    const Tensor padded = zeros_raw({image.size(0), image.size(1), w.padded(0), w.padded(1)}, image);
    const Tensor out = empty_raw(w.columns(image), image);
    if (out.numel() > 0) {
        assign_raw(inner_part(padded, w), image);
        const Tensor windows = w.over(padded);
        assign_raw(alias_raw(out, windows.sizes(), contiguous_strides(windows.sizes()), 0), windows);
    }
    record("im2col", {image}, out, {}, [w](RuleContext& c) -> GradList { return {fold_batch(c.grad(), w)}; });
    return out;
}

Tensor fold_batch(const Tensor& columns, const Windows& w) {
    const std::int64_t channels = columns.size(1) / (w.kernel[0] * w.kernel[1]);
    const Tensor padded = zeros_raw({columns.size(0), channels, w.padded(0), w.padded(1)}, columns);
    if (columns.numel() > 0) {
        const Tensor windows = w.over(padded), from = contiguous_raw(columns);
        kernels::accumulate(
            windows, alias_raw(from, windows.sizes(), contiguous_strides(windows.sizes()), from.storage_offset()));
    }
    const Tensor out = contiguous_raw(inner_part(padded, w));
    record("col2im", {columns}, out, {}, [w](RuleContext& c) -> GradList { return {unfold_batch(c.grad(), w)}; });
    return out;
}
} // namespace

/// Sliding windows of an image `(N, C, H, W)` or `(C, H, W)` as columns `(N, C kh kw, windows)`; zeros around it.
/// gradient: `fold`.
REEL_OP("nn.functional.unfold(Tensor input, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) "
        "-> Tensor",
        rule, cpp("im2col"))
Tensor im2col(const Tensor& input, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
              IntArrayRef stride) {
    Windows w = read_windows("unfold", kernel_size, dilation, padding, stride);
    const bool batched = input.dim() == 4;
    REEL_CHECK((batched || input.dim() == 3) && input.size(-3) > 0 && input.size(-2) > 0 && input.size(-1) > 0,
               "unfold: expected (N, C, H, W) or (C, H, W) with only N possibly zero, got sizes ", input.sizes());
    w.size[0] = input.size(-2);
    w.size[1] = input.size(-1);
    check_count("unfold", w);
    return batched ? unfold_batch(input, w) : unfold_batch(input.unsqueeze(0), w).squeeze(0);
}

/// Columns `(N, C kh kw, windows)` or `(C kh kw, windows)` summed into an image of `output_size`: the adjoint of
/// `unfold`.
REEL_OP("nn.functional.fold(Tensor input, int[2] output_size, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, "
        "int[2] stride=1) -> Tensor",
        rule, cpp("col2im"), samples(call(numbers({1, 8, 4}), ints({3, 3}), ints({2, 2}))))
Tensor col2im(const Tensor& input, IntArrayRef output_size, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride) {
    Windows w = read_windows("fold", kernel_size, dilation, padding, stride);
    read_pair("fold", "output_size", output_size, 1, w.size);
    check_count("fold", w);
    const bool batched = input.dim() == 3;
    REEL_CHECK(batched || input.dim() == 2, "fold: expected (N, C kh kw, windows) or (C kh kw, windows), got sizes ",
               input.sizes());
    REEL_CHECK(input.size(-2) > 0 && input.size(-2) % (w.kernel[0] * w.kernel[1]) == 0, "fold: ", input.size(-2),
               " rows are not divisible by the kernel's ", w.kernel[0] * w.kernel[1], " elements");
    REEL_CHECK(input.size(-1) == w.count(0) * w.count(1), "fold: output_size ", output_size, " has ", w.count(0), " x ",
               w.count(1), " windows, input ", input.sizes(), " has ", input.size(-1), " columns");
    return batched ? fold_batch(input, w) : fold_batch(input.unsqueeze(0), w).squeeze(0);
}

} // namespace reel
