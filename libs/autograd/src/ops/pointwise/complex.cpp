// The parts of complex numbers, and conjugation.
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/pointwise/complex.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

namespace reel {

using namespace pointwise;

/// The real part: a view of complex input, real input itself.
REEL_OP("real(Tensor input) -> Tensor", composite, view)
Tensor real(const Tensor& input) { return input.is_complex() ? select(view_as_real(input), -1, 0) : input; }
/// The imaginary part, a view; complex input only.
REEL_OP("imag(Tensor input) -> Tensor", composite, view)
Tensor imag(const Tensor& input) {
    REEL_CHECK(input.is_complex(), "imag: input is ", dtype_name(input.scalar_type()),
               "; only complex tensors have an imaginary part");
    return select(view_as_real(input), -1, 1);
}

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
