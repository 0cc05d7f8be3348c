// Softmax and its logarithm.
#include <reel/autograd/kernels/softmax.hpp>
#include <reel/autograd/kernels/softmax_passes.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>

#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

std::int64_t elements_behind(const Tensor& t, std::int64_t dim) {
    std::int64_t n = 1;
    for (std::int64_t d = dim + 1; d < t.dim(); ++d) n *= t.size(d);
    return n;
}
bool has_passes(const Tensor& t) { return kernels::softmax_columns.has(t.device().type()); }

Tensor run(const char* op, const Tensor& input, std::int64_t dim, bool logarithm) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), op, ": input: there is no kernel for ", dtype_name(t));
    if (input.numel() == 0) return empty_raw(input.sizes(), t, input.device());
    const bool narrow = t == kHalf || t == kBFloat16;
    if (narrow && input.dim() > 0 && elements_behind(input, dim) == 1 && has_passes(input)) {
        const Tensor out = empty_raw(input.sizes(), t, input.device());
        kernels::softmax_columns(out, contiguous_raw(input), input.size(dim), 1, logarithm);
        return out;
    }
    if (narrow) return cast_raw(run(op, cast_raw(input, kFloat), dim, logarithm), t);
    if (const std::int64_t inner = elements_behind(input, dim); inner > 1 && has_passes(input)) {
        const Tensor out = empty_raw(input.sizes(), t, input.device());
        kernels::softmax_columns(out, contiguous_raw(input), input.size(dim), inner, logarithm);
        return out;
    }
    // The dimension goes last; rows are dense there.
    Dims s(input.sizes()), st(input.strides());
    if (s.empty()) s.push_back(1), st.push_back(1);
    std::swap(s[std::size_t(dim)], s.back());
    std::swap(st[std::size_t(dim)], st.back());
    const Tensor rows = contiguous_raw(alias_raw(input, s, st, input.storage_offset()));
    Tensor out = empty_raw(s, t, input.device());
    kernels::softmax(out, rows, logarithm);
    if (dim == std::int64_t(s.size()) - 1 && input.dim() > 0) return out;
    Dims os(out.strides());
    std::swap(os[std::size_t(dim)], os.back());
    return input.dim() == 0 ? alias_raw(out, {}, {}, 0) : contiguous_raw(alias_raw(out, input.sizes(), os, 0));
}

/// The gradient for that of `out`, in one pass where the device has it. By ops, which are recorded, for higher orders.
Tensor gradient(const Tensor& grad, const Tensor& out, std::int64_t dim, bool logarithm) {
    if (!GradMode::is_enabled() && has_passes(out) && out.numel() > 0) {
        const std::int64_t inner = elements_behind(out, dim), n = out.dim() == 0 ? 1 : out.size(dim);
        const ScalarType t = out.scalar_type(), wide = inner > 1 && (t == kHalf || t == kBFloat16) ? kFloat : t;
        const Tensor y = contiguous_raw(cast_raw(out, wide)), g = contiguous_raw(cast_raw(grad, wide)),
                     to = empty_raw(out.sizes(), y);
        kernels::softmax_backward(to, g, y, n, inner, logarithm);
        return cast_raw(to, t);
    }
    if (logarithm) return grad - reel::exp(out) * reel::sum(grad, dim, true);
    const Tensor weighted = grad * out;
    return weighted - out * reel::sum(weighted, dim, true);
}

/// The dimension that PyTorch's functions took when none was given.
std::int64_t or_implicit(const char* op, std::optional<std::int64_t> dim, const Tensor& input) {
    if (dim) return *dim;
    REEL_WARN_DEPRECATION(op, ": the choice of a dimension is deprecated; say which with dim");
    return input.dim() == 0 || input.dim() == 1 || input.dim() == 3 ? 0 : 1;
}

} // namespace

/// Positive weights along `dim` that sum to one.  gx = y (g - sum(g y))
REEL_OP("softmax(Tensor input, int dim, Dtype? dtype=None) -> Tensor", rule, method, out_exact,
        alias("special.softmax"))
Tensor softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const Tensor x = dtype ? input.to(*dtype) : input;
    const std::int64_t d = wrap_dim("softmax", dim, x.dim());
    Tensor out = run("softmax", x, d, false);
    record("softmax", {x}, out, {out},
           [d](RuleContext& c) -> GradList { return {gradient(c.grad(), c.saved(0), d, false)}; });
    return out;
}
/// log(softmax).  gx = g - exp(y) sum(g)
REEL_OP("log_softmax(Tensor input, int dim, Dtype? dtype=None) -> Tensor", rule, method, out_exact,
        alias("special.log_softmax(Tensor input, int dim, *, Dtype? dtype=None)"),
        samples(call(numbers({3, 4}), 1).as("special.log_softmax")))
Tensor log_softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const Tensor x = dtype ? input.to(*dtype) : input;
    const std::int64_t d = wrap_dim("log_softmax", dim, x.dim());
    Tensor out = run("log_softmax", x, d, true);
    record("log_softmax", {x}, out, {out},
           [d](RuleContext& c) -> GradList { return {gradient(c.grad(), c.saved(0), d, true)}; });
    return out;
}
/// The same with a dimension that may be left out.
REEL_OP("nn.functional.softmax(Tensor input, int? dim=None, int _stacklevel=3, Dtype? dtype=None) -> Tensor", composite,
        cpp("functional_softmax"), samples(call(numbers({3, 4}), 1)))
Tensor functional_softmax(const Tensor& input, std::optional<std::int64_t> dim, std::optional<ScalarType> dtype) {
    return softmax(input, or_implicit("softmax", dim, input), dtype);
}
REEL_OP("nn.functional.log_softmax(Tensor input, int? dim=None, int _stacklevel=3, Dtype? dtype=None) -> Tensor",
        composite, cpp("functional_log_softmax"), samples(call(numbers({3, 4}), 1)))
Tensor functional_log_softmax(const Tensor& input, std::optional<std::int64_t> dim, std::optional<ScalarType> dtype) {
    return log_softmax(input, or_implicit("log_softmax", dim, input), dtype);
}
/// softmax of -input
REEL_OP("nn.functional.softmin(Tensor input, int? dim=None, int _stacklevel=3, Dtype? dtype=None) -> Tensor", composite)
Tensor softmin(const Tensor& input, std::optional<std::int64_t> dim, std::optional<ScalarType> dtype) {
    return softmax(dtype ? neg(input.to(*dtype)) : neg(input), or_implicit("softmin", dim, input));
}

} // namespace reel
