// What nodes saved, as values of the tape: for tools that look at forward after it ran.
#pragma once

#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd::impl {

/// What the node of an op saved, each with its place on the tape restored: an operand leads to the edge that it came
/// by, the node's own result to the node. Undefined: absent, released, or changed since. Empty for nodes of other
/// kinds.
std::vector<Tensor> saved_with_history(Node& node);

} // namespace reel::autograd::impl
