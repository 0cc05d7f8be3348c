// Nearness and selection by a condition.
#include <reel/autograd/kernels/where.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/record.hpp>

#include "ops/pointwise/run.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

/// |input - other| <= atol + rtol |other|; equal infinities are close, NaNs with `equal_nan`.
REEL_OP("isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
        not_differentiable, method)
Tensor isclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
    REEL_CHECK(input.scalar_type() == other.scalar_type(), "isclose: input is ", dtype_name(input.scalar_type()),
               " and other is ", dtype_name(other.scalar_type()), "; expected one dtype");
    REEL_CHECK(rtol >= 0, "isclose: rtol is ", rtol, "; expected a number that is not negative");
    REEL_CHECK(atol >= 0, "isclose: atol is ", atol, "; expected a number that is not negative");
    const NoGradGuard guard;
    Tensor close = input == other;
    if (isDifferentiableType(input.scalar_type()) && equal_nan)
        close = logical_or(close, logical_and(isnan(input), isnan(other)));
    if (rtol == 0 && atol == 0) return close;
    const bool whole = isIntegralType(input.scalar_type(), true);
    const Tensor x = whole ? input.to(get_default_dtype()) : input, o = whole ? other.to(get_default_dtype()) : other;
    const Tensor allowed = abs(o * rtol) + atol, difference = abs(x - o);
    return logical_or(close, logical_and(isfinite(difference), difference <= allowed));
}

} // namespace reel
