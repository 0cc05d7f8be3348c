// Loops of the derivatives of fused rules of two operands, and the table in which their nodes find them.
#pragma once

#include <reel/autograd/pointwise/loop.hpp>

namespace reel::pointwise {

/// By compute dtype, (gradient; g, a, b); null where there are none.
struct GradientLoops {
    Loop first[num_scalar_types] = {}, second[num_scalar_types] = {};
};
template <class Op> inline constinit GradientLoops gradient_loops{};

/// Does the rule of two operands say `static constexpr bool fused = true`?
template <class Op>
inline constexpr bool has_fused_gradients = [] {
    if constexpr (Op::operands != 2) return false;
    else if constexpr (requires { Op::fused; }) return bool(Op::fused);
    else return false;
}();

} // namespace reel::pointwise
