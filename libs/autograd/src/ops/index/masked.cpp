// Reductions and normalisations that leave out the elements where a mask is false.
#include <limits>

#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/index/masked.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/logsumexp.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace reduction;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// `input` with `fill`, which does not change the result, where the mask is false.
Tensor fill_out(const char* op, const Tensor& input, const Tensor& mask, const Scalar& fill) {
    if (!mask.defined()) return input;
    REEL_CHECK(mask.scalar_type() == kBool, op, ": mask is ", dtype_name(mask.scalar_type()), "; expected bool");
    REEL_CHECK(broadcast_shapes(op, input.sizes(), mask.sizes()) == Dims(input.sizes()), op, ": mask has shape ",
               mask.sizes(), ", which does not broadcast to input ", input.sizes());
    return where(mask, input, full({}, fill, input.options()));
}
/// The least (greatest) value of a dtype.
Scalar extreme(ScalarType t, bool greatest) {
    if (!isIntegralType(t, true)) return greatest ? infinity : -infinity;
    return detail::dispatch<detail::Ints | detail::Bools>(t, "masked", [&]<class T>() {
        return Scalar(std::int64_t(greatest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min()));
    });
}
Tensor as(const Tensor& t, ScalarType dtype) { return t.scalar_type() == dtype ? t : t.to(dtype); }
ScalarType sum_type(const Tensor& input, std::optional<ScalarType> dtype) {
    return dtype.value_or(isIntegralType(input.scalar_type(), true) ? kLong : input.scalar_type());
}
ScalarType float_result(const Tensor& input, std::optional<ScalarType> dtype) {
    return dtype.value_or(isIntegralType(input.scalar_type(), true) ? kFloat : input.scalar_type());
}
/// How many elements the mask lets through, int64.
Tensor counted(const Tensor& input, const Tensor& mask, const Dims& dims, bool keepdim) {
    const Tensor ones_ = ones(input.sizes(), TensorOptions(kLong).device(input.device()));
    return sum(fill_out("masked", ones_, mask, 0), IntArrayRef(dims), keepdim);
}

} // namespace

/// Sum of the elements that the mask lets through.
REEL_OP(
    "masked.sum(Tensor input, int[]? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    composite)
Tensor masked_sum(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
                  const Tensor& mask) {
    return sum(fill_out("masked.sum", input, mask, 0), dim, keepdim, sum_type(input, dtype));
}
/// Product of the elements that the mask lets through.
REEL_OP(
    "masked.prod(Tensor input, int[]? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    composite)
Tensor masked_prod(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
                   const Tensor& mask) {
    Dims dims = reduced_dims("masked.prod", input, dim);
    std::sort(dims.begin(), dims.end());
    Tensor r = as(fill_out("masked.prod", input, mask, 1), sum_type(input, dtype));
    for (std::size_t i = dims.size(); i-- > 0;) r = prod(r, dims[i], keepdim, r.scalar_type());
    return r;
}
REEL_OP("masked.cumsum(Tensor input, int dim, *, Dtype? dtype=None, Tensor? mask=None) -> Tensor", composite)
Tensor masked_cumsum(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype, const Tensor& mask) {
    return cumsum(fill_out("masked.cumsum", input, mask, 0), dim, sum_type(input, dtype));
}
REEL_OP("masked.cumprod(Tensor input, int dim, *, Dtype? dtype=None, Tensor? mask=None) -> Tensor", composite)
Tensor masked_cumprod(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype, const Tensor& mask) {
    return cumprod(fill_out("masked.cumprod", input, mask, 1), dim, sum_type(input, dtype));
}
/// Largest element that the mask lets through; the least value of the dtype where there is none.
REEL_OP(
    "masked.amax(Tensor input, int[]? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    composite)
Tensor masked_amax(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
                   const Tensor& mask) {
    const Tensor x = fill_out("masked.amax", input, mask, extreme(input.scalar_type(), false));
    return as(amax(x, dim ? *dim : IntArrayRef(), keepdim), dtype.value_or(input.scalar_type()));
}
/// Smallest element that the mask lets through; the greatest value of the dtype where there is none.
REEL_OP(
    "masked.amin(Tensor input, int[]? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    composite)
Tensor masked_amin(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
                   const Tensor& mask) {
    const Tensor x = fill_out("masked.amin", input, mask, extreme(input.scalar_type(), true));
    return as(amin(x, dim ? *dim : IntArrayRef(), keepdim), dtype.value_or(input.scalar_type()));
}
/// Place of the largest element that the mask lets through, in the dtype of input (as the reference has it).
REEL_OP(
    "masked.argmax(Tensor input, int? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    not_differentiable)
Tensor masked_argmax(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim,
                     std::optional<ScalarType> dtype, const Tensor& mask) {
    const Tensor x = fill_out("masked.argmax", input.detach(), mask, extreme(input.scalar_type(), false));
    return as(argmax(x, dim, keepdim), dtype.value_or(input.scalar_type()));
}
REEL_OP(
    "masked.argmin(Tensor input, int? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    not_differentiable)
Tensor masked_argmin(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim,
                     std::optional<ScalarType> dtype, const Tensor& mask) {
    const Tensor x = fill_out("masked.argmin", input.detach(), mask, extreme(input.scalar_type(), true));
    return as(argmin(x, dim, keepdim), dtype.value_or(input.scalar_type()));
}
/// Mean of the elements that the mask lets through; NaN where there is none.
REEL_OP(
    "masked.mean(Tensor input, int[]? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    composite)
Tensor masked_mean(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
                   const Tensor& mask) {
    const ScalarType t = float_result(input, dtype);
    if (!mask.defined()) return mean(input, dim, keepdim, t);
    const Dims dims = reduced_dims("masked.mean", input, dim);
    const ScalarType wide = wide_type(t);
    const Tensor total = sum(fill_out("masked.mean", input, mask, 0), IntArrayRef(dims), keepdim, wide);
    return as(total / counted(input, mask, dims, keepdim), t);
}
/// Lower median of the elements that the mask lets through.
REEL_OP(
    "masked.median(Tensor input, int dim=-1, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
    composite)
Tensor masked_median(const Tensor& input, std::int64_t dim, bool keepdim, std::optional<ScalarType> dtype,
                     const Tensor& mask) {
    const bool whole = !input.is_floating_point();
    const Tensor x =
        fill_out("masked.median", whole ? input.to(kFloat) : input, mask, std::numeric_limits<double>::quiet_NaN());
    const Tensor r = std::get<0>(nanmedian(x, dim, keepdim));
    if (!whole) return dtype ? as(r, *dtype) : r;
    REEL_CHECK_VALUE(!any(isnan(r)).item().toBool(),
                     "masked.median: the mask leaves out a whole row of an integer input");
    return as(r, dtype.value_or(input.scalar_type()));
}
/// log(sum(exp)) of the elements that the mask lets through.
REEL_OP("masked.logsumexp(Tensor input, int[]? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? mask=None) "
        "-> Tensor",
        composite)
Tensor masked_logsumexp(const Tensor& input, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype,
                        const Tensor& mask) {
    const Dims dims = reduced_dims("masked.logsumexp", input, dim);
    const Tensor x = fill_out("masked.logsumexp", input, mask, extreme(input.scalar_type(), false));
    return as(logsumexp(x, dims, keepdim), dtype.value_or(input.scalar_type()));
}
/// log(exp(input) + exp(other)) of the elements that the masks let through.
REEL_OP("masked.logaddexp(Tensor input, Tensor other, *, Dtype? dtype=None, Tensor? input_mask=None, Tensor? "
        "other_mask=None) -> Tensor",
        composite)
Tensor masked_logaddexp(const Tensor& input, const Tensor& other, std::optional<ScalarType> dtype,
                        const Tensor& input_mask, const Tensor& other_mask) {
    const char* op = "masked.logaddexp";
    Tensor x = fill_out(op, input, input_mask, -infinity), o = fill_out(op, other, other_mask, -infinity), r;
    if (input_mask.defined() && other_mask.defined()) {
        // Differences of two infinities would spoil derivatives: the sum is -infinity where neither takes part.
        const Tensor neither = logical_not(logical_or(input_mask, other_mask));
        r = masked_fill(logaddexp(masked_fill(x, neither, 0), masked_fill(o, neither, 0)), neither, -infinity);
    } else r = logaddexp(x, o);
    return as(r, dtype.value_or(input.scalar_type()));
}
/// Vector norm of the elements that the mask lets through.
REEL_OP("masked.norm(Tensor input, Scalar ord=2.0, int[]? dim=None, *, bool keepdim=False, Dtype? dtype=None, Tensor? "
        "mask=None) -> Tensor",
        composite)
Tensor masked_norm(const Tensor& input, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
                   std::optional<ScalarType> dtype, const Tensor& mask) {
    const Scalar fill = ord.toDouble() < 0 ? Scalar(infinity) : Scalar(0);
    return linalg_vector_norm(fill_out("masked.norm", input, mask, fill), ord, dim, keepdim, dtype);
}
/// input / max(its norm along `dim`, eps)
REEL_OP("masked.normalize(Tensor input, Scalar ord, int dim, *, float eps=1e-12, Dtype? dtype=None, Tensor? mask=None) "
        "-> Tensor",
        composite)
Tensor masked_normalize(const Tensor& input, const Scalar& ord, std::int64_t dim, double eps,
                        std::optional<ScalarType> dtype, const Tensor& mask) {
    const Tensor n = masked_norm(input, ord, dim, true, dtype, mask);
    return fill_out("masked.normalize", input, mask, 0) / maximum(n, full({}, eps, n.options()));
}

namespace {

Tensor spread_of(const char* op, const Tensor& input, OptionalIntArrayRef dim, std::optional<bool> unbiased,
                 const std::optional<Scalar>& correction, bool keepdim, std::optional<ScalarType> dtype,
                 const Tensor& mask, bool root) {
    REEL_CHECK(!unbiased || !correction, op, ": got both unbiased and correction; give one");
    const double c = unbiased ? double(*unbiased) : correction ? correction->toDouble() : 1;
    const ScalarType t = float_result(input, dtype), wide = wide_type(t);
    const Dims dims = reduced_dims(op, input, dim);
    const Tensor x = as(input, wide);
    Tensor count = counted(input, mask, dims, true);
    const Tensor away = x - sum(fill_out(op, x, mask, 0), IntArrayRef(dims), true) / count;
    const Tensor total = sum(fill_out(op, away * conj(away), mask, 0), IntArrayRef(dims), keepdim);
    if (!keepdim) count = reshape(count, total.sizes());
    if (c != 0) {
        count = count.to(toRealValueType(wide)) - c;
        count = maximum(count, count.new_zeros({}));
    }
    const Tensor v = as(total / count, t);
    return root ? sqrt(v) : v;
}

} // namespace

/// Variance of the elements that the mask lets through.
REEL_OP("masked.var(Tensor input, int[]? dim=None, bool? unbiased=None, *, Scalar? correction=None, bool "
        "keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
        composite, samples(call(numbers({3, 4})).with("mask", numbers({3, 4}, 17) < 1)))
Tensor masked_var(const Tensor& input, OptionalIntArrayRef dim, std::optional<bool> unbiased,
                  const std::optional<Scalar>& correction, bool keepdim, std::optional<ScalarType> dtype,
                  const Tensor& mask) {
    return spread_of("masked.var", input, dim, unbiased, correction, keepdim, dtype, mask, false);
}
/// Standard deviation of the elements that the mask lets through.
REEL_OP("masked.std(Tensor input, int[]? dim=None, bool? unbiased=None, *, Scalar? correction=None, bool "
        "keepdim=False, Dtype? dtype=None, Tensor? mask=None) -> Tensor",
        composite)
Tensor masked_std(const Tensor& input, OptionalIntArrayRef dim, std::optional<bool> unbiased,
                  const std::optional<Scalar>& correction, bool keepdim, std::optional<ScalarType> dtype,
                  const Tensor& mask) {
    return spread_of("masked.std", input, dim, unbiased, correction, keepdim, dtype, mask, true);
}
/// softmax over the elements that the mask lets through; others get 0. Where it lets none through there is no
/// distribution: the result is NaN, the gradient 0. So with the two below.
REEL_OP("masked.softmax(Tensor input, int dim, *, Dtype? dtype=None, Tensor? mask=None) -> Tensor", composite)
Tensor masked_softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype, const Tensor& mask) {
    return softmax(fill_out("masked.softmax", dtype ? as(input, *dtype) : input, mask, -infinity), dim);
}
REEL_OP("masked.log_softmax(Tensor input, int dim, *, Dtype? dtype=None, Tensor? mask=None) -> Tensor", composite)
Tensor masked_log_softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype, const Tensor& mask) {
    return log_softmax(fill_out("masked.log_softmax", dtype ? as(input, *dtype) : input, mask, -infinity), dim);
}
REEL_OP("masked.softmin(Tensor input, int dim, *, Dtype? dtype=None, Tensor? mask=None) -> Tensor", composite)
Tensor masked_softmin(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype, const Tensor& mask) {
    return softmin(fill_out("masked.softmin", dtype ? as(input, *dtype) : input, mask, infinity), dim);
}

} // namespace reel
