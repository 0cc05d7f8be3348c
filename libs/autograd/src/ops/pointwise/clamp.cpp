// Bounds: clamp and its halves, nan_to_num.
#include <limits>

#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp> // of the rules
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/pointwise/clamp.hpp>

#include "ops/pointwise/run.hpp"
#include "tensor/number_range.hpp"

namespace reel {

using namespace pointwise;
using autograd::record;

namespace {

bool is_number(const Tensor& bound) { return !bound.defined() || bound.impl()->is_wrapped_number; }
/// Numbers bound without a gradient of their own: it passes strictly between them.
Tensor between_numbers(const Tensor& g, const Tensor& x, const Tensor& low, const Tensor& high) {
    if (!high.defined()) return where(x > low, g, 0);
    if (!low.defined()) return where(x < high, g, 0);
    return where(logical_and(x > low, x < high), g, 0);
}
/// Tensors share evenly with the operand that they equal. `less(a, b)` is the order in which the bound is the least.
template <class Less> GradList one_bound_rule(RuleContext& c, Less less) {
    const Tensor x = c.saved(0), bound = c.saved(1), shared = where(x == bound, c.grad() * 0.5, c.grad());
    return {c.needs(0) ? masked_fill(shared, less(x, bound), 0) : Tensor(),
            c.needs(1) ? masked_fill(shared, less(bound, x), 0) : Tensor()};
}
/// The same for two bounds; where they meet the operand has the gradient, where they cross the upper one.
GradList two_bounds_rule(RuleContext& c) {
    const Tensor x = c.saved(0), low = c.saved(1), high = c.saved(2), &g = c.grad();
    const Tensor apart = low < high, half = g * 0.5, at_low = logical_and(apart, x == low),
                 at_high = logical_and(apart, x == high), below = x<low, above = x> high;
    const auto pick = [&](const Tensor& all, const Tensor& tie) { return where(all, g, where(tie, half, 0)); };
    return {c.needs(0) ? masked_fill(where(logical_or(at_low, at_high), half, g), logical_or(below, above), 0)
                       : Tensor(),
            c.needs(1) ? pick(logical_and(low <= high, below), at_low) : Tensor(),
            c.needs(2) ? pick(logical_or(above, low > high), at_high) : Tensor()};
}
Tensor clamp_between(const char* name, const Tensor& input, const Tensor& min, const Tensor& max) {
    REEL_CHECK(min.defined() || max.defined(), name, ": both min and max are None; expected at least one");
    const Tensor y = !max.defined()   ? evaluate(name, clamp_min_op{}, input, min)
                     : !min.defined() ? evaluate(name, clamp_max_op{}, input, max)
                                      : evaluate(name, clamp_op{}, input, min, max);
    if (is_number(min) && is_number(max)) {
        record(name, {input}, y, {input, min, max}, [](RuleContext& c) -> GradList {
            return {between_numbers(c.grad(), c.saved(0), c.saved(1), c.saved(2))};
        });
    } else if (!max.defined()) {
        record(name, {input, min}, y, {input, min}, [](RuleContext& c) -> GradList {
            return one_bound_rule(c, [](const Tensor& a, const Tensor& b) { return a < b; });
        });
    } else if (!min.defined()) {
        record(name, {input, max}, y, {input, max}, [](RuleContext& c) -> GradList {
            return one_bound_rule(c, [](const Tensor& a, const Tensor& b) { return a > b; });
        });
    } else record(name, {input, min, max}, y, {input, min, max}, two_bounds_rule);
    return y;
}
/// Bounds of integers that their dtype does not hold: those that bind nothing become its extremes, others would have to
/// be results.
struct NumberBounds {
    std::optional<Scalar> min, max;

    NumberBounds(const char* op, const Tensor& input, std::optional<Scalar> low, std::optional<Scalar> high)
        : min(low), max(high) {
        const auto range = reel::detail::integer_range(input.scalar_type());
        if (!range || (min && !min->isIntegral(true)) || (max && !max->isIntegral(true))) return; // of a wider dtype
        const auto refuse = [&](const char* which, const Scalar& bound) {
            REEL_THROW(ValueError, op, ": ", which, " is ", bound, ", no number of ", dtype_name(input.scalar_type()),
                       ", which reaches from ", range->low, " to ", range->high,
                       "; convert input to a wider dtype first");
        };
        if (min && min->toLong() > range->high) refuse("min", *min);
        if (max && max->toLong() < range->low) refuse("max", *max);
        if (min && min->toLong() < range->low) min = range->low;
        if (max && max->toLong() > range->high) max = range->high;
    }
    Tensor lower() const { return min ? reel::detail::wrapped_number(*min) : Tensor(); }
    Tensor upper() const { return max ? reel::detail::wrapped_number(*max) : Tensor(); }
};
Tensor clamp_between(const char* name, const Tensor& input, const NumberBounds& bounds) {
    return clamp_between(name, input, bounds.lower(), bounds.upper());
}

} // namespace

/// min(max(x, min), max); bounds broadcast and get gradients where they bind.
REEL_OP("clamp(Tensor input, Tensor? min=None, Tensor? max=None) -> Tensor", rule, method, out, inplace, alias("clip"))
Tensor clamp(const Tensor& input, const Tensor& min, const Tensor& max) {
    return clamp_between("clamp", input, min, max);
}
REEL_OP("clamp(Tensor input, Scalar? min=None, Scalar? max=None) -> Tensor", rule, method, out, inplace,
        samples(call(numbers({4, 3}), -0.5, 0.5), call(numbers({4, 3}), -0.5, 0.5).as("clip"),
                call(spread(-2, 2)).with("min", 0.2)))
Tensor clamp(const Tensor& input, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
    return clamp_between("clamp", input, {"clamp", input, min, max});
}
REEL_OP("clamp_min(Tensor input, Tensor min) -> Tensor", rule, method, out, inplace)
Tensor clamp_min(const Tensor& input, const Tensor& min) { return clamp_between("clamp_min", input, min, {}); }
REEL_OP("clamp_min(Tensor input, Scalar min) -> Tensor", rule, method, out, inplace)
Tensor clamp_min(const Tensor& input, const Scalar& min) {
    return clamp_between("clamp_min", input, {"clamp_min", input, min, {}});
}
REEL_OP("clamp_max(Tensor input, Tensor max) -> Tensor", rule, method, out, inplace)
Tensor clamp_max(const Tensor& input, const Tensor& max) { return clamp_between("clamp_max", input, {}, max); }
REEL_OP("clamp_max(Tensor input, Scalar max) -> Tensor", rule, method, out, inplace)
Tensor clamp_max(const Tensor& input, const Scalar& max) {
    return clamp_between("clamp_max", input, {"clamp_max", input, {}, max});
}

/// NaN becomes `nan`, infinities `posinf` and `neginf`: by default 0 and the dtype's extremes. Integers stay.
REEL_OP("nan_to_num(Tensor input, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", rule, method,
        out, inplace)
Tensor nan_to_num(const Tensor& input, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
    const ScalarType t = input.scalar_type();
    if (isIntegralType(t, true)) return input.clone();
    const double largest = t == kHalf                          ? 65504
                           : t == kBFloat16                    ? 3.3895313892515355e38
                           : t == kFloat || t == kComplexFloat ? double(std::numeric_limits<float>::max())
                                                               : std::numeric_limits<double>::max();
    const double for_nan = nan.value_or(0), high = posinf.value_or(largest), low = neginf.value_or(-largest);
    return apply("nan_to_num", nan_to_num_op(for_nan, high, low), input);
}

} // namespace reel
