// What non-full backward hooks will miss in a call (B-43).
#pragma once

#include <reel/autograd/node.hpp>
#include <reel/nn/module.hpp>

namespace reel::nn::detail {

/// Warns when hooks on `node` alone, which made the first tensor of `result`, cannot see the module's gradients whole:
/// structures around tensors, several nodes behind the results, several nodes between arguments and results. The last
/// is a heuristic, which also warns of one operation on a leaf.
void warn_of_legacy_hooks(const Module& m, const Args& args, const Value& result, const autograd::Node& node);

} // namespace reel::nn::detail
