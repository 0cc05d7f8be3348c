// Views of a part: select, slice, narrow, unfold.
#include <reel/autograd/kernels/accumulate.hpp>
#include <reel/autograd/ops/shape/slice.hpp>

#include "ops/shape/shape_util.hpp"

#include <algorithm>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// The stride of every `step`-th element. A step past 64 bits leaves one element at most, whose stride means nothing.
std::int64_t stepped(std::int64_t stride, std::int64_t step) {
    std::int64_t r = 0;
    return __builtin_mul_overflow(stride, step, &r) ? stride : r;
}
} // namespace

namespace shape {
Tensor select_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::int64_t index) {
    const Tensor out = zeros_raw(sizes, grad);
    assign_raw(select_raw(out, dim, index), grad);
    record({"select_backward", Work::kMoves}, {grad}, out, {},
           [dim, index](RuleContext& c) -> GradList { return {c.grad().select(dim, index)}; });
    return out;
}

Tensor slice_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::int64_t start, std::int64_t end,
                      std::int64_t step) {
    const Tensor out = zeros_raw(sizes, grad);
    Dims strides(out.strides());
    const std::int64_t offset = start * strides[std::size_t(dim)];
    strides[std::size_t(dim)] = stepped(strides[std::size_t(dim)], step);
    if (grad.numel() > 0) assign_raw(alias_raw(out, grad.sizes(), strides, offset), grad);
    record({"slice_backward", Work::kMoves}, {grad}, out, {},
           [dim, start, end, step](RuleContext& c) -> GradList { return {c.grad().slice(dim, start, end, step)}; });
    return out;
}
} // namespace shape

namespace {
Tensor unfold_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::int64_t size, std::int64_t step) {
    const Tensor out = zeros_raw(sizes, grad);
    {
        const NoGradGuard off;
        kernels::accumulate(out.unfold(dim, size, step), grad);
    }
    record("unfold_backward", {grad}, out, {},
           [dim, size, step](RuleContext& c) -> GradList { return {c.grad().unfold(dim, size, step)}; });
    return out;
}
} // namespace

/// The slice at `index` of dimension `dim`, without that dimension.
REEL_OP("select(Tensor input, int dim, int index) -> Tensor", rule, method, view)
Tensor select(const Tensor& input, std::int64_t dim, std::int64_t index) {
    REEL_CHECK_INDEX(input.dim() > 0, "select: a 0-dim tensor has no dimension to select from");
    const std::int64_t d = wrap_dim("select", dim, input.dim());
    const std::int64_t n = input.sizes()[std::size_t(d)];
    REEL_CHECK_INDEX(index >= -n && index < n, "select: index ", index, " is out of range for dimension ", d,
                     " of size ", n, "; tensor sizes ", input.sizes());
    const std::int64_t i = index < 0 ? index + n : index;
    Dims sizes(input.sizes()), strides(input.strides());
    const std::int64_t offset = input.storage_offset() + i * strides[std::size_t(d)];
    sizes.erase(sizes.begin() + d);
    strides.erase(strides.begin() + d);
    const Tensor out = view_raw(input, sizes, strides, offset);
    record({"select", Work::kMoves}, {input}, out, {},
           [before = Dims(input.sizes()), d, i](RuleContext& c) -> GradList {
               return {select_backward(c.grad(), before, d, i)};
           });
    return out;
}

/// Elements `start` to `end` (exclusive) of dimension `dim`, every `step`-th. Bounds beyond the ends are clipped.
REEL_OP("slice(Tensor input, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", rule, method, view)
Tensor slice(const Tensor& input, std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
             std::int64_t step) {
    REEL_CHECK(input.dim() > 0, "slice: a 0-dim tensor cannot be sliced");
    REEL_CHECK_VALUE(step > 0, "slice: step must be positive, got ", step);
    const std::int64_t d = wrap_dim("slice", dim, input.dim());
    const std::int64_t n = input.sizes()[std::size_t(d)];
    const auto clip = [n](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + n : i, 0, n); };
    const std::int64_t a = clip(start.value_or(0)), b = std::max(a, clip(end.value_or(n)));
    Dims sizes(input.sizes()), strides(input.strides());
    sizes[std::size_t(d)] = (b - a) / step + ((b - a) % step != 0);
    const std::int64_t offset = input.storage_offset() + a * strides[std::size_t(d)];
    strides[std::size_t(d)] = stepped(strides[std::size_t(d)], step);
    const Tensor out = view_raw(input, sizes, strides, offset);
    record({"slice", Work::kMoves}, {input}, out, {},
           [before = Dims(input.sizes()), d, a, b, step](RuleContext& c) -> GradList {
               return {slice_backward(c.grad(), before, d, a, b, step)};
           });
    return out;
}

/// `length` elements of dimension `dim` from `start` on (an integer or a 0-dim integer tensor).
REEL_OP("narrow(Tensor input, int dim, int start, int length) -> Tensor", composite, method, view)
Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start, std::int64_t length) {
    REEL_CHECK(input.dim() > 0, "narrow: a 0-dim tensor cannot be narrowed");
    REEL_CHECK(length >= 0, "narrow: length must not be negative, got ", length);
    const std::int64_t d = wrap_dim("narrow", dim, input.dim());
    const std::int64_t n = input.sizes()[std::size_t(d)];
    REEL_CHECK_INDEX(start >= -n && start <= n, "narrow: start ", start, " is out of range for dimension ", d,
                     " of size ", n);
    const std::int64_t a = start < 0 ? start + n : start;
    REEL_CHECK(length <= n - a, "narrow: start ", start, " plus length ", length, " exceeds dimension ", d, " of size ",
               n);
    return slice(input, d, a, a + length, 1);
}
REEL_OP("narrow(Tensor input, int dim, Tensor start, int length) -> Tensor", composite, method, view)
Tensor narrow(const Tensor& input, std::int64_t dim, const Tensor& start, std::int64_t length) {
    REEL_CHECK(start.dim() == 0 && isIntegralType(start.scalar_type(), false),
               "narrow: start must be an integer or a 0-dim integer tensor, got sizes ", start.sizes(), " of ",
               toString(start.scalar_type()));
    return narrow(input, dim, start.item().toLong(), length);
}

/// `narrow` into memory of its own.
REEL_OP("narrow_copy(Tensor input, int dim, int start, int length) -> Tensor", composite, method, out_exact)
Tensor narrow_copy(const Tensor& input, std::int64_t dim, std::int64_t start, std::int64_t length) {
    return narrow(input, dim, start, length).clone(MemoryFormat::Contiguous);
}

REEL_OP("select_copy(Tensor input, int dim, int index) -> Tensor", composite, out, samples(call(numbers({3, 4}), 0, 1)))
Tensor select_copy(const Tensor& input, std::int64_t dim, std::int64_t index) {
    return select(input, dim, index).clone(MemoryFormat::Contiguous);
}
REEL_OP("slice_copy(Tensor input, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", composite, out,
        samples(call(numbers({3, 4}), 1, 1, 3)))
Tensor slice_copy(const Tensor& input, std::int64_t dim, std::optional<std::int64_t> start,
                  std::optional<std::int64_t> end, std::int64_t step) {
    return slice(input, dim, start, end, step).clone(MemoryFormat::Contiguous);
}
/// `diagonal` into memory of its own.
/// All windows of `size` elements of dimension `dimension`, `step` apart, with the window as last dimension.
REEL_OP("unfold(Tensor input, int dimension, int size, int step) -> Tensor", rule, method, view)
Tensor unfold(const Tensor& input, std::int64_t dimension, std::int64_t size, std::int64_t step) {
    const std::int64_t d = wrap_dim("unfold", dimension, input.dim());
    const std::int64_t n = input.dim() == 0 ? 1 : input.sizes()[std::size_t(d)];
    REEL_CHECK(size >= 0, "unfold: size must not be negative, got ", size);
    REEL_CHECK(size <= n, "unfold: window of size ", size, " exceeds dimension ", d, " of size ", n);
    REEL_CHECK(step > 0, "unfold: step must be positive, got ", step);
    Dims sizes(input.sizes()), strides(input.strides());
    const std::int64_t stride = input.dim() == 0 ? 1 : strides[std::size_t(d)];
    if (input.dim() > 0) {
        sizes[std::size_t(d)] = (n - size) / step + 1;
        strides[std::size_t(d)] = stepped(stride, step);
    }
    sizes.push_back(size);
    strides.push_back(stride);
    const Tensor out = view_raw(input, sizes, strides, input.storage_offset());
    record({"unfold", Work::kMoves}, {input}, out, {},
           [before = Dims(input.sizes()), d, size, step](RuleContext& c) -> GradList {
               return {unfold_backward(c.grad(), before, d, size, step)};
           });
    return out;
}
REEL_OP("unfold_copy(Tensor input, int dimension, int size, int step) -> Tensor", composite, out_exact)
Tensor unfold_copy(const Tensor& input, std::int64_t dimension, std::int64_t size, std::int64_t step) {
    return unfold(input, dimension, size, step).clone(MemoryFormat::Contiguous);
}

} // namespace reel
