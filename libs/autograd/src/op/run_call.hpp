// What becomes of a call of an op that nobody takes.
#pragma once

#include <reel/autograd/op_calls.hpp>

namespace reel::ops {

/// Calls the schema's function. What leaves a call by name as an error speaks of it so.
Value run_call(const OpCall& call);

/// The options of a factory that writes into `out`, a tensor: dtype and device are the tensor's unless `said` has them.
Value options_like(const Value& out, const Value& said);

} // namespace reel::ops
