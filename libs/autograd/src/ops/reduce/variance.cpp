// Variances and standard deviations.
#include <limits>

#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/variance.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

namespace {

Tensor variance_raw(const char* op, const Tensor& input, const Dims& dims, double correction, bool keepdim, bool root) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK(isDifferentiableType(t), op, ": input is ", dtype_name(t), "; expected a floating or complex dtype");
    std::int64_t inner = 1;
    const Tensor rows = rows_in_any_order(input, dims, inner);
    Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), toRealValueType(t), input.device());
    kernels::variance(op, out, rows, inner, correction, root);
    return out;
}
/// gx = 2 g (x - mean) / (n - correction)
Tensor variance_gradient(const Tensor& g, const Tensor& x, const Dims& dims, double correction, bool keepdim) {
    const Tensor each = keep_dims(g, Dims(x.sizes()), dims, keepdim);
    const double n = double(reduced_count(x, dims)), free = std::max(0.0, n - correction);
    return each * (x - mean(x, IntArrayRef(dims), true)) * (2.0 / free);
}
/// The gradient of the variance for one of its root `y`. Nothing flows where the deviation is zero, in no order of
/// differentiation.
Tensor of_root(const Tensor& g, const Tensor& y) {
    return g / masked_fill(y * 2, y == 0, std::numeric_limits<double>::infinity());
}
Tensor mean_raw(const Tensor& input, const Dims& dims, bool keepdim) {
    const ScalarType t = input.scalar_type();
    const Tensor m = sum_raw(input, dims, keepdim, wide_type(t)) / double(reduced_count(input, dims));
    return m.scalar_type() == t ? m : m.to(t);
}
Tensor variance_of(const char* op, const Tensor& input, OptionalIntArrayRef dim,
                   const std::optional<Scalar>& correction, bool keepdim, bool root) {
    const Dims dims = reduced_dims(op, input, dim);
    const double c0 = correction ? correction->toDouble() : 1.0;
    Tensor out = variance_raw(op, input, dims, c0, keepdim, root);
    if (!root)
        record(op, {input}, out, {input}, [dims, c0, keepdim](RuleContext& c) -> GradList {
            return {variance_gradient(c.grad(), c.saved(0), dims, c0, keepdim)};
        });
    else
        record(op, {input}, out, {input, out}, [dims, c0, keepdim](RuleContext& c) -> GradList {
            return {variance_gradient(of_root(c.grad(), c.saved(1)), c.saved(0), dims, c0, keepdim)};
        });
    return out;
}
std::optional<Scalar> of_flag(bool unbiased) { return Scalar(unbiased ? 1 : 0); }
std::tuple<Tensor, Tensor> with_mean(const char* op, const Tensor& input, OptionalIntArrayRef dim,
                                     const std::optional<Scalar>& correction, bool keepdim, bool root) {
    const Dims dims = reduced_dims(op, input, dim);
    const double c0 = correction ? correction->toDouble() : 1.0;
    const Tensor v = variance_raw(op, input, dims, c0, keepdim, root), m = mean_raw(input, dims, keepdim);
    const std::vector<Tensor> outputs{v, m};
    std::vector<Tensor> saved{input};
    if (root) saved.push_back(v);
    record(op, TensorList(&input, 1), TensorList(outputs), TensorList(saved),
           [dims, c0, keepdim, root](RuleContext& c) -> GradList {
               const Tensor x = c.saved(0);
               Tensor gx;
               if (c.grad(0).defined())
                   gx = variance_gradient(root ? of_root(c.grad(0), c.saved(1)) : c.grad(0), x, dims, c0, keepdim);
               if (!c.grad(1).defined()) return {gx};
               const Tensor of_mean = spread(c.grad(1), Dims(x.sizes()), dims, keepdim) /
                                      double(std::max<std::int64_t>(reduced_count(x, dims), 1));
               return {gx.defined() ? gx + of_mean : of_mean};
           });
    return {v, m};
}

} // namespace

/// Variance over `dim` (all when absent): squared distances from the mean over n - correction (1 when absent).
REEL_OP("var(Tensor input, bool unbiased=True) -> Tensor", rule, method, explicit("unbiased"))
Tensor var(const Tensor& input, bool unbiased) {
    return variance_of("var", input, std::nullopt, of_flag(unbiased), false, false);
}
REEL_OP("var(Tensor input, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", rule, method, out,
        explicit("unbiased"))
Tensor var(const Tensor& input, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
    return variance_of("var", input, dim, of_flag(unbiased), keepdim, false);
}
REEL_OP("var(Tensor input, int[]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", rule, method,
        out)
Tensor var(const Tensor& input, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
    return variance_of("var", input, dim, correction, keepdim, false);
}
/// Square root of the variance; its gradient is 0 where it is 0.
REEL_OP("std(Tensor input, bool unbiased=True) -> Tensor", rule, method, explicit("unbiased"))
Tensor std(const Tensor& input, bool unbiased) {
    return variance_of("std", input, std::nullopt, of_flag(unbiased), false, true);
}
REEL_OP("std(Tensor input, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", rule, method, out,
        explicit("unbiased"))
Tensor std(const Tensor& input, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
    return variance_of("std", input, dim, of_flag(unbiased), keepdim, true);
}
REEL_OP("std(Tensor input, int[]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", rule, method,
        out)
Tensor std(const Tensor& input, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
    return variance_of("std", input, dim, correction, keepdim, true);
}
/// Variance and mean.
REEL_OP("var_mean(Tensor input, bool unbiased=True) -> (Tensor, Tensor)", rule, explicit("unbiased"))
std::tuple<Tensor, Tensor> var_mean(const Tensor& input, bool unbiased) {
    return with_mean("var_mean", input, std::nullopt, of_flag(unbiased), false, false);
}
REEL_OP("var_mean(Tensor input, int[]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", rule,
        explicit("unbiased"))
std::tuple<Tensor, Tensor> var_mean(const Tensor& input, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
    return with_mean("var_mean", input, dim, of_flag(unbiased), keepdim, false);
}
REEL_OP("var_mean(Tensor input, int[]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
        rule)
std::tuple<Tensor, Tensor> var_mean(const Tensor& input, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
    return with_mean("var_mean", input, dim, correction, keepdim, false);
}
/// Standard deviation and mean.
REEL_OP("std_mean(Tensor input, bool unbiased=True) -> (Tensor, Tensor)", rule, explicit("unbiased"))
std::tuple<Tensor, Tensor> std_mean(const Tensor& input, bool unbiased) {
    return with_mean("std_mean", input, std::nullopt, of_flag(unbiased), false, true);
}
REEL_OP("std_mean(Tensor input, int[]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", rule,
        explicit("unbiased"))
std::tuple<Tensor, Tensor> std_mean(const Tensor& input, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
    return with_mean("std_mean", input, dim, of_flag(unbiased), keepdim, true);
}
REEL_OP("std_mean(Tensor input, int[]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
        rule)
std::tuple<Tensor, Tensor> std_mean(const Tensor& input, OptionalIntArrayRef dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
    return with_mean("std_mean", input, dim, correction, keepdim, true);
}

} // namespace reel
