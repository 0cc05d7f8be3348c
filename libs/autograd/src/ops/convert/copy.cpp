// Copies, conversions and fills.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/record.hpp>

#include "tape/inplace.hpp"
#include "tensor/convert.hpp"
#include "tensor/number_range.hpp"
#include "tensor/raw.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {
Dims strides_for(const Tensor& t, std::optional<MemoryFormat> format) {
    const MemoryFormat f = format.value_or(MemoryFormat::Preserve);
    if (f == MemoryFormat::Preserve && t.is_non_overlapping_and_dense()) return t.strides();
    return strides_of(t.sizes(), f);
}
/// For the elements of `t`.
Tensor room_for(const Tensor& t, std::optional<MemoryFormat> format, ScalarType dtype, Device device) {
    if (format == MemoryFormat::Contiguous) return empty_raw(t.sizes(), dtype, device); // where no strides are needed
    return empty_strided_raw(t.sizes(), strides_for(t, format), dtype, device);
}
} // namespace

namespace detail {

Tensor convert(const Tensor& t, ScalarType dtype, Device device, bool copy, std::optional<MemoryFormat> format,
               bool non_blocking) {
    const bool same_device = device.type() == t.device().type() && (!device.has_index() || device == t.device());
    const bool same_layout = !format || *format == MemoryFormat::Preserve || t.is_contiguous(*format);
    if (dtype == t.scalar_type() && same_device && same_layout && !copy) return t;
    Tensor out;
    if (t.is_sparse()) {
        const SparseParts& p = sparse_parts("to", t);
        out = sparse_raw(t.sizes(), {p.indices.to(device, kLong, non_blocking),
                                     p.values.to(device, dtype, non_blocking, copy), p.coalesced});
    } else {
        out = room_for(t, format, dtype, device);
        copy_raw(out, t, non_blocking);
    }
    const Device from = t.device();
    const ScalarType from_type = t.scalar_type();
    record("to_copy", {t}, out, {}, [from, from_type](RuleContext& c) -> GradList {
        return {convert(c.grad().is_complex() && !isComplexType(from_type) ? reel::real(c.grad()) : c.grad(), from_type,
                        from, false, std::nullopt)};
    });
    return out;
}
} // namespace detail

REEL_OP("clone(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", rule, method)
Tensor clone(const Tensor& input, std::optional<MemoryFormat> memory_format) {
    Tensor out;
    if (input.is_sparse()) {
        const SparseParts& p = sparse_parts("clone", input);
        out = sparse_raw(input.sizes(), {p.indices.clone(), p.values.clone(), p.coalesced});
    } else {
        out = room_for(input, memory_format, input.scalar_type(), input.device());
        copy_raw(out, input);
    }
    record({"clone", Work::kMoves}, {input}, out, {}, [](RuleContext& c) -> GradList { return {c.grad()}; });
    return out;
}
REEL_OP("contiguous(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", composite, method)
Tensor contiguous(const Tensor& input, std::optional<MemoryFormat> memory_format) {
    const MemoryFormat f = memory_format.value_or(MemoryFormat::Contiguous);
    REEL_CHECK(f != MemoryFormat::Preserve,
               "contiguous: preserve_format is not a layout; name contiguous_format or channels_last");
    return input.is_contiguous(f) ? input : clone(input, f);
}
/// Into `input`, with broadcasting and conversion.  gradient: zeros for input, the gradient for src
REEL_OP("copy_(Tensor input, Tensor src, bool non_blocking=False) -> Tensor", rule, method, any_device("src"),
        samples(call(numbers({3, 4}), numbers({4}))))
Tensor& copy_(const Tensor& input, const Tensor& src, bool non_blocking) {
    check_inplace(input, "copy_");
    if (src.is_sparse() != input.is_sparse())
        return copy_(input, src.is_sparse() ? src.to_dense() : src.to_sparse(input.sparse_dim()), false);
    const Dims sizes = broadcast_shapes("copy_", input.sizes(), src.sizes());
    REEL_CHECK(IntArrayRef(sizes).equals(input.sizes()), "copy_: src of shape ", src.sizes(),
               " does not broadcast into input of shape ", input.sizes());
    Tensor result = alias_raw(input);
    if (needs_recording_of("copy_", input, input, src)) {
        check_recorded_write(input, "copy_");
        Tensor old = alias_raw(input);
        if (input.requires_grad()) {
            const Edge e = gradient_edge(input);
            old.impl()->set_history(e.function, e.input_nr);
        }
        const ScalarType t = src.scalar_type();
        const Device device = src.device();
        record("copy_", {old, src}, result, {}, [t, device](RuleContext& c) -> GradList {
            return {c.needs(0) ? reel::zeros_like(c.grad()) : Tensor(),
                    c.needs(1) ? convert(c.grad(), t, device, false, std::nullopt) : Tensor()};
        });
    }
    if (input.is_sparse()) {
        write_sparse("copy_", input, src.detach().clone());
        rebase_history(input, result, "copy_");
        return const_cast<Tensor&>(input);
    }
    const Tensor wide = expand_raw(src, sizes);
    if (wide.storage() == input.storage() &&
        !(wide.storage_offset() == input.storage_offset() && wide.strides().equals(input.strides()))) {
        Tensor copy = empty_raw(wide.sizes(), wide.scalar_type(), wide.device());
        copy_raw(copy, wide);
        copy_raw(input, copy);
    } else if (!(wide.storage() == input.storage())) copy_raw(input, wide, non_blocking);
    rebase_history(input, result, "copy_");
    return const_cast<Tensor&>(input);
}
static void check_fill(const Tensor& value) {
    REEL_CHECK(value.dim() == 0, "fill: value must be a number or a 0-dim tensor, got one of sizes ", value.sizes());
}
/// The number that a 0-dim tensor holds, everywhere; it gets the sum of the gradient.
REEL_OP("fill(Tensor input, Tensor value) -> Tensor", rule, method, inplace_native, any_device("value"),
        samples(call(numbers({2, 3}), numbers({}, 4))))
Tensor fill(const Tensor& input, const Tensor& value) {
    check_fill(value);
    Tensor out = empty_like_raw(input, input.scalar_type());
    copy_raw(out, expand_raw(value, input.sizes()));
    record("fill", {input, value}, out, {}, [o = value.options()](RuleContext& c) -> GradList {
        GradList g(2);
        if (c.needs(0)) g[0] = reel::zeros_like(c.grad());
        if (c.needs(1)) {
            const Tensor sum = c.grad().sum();
            g[1] = (sum.is_complex() && !isComplexType(o.dtype()) ? reel::real(sum) : sum).to(o);
        }
        return g;
    });
    return out;
}
Tensor& fill_(const Tensor& input, const Tensor& value) {
    check_fill(value);
    return copy_(input, value);
}
REEL_OP("fill(Tensor input, Scalar value) -> Tensor", rule, method, inplace_native)
Tensor fill(const Tensor& input, const Scalar& value) {
    reel::detail::check_holds("fill", input.scalar_type(), value);
    Tensor out = empty_like_raw(input, input.scalar_type());
    fill_raw(out, value);
    record("fill", {input}, out, {}, [](RuleContext& c) -> GradList { return {reel::zeros_like(c.grad())}; });
    return out;
}
static Tensor& fill_with(const char* op, const Tensor& input, const Scalar& value) {
    reel::detail::check_holds(op, input.scalar_type(), value);
    check_inplace(input, op);
    if (input.is_sparse()) {
        REEL_CHECK(value.toComplexDouble() == 0., op, ": a sparse tensor is filled with zeros alone, got ", value,
                   "; use .to_dense()");
        const SparseParts& p = sparse_parts(op, input);
        const Tensor none = narrow_raw(p.values, 0, 0, 0);
        write_sparse(op, input, sparse_raw(input.sizes(), {narrow_raw(p.indices, 1, 0, 0), none, true}));
    } else fill_raw(input, value);
    rebase_history(input, Tensor(), op);
    return const_cast<Tensor&>(input);
}
Tensor& fill_(const Tensor& input, const Scalar& value) { return fill_with("fill_", input, value); }
REEL_OP("zero(Tensor input) -> Tensor", composite, method, inplace_native, alias("zero_"))
Tensor zero(const Tensor& input) { return fill(input, 0); }
Tensor& zero_(const Tensor& input) { return fill_with("zero_", input, 0); }

REEL_OP("to(Tensor input, Dtype dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) "
        "-> Tensor",
        rule)
Tensor to(const Tensor& input, ScalarType dtype, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
    return convert(input, dtype, input.device(), copy, memory_format, non_blocking);
}
REEL_OP("to(Tensor input, Device? device=None, Dtype? dtype=None, bool non_blocking=False, bool copy=False, *, "
        "MemoryFormat? memory_format=None) -> Tensor",
        rule, explicit("device"))
Tensor to(const Tensor& input, std::optional<Device> device, std::optional<ScalarType> dtype, bool non_blocking,
          bool copy, std::optional<MemoryFormat> memory_format) {
    return convert(input, dtype.value_or(input.scalar_type()), device.value_or(input.device()), copy, memory_format,
                   non_blocking);
}
/// dtype and device of `other`.
REEL_OP("to(Tensor input, Tensor tensor, bool non_blocking=False, bool copy=False, *, MemoryFormat? "
        "memory_format=None) -> Tensor",
        rule, not_differentiable("tensor"), any_device("tensor"))
Tensor to(const Tensor& input, const Tensor& other, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
    return convert(input, other.scalar_type(), other.device(), copy, memory_format, non_blocking);
}
REEL_OP("type_as(Tensor input, Tensor other) -> Tensor", rule, not_differentiable("other"), method, any_device("other"),
        samples(call(numbers({3, 4}), numbers({2}))))
Tensor type_as(const Tensor& input, const Tensor& other) {
    return convert(input, other.scalar_type(), other.device(), false, std::nullopt);
}

} // namespace reel
