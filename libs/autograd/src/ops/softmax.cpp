// Softmax and its logarithm.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>

#include "cpu/softmax.hpp"
#include "tensor/make.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

Tensor run(const char* op, const Tensor& input, std::int64_t dim, bool logarithm) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), op, ": input: there is no kernel for ", dtype_name(t));
    if (input.numel() == 0) return empty_raw(input.sizes(), t, input.device());
    if (t == kHalf || t == kBFloat16) return cast_raw(run(op, cast_raw(input, kFloat), dim, logarithm), t);
    // The dimension goes last; rows are dense there.
    Dims s(input.sizes()), st(input.strides());
    if (s.empty()) s.push_back(1), st.push_back(1);
    std::swap(s[std::size_t(dim)], s.back());
    std::swap(st[std::size_t(dim)], st.back());
    const Tensor rows = contiguous_raw(alias_raw(input, s, st, input.storage_offset()));
    Tensor out = empty_raw(s, t, input.device());
    if (!out.is_meta())
        cpu::softmax_rows(t, rows.data_ptr(), out.data_ptr(), out.numel() / s.back(), s.back(), logarithm);
    if (dim == std::int64_t(s.size()) - 1 && input.dim() > 0) return out;
    Dims os(out.strides());
    std::swap(os[std::size_t(dim)], os.back());
    return input.dim() == 0 ? alias_raw(out, {}, {}, 0) : contiguous_raw(alias_raw(out, input.sizes(), os, 0));
}

} // namespace

/// Positive weights along `dim` that sum to one.  gx = y (g - sum(g y))
REEL_OP("softmax(Tensor input, int dim, *, Dtype? dtype=None) -> Tensor", method, alias("nn.functional.softmax"))
Tensor softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const Tensor x = dtype ? input.to(*dtype) : input;
    const std::int64_t d = wrap_dim("softmax", dim, x.dim());
    Tensor out = run("softmax", x, d, false);
    record("softmax", {x}, out, {out}, [d](RuleContext& c) -> GradList {
        const Tensor y = c.saved(0), gy = c.grad() * y;
        return {gy - y * reel::sum(gy, d, true)};
    });
    return out;
}
/// log(softmax).  gx = g - exp(y) sum(g)
REEL_OP("log_softmax(Tensor input, int dim, *, Dtype? dtype=None) -> Tensor", method,
        alias("nn.functional.log_softmax"))
Tensor log_softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const Tensor x = dtype ? input.to(*dtype) : input;
    const std::int64_t d = wrap_dim("log_softmax", dim, x.dim());
    Tensor out = run("log_softmax", x, d, true);
    record("log_softmax", {x}, out, {out}, [d](RuleContext& c) -> GradList {
        const Tensor y = c.saved(0);
        return {c.grad() - reel::exp(y) * reel::sum(c.grad(), d, true)};
    });
    return out;
}

} // namespace reel
