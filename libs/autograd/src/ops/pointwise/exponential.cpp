// Exponentials, logarithms, the error function: ops over the scalar rules.
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/pointwise/exponential.hpp>

#include "ops/pointwise/rule_host.hpp"

namespace reel {

using namespace pointwise;

REEL_OP("exp(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor exp(const Tensor& input) { return unary_op("exp", exp_op{}, input); }

REEL_OP("exp2(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.exp2"))
Tensor exp2(const Tensor& input) { return unary_op("exp2", exp2_op{}, input); }

REEL_OP("expm1(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.expm1"))
Tensor expm1(const Tensor& input) { return unary_op("expm1", expm1_op{}, input); }

REEL_OP("log(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor log(const Tensor& input) { return unary_op("log", log_op{}, input); }

REEL_OP("log2(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor log2(const Tensor& input) { return unary_op("log2", log2_op{}, input); }

REEL_OP("log10(Tensor input) -> Tensor", rule, method, out, inplace)
Tensor log10(const Tensor& input) { return unary_op("log10", log10_op{}, input); }

REEL_OP("log1p(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.log1p"))
Tensor log1p(const Tensor& input) { return unary_op("log1p", log1p_op{}, input); }

REEL_OP("erf(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.erf"))
Tensor erf(const Tensor& input) { return unary_op("erf", erf_op{}, input); }

REEL_OP("erfc(Tensor input) -> Tensor", rule, method, out, inplace, alias("special.erfc"))
Tensor erfc(const Tensor& input) { return unary_op("erfc", erfc_op{}, input); }

} // namespace reel
