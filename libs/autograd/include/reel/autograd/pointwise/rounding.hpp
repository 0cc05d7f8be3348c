// Rounding to integers: constant between steps, so no gradient flows.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

#define REEL_ROUNDING_RULE(name, forward)                                                                              \
    struct name : unary<Result::Same, floating, Saves::Nothing> {                                                      \
        template <class T> REEL_HD T f(T x) const { return forward(x); }                                               \
        template <class T> T df(T g, T, T) const { return zeros_like(g); }                                             \
    };
REEL_ROUNDING_RULE(floor_op, floor)
REEL_ROUNDING_RULE(ceil_op, ceil)
REEL_ROUNDING_RULE(trunc_op, trunc)
/// Halves go to the even neighbour.
REEL_ROUNDING_RULE(round_op, round)
#undef REEL_ROUNDING_RULE

using rounding_unary = op_list<floor_op, ceil_op, trunc_op, round_op>;

} // namespace reel::pointwise
