// Making tensors: filled, counted, like others.
#include <reel/autograd/like_factories.hpp>
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/record.hpp>

#include <cmath>

#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"
#include <reel/autograd/sparse.hpp>

namespace reel {

using namespace detail;

namespace {
Tensor finish(Tensor t, const TensorOptions& o) {
    REEL_CHECK_NOT_IMPLEMENTED(o.layout() == kStrided,
                               "layout: factories make strided tensors, the options ask for another "
                               "layout; sparse_coo_tensor() makes sparse ones");
    if (o.requires_grad()) t.requires_grad_();
    return t;
}
TensorOptions like(const Tensor& t, const TensorOptions& o) {
    return TensorOptions(t.scalar_type()).device(t.device()).merge_in(o);
}
Tensor unfilled(const char* op, IntArrayRef size, const TensorOptions& o) {
    check_sizes(op, size, o.dtype());
    const MemoryFormat f = o.memory_format_opt().value_or(MemoryFormat::Contiguous);
    if (f == MemoryFormat::Contiguous) return empty_raw(size, o.dtype(), o.device());
    REEL_CHECK_VALUE(f != MemoryFormat::Preserve, "memory_format: there is no tensor whose layout could be preserved; "
                                                  "give contiguous, channels_last or channels_last_3d");
    return empty_strided_raw(size, strides_of(size, f), o.dtype(), o.device());
}
Tensor filled(const char* op, IntArrayRef size, const Scalar& v, const TensorOptions& o) {
    Tensor t = unfilled(op, size, o);
    fill_raw(t, v);
    return finish(std::move(t), o);
}
Tensor unfilled_like(const Tensor& input, const TensorOptions& o) {
    const MemoryFormat f = o.memory_format_opt().value_or(MemoryFormat::Preserve);
    const bool kept = f == MemoryFormat::Preserve && input.is_non_overlapping_and_dense();
    return empty_strided_raw(input.sizes(), kept ? Dims(input.strides()) : strides_of(input.sizes(), f), o.dtype(),
                             o.device());
}
Tensor filled_like(const Tensor& input, const Scalar& v, const TensorOptions& o) {
    const TensorOptions merged = like(input, o);
    Tensor t = unfilled_like(input, merged);
    fill_raw(t, v);
    return finish(std::move(t), merged);
}
/// How many of start, start + step, ... lie before `end`; the step leads there.
std::int64_t steps_between(std::int64_t start, std::int64_t end, std::int64_t step) {
    const std::uint64_t span =
        step > 0 ? std::uint64_t(end) - std::uint64_t(start) : std::uint64_t(start) - std::uint64_t(end);
    const std::uint64_t by = step > 0 ? std::uint64_t(step) : 0 - std::uint64_t(step);
    const std::uint64_t n = span / by + (span % by != 0);
    REEL_CHECK_VALUE(n <= std::uint64_t(std::numeric_limits<std::int64_t>::max()), "arange: from ", start, " to ", end,
                     " in steps of ", step, " there are more than 2^63 - 1 numbers");
    return std::int64_t(n);
}
ScalarType scalar_default(const Scalar& v) {
    return v.isBoolean()         ? kBool
           : v.isIntegral(false) ? kLong
           : v.isComplex()       ? toComplexType(get_default_dtype())
                                 : get_default_dtype();
}
} // namespace

namespace detail {
TensorOptions with_memory_format(const TensorOptions& options, std::optional<MemoryFormat> format) {
    REEL_CHECK_VALUE(!format || !options.has_memory_format(),
                     "memory_format: set both in the options and as an argument; leave one out");
    return format ? options.memory_format(format) : options;
}
} // namespace detail

REEL_OP("empty(int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, out,
        samples(call(ints({2, 3}))))
Tensor empty(IntArrayRef size, TensorOptions options) { return finish(unfilled("empty", size, options), options); }
REEL_OP("empty_strided(int[] size, int[] stride, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(ints({2, 3}), ints({1, 2}))))
Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options) {
    REEL_CHECK(size.size() == stride.size(), "empty_strided: size ", size, " and stride ", stride, " differ in length");
    return finish(empty_strided_raw(size, stride, options.dtype(), options.device()), options);
}
REEL_OP("empty_like(Tensor input, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(numbers({3, 4}))))
Tensor empty_like(const Tensor& input, TensorOptions options) {
    const TensorOptions o = like(input, options);
    return finish(unfilled_like(input, o), o);
}
REEL_OP("zeros(int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor zeros(IntArrayRef size, TensorOptions options) { return filled("zeros", size, 0, options); }
REEL_OP("ones(int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor ones(IntArrayRef size, TensorOptions options) { return filled("ones", size, 1, options); }
/// Without a dtype the fill value decides: bool, int64, or the default dtype.
REEL_OP("full(int[] size, Scalar fill_value, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor full(IntArrayRef size, const Scalar& fill_value, TensorOptions options) {
    return filled("full", size, fill_value, options.has_dtype() ? options : options.dtype(scalar_default(fill_value)));
}
REEL_OP("zeros_like(Tensor input, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor zeros_like(const Tensor& input, TensorOptions options) {
    if (!input.is_sparse() || options.has_layout()) return filled_like(input, 0, options);
    const Tensor indices = empty_raw({input.sparse_dim(), 0}, kLong, input.device());
    return sparse_coo_tensor(indices, narrow_raw(input._values(), 0, 0, 0), input.sizes(), options, true);
}
REEL_OP("ones_like(Tensor input, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor ones_like(const Tensor& input, TensorOptions options) { return filled_like(input, 1, options); }
REEL_OP("full_like(Tensor input, Scalar fill_value, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor full_like(const Tensor& input, const Scalar& fill_value, TensorOptions options) {
    return filled_like(input, fill_value, options);
}
REEL_OP("new_empty(Tensor input, int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, method,
        samples(call(numbers({3, 4}), ints({2, 3}))))
Tensor new_empty(const Tensor& input, IntArrayRef size, TensorOptions options) {
    const TensorOptions o = like(input, options);
    return finish(unfilled("new_empty", size, o), o);
}
REEL_OP("new_zeros(Tensor input, int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, method)
Tensor new_zeros(const Tensor& input, IntArrayRef size, TensorOptions options) {
    return filled("new_zeros", size, 0, like(input, options));
}
REEL_OP("new_ones(Tensor input, int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, method)
Tensor new_ones(const Tensor& input, IntArrayRef size, TensorOptions options) {
    return filled("new_ones", size, 1, like(input, options));
}
REEL_OP("new_full(Tensor input, int[] size, Scalar fill_value, *, TensorOptions options={}) -> Tensor",
        not_differentiable, method)
Tensor new_full(const Tensor& input, IntArrayRef size, const Scalar& fill_value, TensorOptions options) {
    return filled("new_full", size, fill_value, like(input, options));
}
REEL_OP("scalar_tensor(Scalar s, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor scalar_tensor(const Scalar& s, TensorOptions options) { return filled("scalar_tensor", {}, s, options); }

REEL_OP("eye(int n, int? m=None, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor eye(std::int64_t n, std::optional<std::int64_t> m, TensorOptions options) {
    REEL_CHECK(n >= 0 && m.value_or(0) >= 0, "eye: n and m must not be negative, got ", n, " and ", m.value_or(n));
    Tensor t = filled("eye", {n, m.value_or(n)}, 0, options.requires_grad(false));
    const std::int64_t k = std::min(n, m.value_or(n));
    fill_raw(alias_raw(t, {k}, {k == 0 ? 1 : m.value_or(n) + 1}, 0), 1);
    return finish(std::move(t), options);
}

/// int64 when all arguments are integers, else the default dtype.
REEL_OP("arange(Scalar end, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor arange(const Scalar& end, TensorOptions options) { return arange(Scalar(0), end, Scalar(1), options); }
REEL_OP("arange(Scalar start, Scalar end, Scalar step=1, *, TensorOptions options={}) -> Tensor", not_differentiable,
        out)
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TensorOptions options) {
    const bool ints = start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true);
    const ScalarType dtype = options.has_dtype() ? ScalarType(options.dtype()) : ints ? kLong : get_default_dtype();
    REEL_CHECK(step.toDouble() != 0, "arange: step must not be zero");
    const double span = end.toDouble() - start.toDouble();
    REEL_CHECK(std::isfinite(span), "arange: start ", start, " and end ", end, " must be finite");
    REEL_CHECK(span == 0 || (span > 0) == (step.toDouble() > 0), "arange: step ", step, " leads away from end ", end,
               " when starting at ", start);
    const std::int64_t n = ints ? steps_between(start.toLong(), end.toLong(), step.toLong())
                                : checked_size("arange", "the number of elements", std::ceil(span / step.toDouble()));
    check_sizes("arange", n, dtype);
    const auto integer = [&](std::int64_t i) { return start.toLong() + i * step.toLong(); };
    const auto number = [&](std::int64_t i) { return start.toDouble() + double(i) * step.toDouble(); };
    const Tensor wide =
        isIntegralType(dtype, true) && ints ? generated<std::int64_t>(n, integer) : generated<double>(n, number);
    Tensor t = empty_raw({n}, dtype, options.device());
    copy_raw(t, wide);
    return finish(std::move(t), options);
}

} // namespace reel
