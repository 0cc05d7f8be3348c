// Views by raw geometry, and between complex numbers and pairs of reals.
#include <reel/autograd/kernels/accumulate.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/shape/strided.hpp>

#include "ops/pointwise/run.hpp"
#include "ops/shape/geometry_change.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/strided_geometry.hpp"

#include <algorithm>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// A one-dimensional buffer that holds `grad` laid out as `g`, overlapping elements summed. Its adjoint is
/// `as_strided`.
Tensor lay_out(const Tensor& grad, const Geometry& g, std::int64_t extent) {
    const Tensor out = zeros_raw({extent}, grad);
    const Tensor part = alias_raw(out, g.sizes, g.strides, g.offset);
    if (g.overlaps()) kernels::accumulate(part, grad);
    else assign_raw(part, grad);
    record("as_strided_layout", {grad}, out, {}, [g](RuleContext& c) -> GradList {
        const Tensor flat = c.grad().contiguous();
        return {flat.as_strided(g.sizes, g.strides, flat.storage_offset() + g.offset)};
    });
    return out;
}

Tensor as_strided_backward(const Tensor& grad, Geometry input, Geometry view) {
    const std::int64_t base = std::min(input.offset, view.offset);
    input.offset -= base;
    view.offset -= base;
    const std::int64_t extent = std::max({input.extent(), view.extent(), std::int64_t(0)});
    Tensor buffer = lay_out(grad, view, extent);
    if (input.overlaps()) { // elements seen several times by the input share the gradient evenly
        Tensor ones = empty_raw(input.sizes, grad);
        Tensor times;
        {
            const NoGradGuard off;
            ones.fill_(1);
            times = lay_out(ones, input, extent);
            times = times.masked_fill(times.eq(0), 1);
        }
        buffer = buffer.div(times);
    }
    return buffer.as_strided(input.sizes, input.strides, input.offset);
}

void check_geometry(const char* op, const Tensor& input, IntArrayRef size, IntArrayRef stride, std::int64_t offset) {
    REEL_CHECK(size.size() == stride.size(), op, ": size ", size, " and stride ", stride, " differ in length");
    const std::int64_t extent = checked_extent(op, size, stride, offset, input.scalar_type());
    const std::int64_t have = std::int64_t(input.storage()->nbytes()) / input.element_size();
    REEL_CHECK(extent <= have, op, ": size ", size, ", stride ", stride, " and offset ", offset, " reach element ",
               extent - 1, " of a storage of ", have, " elements");
}

} // namespace

namespace shape {
Tensor view_as_dtype(const Tensor& t, ScalarType dtype, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
    const Tensor same = view_raw(t, t.sizes(), t.strides(), t.storage_offset());
    TensorImplPtr impl(new TensorImpl(t.storage(), dtype, t.device()));
    impl->share_version(*t.impl());
    impl->set_geometry(sizes, strides, offset);
    impl->is_inference = t.impl()->is_inference;
    if (same.is_view()) impl->set_view(same.impl()->view_base(), same.impl()->creation_meta());
    return Tensor(std::move(impl));
}
Tensor strided_part(const Tensor& t, Geometry whole, Geometry part) {
    const std::int64_t base = std::min(whole.offset, part.offset);
    whole.offset -= base;
    part.offset -= base;
    if (whole.offset == 0 && part.extent() <= t.numel() &&
        IntArrayRef(whole.strides).equals(contiguous_strides(whole.sizes))) {
        const Tensor dense = t.contiguous();
        return dense.as_strided(part.sizes, part.strides, dense.storage_offset() + part.offset);
    }
    return lay_out(t, whole, std::max(whole.extent(), part.extent())).as_strided(part.sizes, part.strides, part.offset);
}

Tensor strided_rest(const Tensor& t, Geometry whole, Geometry part) {
    const std::int64_t base = std::min(whole.offset, part.offset);
    whole.offset -= base;
    part.offset -= base;
    const Tensor shown = empty_raw({std::max(whole.extent(), part.extent())}, kBool, t.device());
    fill_raw(shown, Scalar(false));
    if (part.extent() > 0) fill_raw(alias_raw(shown, part.sizes, part.strides, part.offset), Scalar(true));
    return t.masked_fill(alias_raw(shown, whole.sizes, whole.strides, whole.offset), Scalar(0));
}
} // namespace shape

/// The storage seen under any sizes, strides and offset (by default the input's own offset).
REEL_OP("as_strided(Tensor input, int[] size, int[] stride, int? storage_offset=None) -> Tensor", rule, method, view,
        inplace_native)
Tensor as_strided(const Tensor& input, IntArrayRef size, IntArrayRef stride,
                  std::optional<std::int64_t> storage_offset) {
    const std::int64_t offset = storage_offset.value_or(input.storage_offset());
    check_geometry("as_strided", input, size, stride, offset);
    const Tensor out = view_raw(input, size, stride, offset);
    record("as_strided", {input}, out, {},
           [in = Geometry::of(input), view = Geometry{Dims(size), Dims(stride), offset}](RuleContext& c) -> GradList {
               return {as_strided_backward(c.grad(), in, view)};
           });
    return out;
}
Tensor& as_strided_(const Tensor& input, IntArrayRef size, IntArrayRef stride,
                    std::optional<std::int64_t> storage_offset) {
    return geometry_in_place("as_strided_", input,
                             [&](const Tensor& x) { return as_strided(x, size, stride, storage_offset); });
}
REEL_OP("as_strided_copy(Tensor input, int[] size, int[] stride, int? storage_offset=None) -> Tensor", composite,
        out_exact)
Tensor as_strided_copy(const Tensor& input, IntArrayRef size, IntArrayRef stride,
                       std::optional<std::int64_t> storage_offset) {
    return as_strided(input, size, stride, storage_offset).clone(MemoryFormat::Contiguous);
}

/// A copy of `input` in which the elements that `as_strided` would show are those of `src`.
REEL_OP("as_strided_scatter(Tensor input, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
        rule, method)
Tensor as_strided_scatter(const Tensor& input, const Tensor& src, IntArrayRef size, IntArrayRef stride,
                          std::optional<std::int64_t> storage_offset) {
    const std::int64_t offset = storage_offset.value_or(input.storage_offset());
    check_geometry("as_strided_scatter", input, size, stride, offset);
    REEL_CHECK(src.sizes().equals(size), "as_strided_scatter: src of sizes ", src.sizes(), " does not fill the view ",
               size);
    // The copy keeps the input's geometry, so that the same strides mean the same elements.
    const std::int64_t extent =
        std::max(Geometry::of(input).extent(), Geometry{Dims(size), Dims(stride), offset}.extent());
    const Tensor buffer = zeros_raw({extent}, input);
    const Tensor out = alias_raw(buffer, input.sizes(), input.strides(), input.storage_offset());
    assign_raw(out, input);
    assign_raw(alias_raw(buffer, size, stride, offset), src);
    record("as_strided_scatter", {input, src}, out, {},
           [part = Geometry{Dims(size), Dims(stride), offset}, whole = Geometry::of(input),
            kind = src.is_complex()](RuleContext& c) -> GradList {
               return {c.needs(0) ? strided_rest(c.grad(), whole, part) : Tensor(),
                       c.needs(1) ? pointwise::fit_gradient(strided_part(c.grad(), whole, part), kind) : Tensor()};
           });
    return out;
}

/// Complex numbers as pairs of reals in a new last dimension.
REEL_OP("view_as_real(Tensor input) -> Tensor", rule, view)
Tensor view_as_real(const Tensor& input) {
    REEL_CHECK(input.is_complex(), "view_as_real: expected a complex tensor, got ", toString(input.scalar_type()));
    Dims sizes(input.sizes()), strides(input.strides());
    // A stride of which no step is made may be too long to count.
    for (std::int64_t& s : strides) s = std::int64_t(std::uint64_t(s) * 2);
    sizes.push_back(2);
    strides.push_back(1);
    const ScalarType real = input.scalar_type() == kComplexDouble ? kDouble : kFloat;
    const Tensor out = view_as_dtype(input, real, sizes, strides, input.storage_offset() * 2);
    record("view_as_real", {input}, out, {},
           [](RuleContext& c) -> GradList { return {view_as_complex(c.grad().contiguous())}; });
    return out;
}

REEL_OP("view_as_real_copy(Tensor input) -> Tensor", composite, out, samples(call(numbers({3}, kComplexDouble))))
Tensor view_as_real_copy(const Tensor& input) { return view_as_real(input).clone(MemoryFormat::Contiguous); }

/// Pairs of reals in a last dimension of size two as complex numbers.
REEL_OP("view_as_complex(Tensor input) -> Tensor", rule, view)
Tensor view_as_complex(const Tensor& input) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK(t == kFloat || t == kDouble, "view_as_complex: input is ", dtype_name(t),
               "; expected float32 or float64");
    REEL_CHECK(input.dim() > 0 && input.sizes()[std::size_t(input.dim() - 1)] == 2,
               "view_as_complex: the last dimension must have size 2, got sizes ", input.sizes());
    Dims sizes(input.sizes()), strides(input.strides());
    bool even = input.storage_offset() % 2 == 0 && strides.back() == 1;
    sizes.pop_back();
    strides.pop_back();
    for (std::int64_t& s : strides) {
        even = even && s % 2 == 0;
        s /= 2;
    }
    REEL_CHECK(even, "view_as_complex: pairs must lie together in memory (last stride 1, other strides and offset ",
               "even), got strides ", input.strides(), " and offset ", input.storage_offset(),
               "; use contiguous() first");
    const Tensor out =
        view_as_dtype(input, t == kDouble ? kComplexDouble : kComplexFloat, sizes, strides, input.storage_offset() / 2);
    record("view_as_complex", {input}, out, {}, [](RuleContext& c) -> GradList { return {view_as_real(c.grad())}; });
    return out;
}
REEL_OP("view_as_complex_copy(Tensor input) -> Tensor", composite, out, samples(call(numbers({3, 2}))))
Tensor view_as_complex_copy(const Tensor& input) { return view_as_complex(input).clone(MemoryFormat::Contiguous); }

} // namespace reel
