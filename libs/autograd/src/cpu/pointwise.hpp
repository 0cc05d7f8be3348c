// The tables through which pointwise ops find their inner loops.
#pragma once

#include <reel/autograd/dtype.hpp>
#include <reel/autograd/pointwise/rule.hpp>

#include "cpu/strided.hpp"

namespace reel::cpu {

/// Loops of one op by compute dtype; floating entries are set per instruction set when the library is loaded.
struct LoopTable {
    Loop forward[num_scalar_types] = {};
    Loop backward[num_scalar_types] = {}; ///< fused derivative: (gx; g, saved)
};
template <class Op> inline constinit LoopTable loop_table{};

} // namespace reel::cpu
