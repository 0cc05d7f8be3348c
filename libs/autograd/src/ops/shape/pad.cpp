// Borders around the last dimensions.
#include <reel/autograd/kernels/pad.hpp>
#include <reel/autograd/ops/shape/pad.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"
#include "tensor/number_range.hpp"

#include <algorithm>
#include <string_view>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
enum class Border { Reflect, Replicate, Circular };

/// Size of dimension `d` after padding; checks that there is something left.
std::int64_t padded_size(const char* op, const Tensor& input, std::int64_t d, std::int64_t before, std::int64_t after) {
    const std::int64_t n = checked_add(op, "the padded size", checked_add(op, "the padded size", before, after),
                                       input.sizes()[std::size_t(d)]);
    REEL_CHECK(n >= 0, op, ": pad of ", before, " and ", after, " leaves a negative size in dimension ", d,
               " of input ", input.sizes());
    return n;
}

void check_pad(const char* op, const Tensor& input, IntArrayRef pad) {
    REEL_CHECK(pad.size() % 2 == 0, op, ": pad must list pairs (before, after), got ", pad.size(), " numbers ", pad);
    REEL_CHECK(std::int64_t(pad.size()) <= 2 * input.dim(), op, ": pad ", pad, " has more pairs than input ",
               input.sizes(), " has dimensions");
}

/// How many elements a negative pad takes away.
std::int64_t cropped(const char* op, std::int64_t pad) { return pad < 0 ? checked_sub(op, "pad", 0, pad) : 0; }

/// One dimension of `input` with its border taken from inside.
PaddedDim bordered(const Tensor& input, Border border, std::int64_t d, std::int64_t before, std::int64_t after) {
    std::int64_t n = input.size(d), first = 0;
    if (border == Border::Circular) { // cropped first, so that it wraps what is left
        first = cropped("pad", before);
        const std::int64_t b = cropped("pad", after);
        n = padded_size("pad", input, d, -first, -b);
        before = std::max<std::int64_t>(before, 0);
        after = std::max<std::int64_t>(after, 0);
        REEL_CHECK(before <= n && after <= n, "pad: circular padding of ", before, " and ", after,
                   " wraps around dimension ", d, " of size ", n, " more than once");
    }
    const std::int64_t size =
        checked_add("pad", "the padded size", checked_add("pad", "the padded size", before, after), n);
    REEL_CHECK(size >= 0, "pad: pad of ", before, " and ", after, " leaves a negative size in dimension ", d,
               " of input ", input.sizes());
    if (border == Border::Reflect)
        REEL_CHECK(before < n && after < n, "pad: reflect padding of ", before, " and ", after,
                   " must be less than the size ", n, " of dimension ", d, "; input ", input.sizes());
    REEL_CHECK(n > 0 || size == 0, "pad: dimension ", d, " of input ", input.sizes(),
               " is empty, there is nothing to pad with");
    check_sizes("pad", size, kLong);
    PaddedDim p{input.size(d), {}};
    checked_reserve("pad", "a dimension", p.from, size);
    for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t from = i - before;
        p.from.push_back(first + (border == Border::Replicate  ? std::clamp<std::int64_t>(from, 0, n - 1)
                                  : border == Border::Circular ? (from + n) % n
                                  : from < 0                   ? -from
                                  : from >= n                  ? 2 * (n - 1) - from
                                                               : from));
    }
    return p;
}

Dims with_last(const Tensor& t, const PaddedDims& p, std::int64_t count, bool adjoint) {
    Dims sizes(t.sizes());
    for (std::int64_t i = 0; i < count; ++i) {
        const PaddedDim& d = p.d[2 - i];
        sizes[sizes.size() - 1 - std::size_t(i)] = adjoint ? d.n : std::int64_t(d.from.size());
    }
    return sizes;
}
/// The last `count` dimensions with their borders by picking slices, where a device has no kernel.
Tensor by_slices(const Tensor& input, const PaddedDims& p, std::int64_t count) {
    Tensor x = input;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::vector<std::int64_t>& from = p.d[2 - i].from;
        x = x.index_select(x.dim() - 1 - i, tensor_of(from).to(x.device()));
    }
    return x;
}
/// The padded tensor of `t`, or its adjoint, which sums up what shows an element: 16-bit floats in float32.
Tensor bordered(const Tensor& t, const PaddedDims& p, std::int64_t count, bool adjoint) {
    const Dims sizes = with_last(t, p, count, adjoint);
    check_sizes("pad", sizes, t.scalar_type());
    const ScalarType type = t.scalar_type(), wide = type == kHalf || type == kBFloat16 ? kFloat : type;
    Tensor out = empty_raw(sizes, adjoint ? wide : type, t.device());
    if (adjoint) {
        kernels::pad_adjoint(out, contiguous_raw(cast_raw(t, wide)), p);
        out = cast_raw(out, type);
    } else kernels::pad(out, contiguous_raw(t), p);
    record("pad", {t}, out, {},
           [p, count, adjoint](RuleContext& c) -> GradList { return {bordered(c.grad(), p, count, !adjoint)}; });
    return out;
}
} // namespace

/// `value` around the last dimensions: `pad` lists (before, after) from the last dimension backwards; negative numbers
/// crop.  gradient: the part of gy that shows the input.
REEL_OP("constant_pad_nd(Tensor input, int[] pad, Scalar value=0) -> Tensor", rule, method)
Tensor constant_pad_nd(const Tensor& input, IntArrayRef pad, const Scalar& value) {
    check_pad("constant_pad_nd", input, pad);
    Dims sizes(input.sizes()), back;
    Tensor from = input;
    for (const std::int64_t p : pad) back.push_back(checked_sub("constant_pad_nd", "pad", 0, p));
    for (std::size_t i = 0; i < pad.size() / 2; ++i) {
        const std::int64_t d = input.dim() - 1 - std::int64_t(i);
        sizes[std::size_t(d)] = padded_size("constant_pad_nd", input, d, pad[2 * i], pad[2 * i + 1]);
    }
    check_sizes("constant_pad_nd", sizes, input.scalar_type());
    check_holds("constant_pad_nd", input.scalar_type(), value);
    const Tensor out = empty_raw(sizes, input);
    fill_raw(out, value);
    Tensor to = out;
    for (std::size_t i = 0; i < pad.size() / 2; ++i) {
        const std::int64_t d = input.dim() - 1 - std::int64_t(i), a = pad[2 * i], b = pad[2 * i + 1];
        const std::int64_t kept = input.size(d) + std::min<std::int64_t>(a, 0) + std::min<std::int64_t>(b, 0);
        from = narrow_raw(from, d, std::max<std::int64_t>(-a, 0), std::max<std::int64_t>(kept, 0));
        to = narrow_raw(to, d, std::max<std::int64_t>(a, 0), std::max<std::int64_t>(kept, 0));
    }
    if (from.numel() > 0) assign_raw(to, from);
    record("constant_pad_nd", {input}, out, {},
           [back](RuleContext& c) -> GradList { return {constant_pad_nd(c.grad(), back, Scalar(0))}; });
    return out;
}

/// `mode` constant: `constant_pad_nd` with `value`. reflect (without repeating the border), replicate and circular
/// take the border from the input's last one to three dimensions; the dimensions before them are at most two.
REEL_OP("nn.functional.pad(Tensor input, int[] pad, str mode='constant', Scalar? value=None) -> Tensor", rule)
Tensor pad(const Tensor& input, IntArrayRef pad, std::string_view mode, const std::optional<Scalar>& value) {
    if (mode == "constant") return constant_pad_nd(input, pad, value.value_or(Scalar(0)));
    REEL_CHECK_VALUE(mode == "reflect" || mode == "replicate" || mode == "circular",
                     "pad: mode must be 'constant', 'reflect', 'replicate' or 'circular', got '", mode, "'");
    REEL_CHECK_VALUE(!value || value->equal(0.0), "pad: mode '", mode, "' takes no value");
    check_pad("pad", input, pad);
    const std::int64_t n = std::int64_t(pad.size() / 2);
    REEL_CHECK_NOT_IMPLEMENTED(n >= 1 && n <= 3 && (input.dim() == n + 1 || input.dim() == n + 2), "pad: mode '", mode,
                               "' pads the last 1, 2 or 3 dimensions of inputs with one or two more, got pad ", pad,
                               " for input ", input.sizes());
    const Border border = mode == "reflect"     ? Border::Reflect
                          : mode == "replicate" ? Border::Replicate
                                                : Border::Circular;
    if (std::all_of(pad.begin(), pad.end(), [](std::int64_t p) { return p == 0; }))
        return input.clone(MemoryFormat::Contiguous);
    PaddedDims dims{{{1, {0}}, {1, {0}}, {1, {0}}}};
    for (std::int64_t i = 0; i < n; ++i)
        dims.d[2 - i] =
            bordered(input, border, input.dim() - 1 - i, pad[std::size_t(2 * i)], pad[std::size_t(2 * i + 1)]);
    return kernels::pad.has(input.device().type()) ? bordered(input, dims, n, false) : by_slices(input, dims, n);
}

static Tensor padded(const char* op, const Tensor& input, std::size_t rank, IntArrayRef padding, const char* mode) {
    REEL_CHECK(padding.size() == 2 * rank, op, ": padding must have ", 2 * rank, " numbers, got ", padding);
    return pad(input, padding, mode, std::nullopt);
}
/// pad(mode='reflect') and pad(mode='replicate'), one function a rank: ATen's names.
#define REEL_PAD(name, rank, mode)                                                                                     \
    Tensor name##rank##d(const Tensor& input, IntArrayRef padding) {                                                   \
        return padded(#name #rank "d", input, rank, padding, mode);                                                    \
    }
REEL_OP("reflection_pad1d(Tensor input, int[] padding) -> Tensor", composite,
        samples(call(numbers({1, 2, 3}), ints({1, 2}))))
REEL_PAD(reflection_pad, 1, "reflect")
REEL_OP("reflection_pad2d(Tensor input, int[] padding) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3}), ints({1, 2, 0, 1}))))
REEL_PAD(reflection_pad, 2, "reflect")
REEL_OP("reflection_pad3d(Tensor input, int[] padding) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3, 3}), ints({1, 2, 0, 1, 1, 0}))))
REEL_PAD(reflection_pad, 3, "reflect")
REEL_OP("replication_pad1d(Tensor input, int[] padding) -> Tensor", composite,
        samples(call(numbers({1, 2, 3}), ints({1, 2}))))
REEL_PAD(replication_pad, 1, "replicate")
REEL_OP("replication_pad2d(Tensor input, int[] padding) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3}), ints({1, 2, 0, 1}))))
REEL_PAD(replication_pad, 2, "replicate")
REEL_OP("replication_pad3d(Tensor input, int[] padding) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3, 3}), ints({1, 2, 0, 1, 1, 0}))))
REEL_PAD(replication_pad, 3, "replicate")

} // namespace reel
