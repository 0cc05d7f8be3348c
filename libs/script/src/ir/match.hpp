// Which overload a node of a graph's text calls: its kind and its operands tell.
#pragma once

#include <reel/script/graph.hpp>
#include <reel/script/operator.hpp>

namespace reel::jit {

/// The first overload that takes the node's operands; null when there is none (kinds of the interpreter).
const Operator* match_operator(const Node& node);

} // namespace reel::jit
