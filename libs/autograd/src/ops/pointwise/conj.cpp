// Conjugation, and what resolves it.
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/pointwise/complex.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

namespace reel {

using namespace pointwise;

/// Conjugation, never lazy; real tensors are returned as they are.
REEL_OP("conj(Tensor input) -> Tensor", rule, method)
Tensor conj(const Tensor& input) { return input.is_complex() ? apply("conj", conj_op{}, input) : input; }
REEL_OP("conj_physical(Tensor input) -> Tensor", rule, method, out_exact, inplace)
Tensor conj_physical(const Tensor& input) {
    return input.is_complex() ? apply("conj_physical", conj_op{}, input) : input;
}
/// There are no lazily conjugated or negated tensors: returns `input`.
REEL_OP("resolve_conj(Tensor input) -> Tensor", composite, method)
Tensor resolve_conj(const Tensor& input) { return input; }
REEL_OP("resolve_neg(Tensor input) -> Tensor", composite, method)
Tensor resolve_neg(const Tensor& input) { return input; }
REEL_OP("positive(Tensor input) -> Tensor", composite, method)
Tensor positive(const Tensor& input) {
    REEL_CHECK(input.scalar_type() != kBool, "positive: not defined for bool tensors");
    return input;
}

} // namespace reel
