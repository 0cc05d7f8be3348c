// Covariances, counts and comparisons of whole tensors.
#include <cmath>

#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/strided.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

/// Covariance of variables (rows) over observations (columns), with integer and real weights of the observations.
REEL_OP("cov(Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor", composite,
        method)
Tensor cov(const Tensor& input, std::int64_t correction, const Tensor& fweights, const Tensor& aweights) {
    REEL_CHECK(input.dim() <= 2, "cov: input has shape ", input.sizes(), "; expected at most two dimensions");
    REEL_CHECK(input.scalar_type() != kBool, "cov: bool input is not supported");
    const Tensor x = input.dim() < 2 ? reshape(input, {1, input.numel()}) : input;
    const std::int64_t n = x.size(1);
    for (const Tensor* w : {&fweights, &aweights}) {
        if (!w->defined()) continue;
        const char* name = w == &fweights ? "fweights" : "aweights";
        REEL_CHECK(w->dim() <= 1, "cov: ", name, " has shape ", w->sizes(), "; expected one weight per observation");
        REEL_CHECK(w == &fweights ? isIntegralType(w->scalar_type()) : isFloatingType(w->scalar_type()), "cov: ", name,
                   " is ", dtype_name(w->scalar_type()), "; expected ", w == &fweights ? "an integer" : "a floating",
                   " dtype");
        REEL_CHECK(w->numel() == n, "cov: ", name, " has ", w->numel(), " elements for ", n, " observations");
        REEL_CHECK(w->numel() == 0 || !any(*w < Scalar(0)).item().toBool(), "cov: ", name, " must not be negative");
    }
    Tensor w = fweights;
    if (aweights.defined()) w = w.defined() ? w * aweights : aweights;
    const Tensor total = w.defined() ? sum(w) : full({}, n, TensorOptions().dtype(kLong));
    REEL_CHECK(!w.defined() || total.item().toDouble() != 0, "cov: the weights sum to zero");
    const Tensor average = sum(w.defined() ? x * w : x, 1) / total;
    Tensor factor;
    if (w.defined() && aweights.defined() && correction != 0)
        factor = total - Scalar(correction) * sum(w * aweights) / total;
    else factor = total - Scalar(correction);
    if (factor.item().toDouble() <= 0) factor = zeros_like(factor);
    const Tensor centred = x - unsqueeze(average, 1);
    const Tensor right = w.defined() ? centred * w : centred;
    const Tensor c = mm(centred.to(right.scalar_type()), conj(t(right)));
    return squeeze(c / factor);
}
/// Correlation coefficients of variables (rows) over observations (columns), clipped to [-1, 1].
REEL_OP("corrcoef(Tensor input) -> Tensor", composite, method)
Tensor corrcoef(const Tensor& input) {
    REEL_CHECK(input.dim() <= 2, "corrcoef: input has shape ", input.sizes(), "; expected at most two dimensions");
    Tensor c = cov(input, 1, {}, {});
    if (c.dim() == 0) return c / c;
    const Tensor deviation = sqrt(real(diagonal(c)));
    c = c / unsqueeze(deviation, 1) / deviation;
    if (c.is_complex()) return view_as_complex(clamp(view_as_real(c), Scalar(-1), Scalar(1)));
    return clamp(c, Scalar(-1), Scalar(1));
}

/// Do both have the same shape and equal elements everywhere?
REEL_OP("equal(Tensor input, Tensor other) -> bool", not_differentiable, method)
bool equal(const Tensor& input, const Tensor& other) {
    REEL_CHECK(input.scalar_type() == other.scalar_type(), "equal: input is ", dtype_name(input.scalar_type()),
               " and other is ", dtype_name(other.scalar_type()), "; both must have one dtype");
    if (!input.sizes().equals(other.sizes())) return false;
    // A difference is mostly found early: pieces that grow, where both are dense.
    constexpr std::int64_t first = 1 << 10;
    const std::int64_t n = input.numel();
    if (n <= first || !input.is_contiguous() || !other.is_contiguous())
        return n == 0 || all(eq(input, other)).item().toBool();
    const NoGradGuard off;
    const auto flat = [n](const Tensor& t) { return t.dim() == 1 ? t : t.reshape({n}); };
    const Tensor a = flat(input), b = flat(other);
    for (std::int64_t i = 0, end = first; i < n; i = end, end = std::min(4 * end, n))
        if (!all(eq(a.slice(0, i, end), b.slice(0, i, end))).item().toBool()) return false;
    return true;
}
/// Is |input - other| <= atol + rtol |other| everywhere?
REEL_OP("allclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool",
        not_differentiable, method)
bool allclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
    return all(isclose(input, other, rtol, atol, equal_nan)).item().toBool();
}

} // namespace reel
