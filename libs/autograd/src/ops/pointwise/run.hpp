// What ops with loops of their own share with the pointwise rules.
#pragma once

#include <concepts>

#include <reel/autograd/pointwise/run_rule.hpp>

#include "tensor/promotion.hpp"
#include "tensor/raw.hpp"

namespace reel::pointwise::detail {

/// Runs a loop of two operands into `out`, which has their shape; all have one device.
void run_into(const Launch& launch, const Tensor& out, const Tensor& x, const Tensor& o);
/// `t` on the device where the result lives: a plain number or one element of the CPU's, expanded or not, follows it
/// there; others stay as they are.
Tensor following(const Tensor& t, Device where);

} // namespace reel::pointwise::detail

namespace reel::pointwise {

/// The op over `x` and a number in the second place whose gradient for x, `gradient(g, number)`, needs nothing else: no
/// tensor is made for the number, and none is saved.
template <class Op, std::invocable<const Tensor&, const Scalar&> Gradient>
Tensor apply_number(const char* name, const Op& op, const Tensor& x, const Scalar& number, Gradient gradient) {
    if (!x.is_cpu() && !x.is_meta()) return apply_number(name, op, x, number);
    const Tensor out = detail::run(detail::launch(name, op, result_type(x, number)), x, number, false);
    if (!autograd::needs_recording_of(name, out, x)) return out;
    static const Tensor absent; // has a place among the edges (T-20, T-34)
    autograd::record(name, {x, absent}, out, {},
                     [number, gradient, real = !x.is_complex()](RuleContext& c) -> GradList {
                         return {fit_gradient(gradient(c.grad(), number), !real), Tensor()};
                     });
    return out;
}

} // namespace reel::pointwise
