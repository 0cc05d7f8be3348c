// Elements between channels and space, and between groups of channels.
#include <reel/autograd/ops/shape/pixel_shuffle.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// `input` with its dimensions split into `split`, those permuted by `order`, and shown as `sizes`; a copy.
Tensor rearranged(const Tensor& input, IntArrayRef split, IntArrayRef order, IntArrayRef sizes) {
    const Tensor out = empty_raw(sizes, input);
    if (out.numel() == 0) return out;
    const auto strides = view_strides(input.sizes(), input.strides(), split);
    Dims s, from;
    for (const std::int64_t d : order) {
        s.push_back(split[std::size_t(d)]);
        from.push_back((*strides)[std::size_t(d)]); // splitting dimensions never needs a copy
    }
    assign_raw(alias_raw(out, s, contiguous_strides(s), 0), alias_raw(input, s, from, input.storage_offset()));
    return out;
}

/// The dimensions before the last three, and how many there are.
Dims leading(const Tensor& input) {
    Dims out(input.sizes());
    out.resize(out.size() - 3);
    return out;
}
Dims joined(Dims a, std::initializer_list<std::int64_t> b) {
    for (const std::int64_t x : b) a.push_back(x);
    return a;
}
/// 0, 1, .., n-1 followed by n + each of `rest`.
Dims order_after(std::size_t n, std::initializer_list<std::int64_t> rest) {
    Dims out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(std::int64_t(i));
    for (const std::int64_t r : rest) out.push_back(std::int64_t(n) + r);
    return out;
}
} // namespace

/// `(*, C r^2, H, W)` to `(*, C, H r, W r)`.  gx = pixel_unshuffle(gy, r)
REEL_OP("nn.functional.pixel_shuffle(Tensor input, int upscale_factor) -> Tensor", rule)
Tensor pixel_shuffle(const Tensor& input, std::int64_t upscale_factor) {
    const std::int64_t r = upscale_factor;
    REEL_CHECK(input.dim() >= 3, "pixel_shuffle: expected at least 3 dimensions, got sizes ", input.sizes());
    REEL_CHECK(r > 0, "pixel_shuffle: upscale_factor must be positive, got ", r);
    const std::int64_t c = input.size(-3), h = input.size(-2), w = input.size(-1);
    const std::int64_t square = checked_mul("pixel_shuffle", "the square of upscale_factor", r, r);
    REEL_CHECK(c % square == 0, "pixel_shuffle: ", c, " channels are not divisible by the square of upscale_factor ",
               r);
    check_sizes("pixel_shuffle", {h, r, w, r}, kByte);
    const Dims lead = leading(input);
    const Tensor out = rearranged(input, joined(lead, {c / square, r, r, h, w}),
                                  order_after(lead.size(), {0, 3, 1, 4, 2}), joined(lead, {c / square, h * r, w * r}));
    record("pixel_shuffle", {input}, out, {},
           [r](RuleContext& c) -> GradList { return {pixel_unshuffle(c.grad(), r)}; });
    return out;
}
/// `(*, C, H r, W r)` to `(*, C r^2, H, W)`.  gx = pixel_shuffle(gy, r)
REEL_OP("nn.functional.pixel_unshuffle(Tensor input, int downscale_factor) -> Tensor", rule)
Tensor pixel_unshuffle(const Tensor& input, std::int64_t downscale_factor) {
    const std::int64_t r = downscale_factor;
    REEL_CHECK(input.dim() >= 3, "pixel_unshuffle: expected at least 3 dimensions, got sizes ", input.sizes());
    REEL_CHECK(r > 0, "pixel_unshuffle: downscale_factor must be positive, got ", r);
    const std::int64_t c = input.size(-3), h = input.size(-2), w = input.size(-1);
    REEL_CHECK(h % r == 0 && w % r == 0, "pixel_unshuffle: height ", h, " and width ", w,
               " must be divisible by downscale_factor ", r);
    check_sizes("pixel_unshuffle", {c, r, r}, kByte);
    const Dims lead = leading(input);
    const Tensor out = rearranged(input, joined(lead, {c, h / r, r, w / r, r}),
                                  order_after(lead.size(), {0, 2, 4, 1, 3}), joined(lead, {c * r * r, h / r, w / r}));
    record("pixel_unshuffle", {input}, out, {},
           [r](RuleContext& c) -> GradList { return {pixel_shuffle(c.grad(), r)}; });
    return out;
}

/// Channel j of group i becomes channel i of group j.
REEL_OP("nn.functional.channel_shuffle(Tensor input, int groups) -> Tensor", rule, alias("channel_shuffle"))
Tensor channel_shuffle(const Tensor& input, std::int64_t groups) {
    REEL_CHECK(input.dim() > 2, "channel_shuffle: expected more than 2 dimensions, got sizes ", input.sizes());
    REEL_CHECK(groups > 0, "channel_shuffle: groups must be positive, got ", groups);
    const std::int64_t c = input.size(1);
    REEL_CHECK(c % groups == 0, "channel_shuffle: ", c, " channels are not divisible into ", groups, " groups");
    Dims split{input.size(0), groups, c / groups}, order{0, 2, 1};
    for (std::int64_t d = 2; d < input.dim(); ++d) {
        split.push_back(input.size(d));
        order.push_back(d + 1);
    }
    const Tensor out = rearranged(input, split, order, input.sizes());
    record("channel_shuffle", {input}, out, {}, [groups](RuleContext& c) -> GradList {
        const std::int64_t channels = c.grad().size(1);
        return {channels == 0 ? c.grad() : channel_shuffle(c.grad(), channels / groups)};
    });
    return out;
}

} // namespace reel
