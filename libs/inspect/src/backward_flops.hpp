// How many floating operations a backward node spends, estimated from shapes.
#pragma once

#include <reel/autograd/tape_view.hpp>

namespace reel::inspect {

/// On the gradient of operand `edge` alone: products by their shapes, all else one per element.
double flops_of_edge(const autograd::TapeView& view, const autograd::TapeNode& node, std::size_t edge);
/// On what every operand needs: a recurrent layer goes back through its steps.
double flops_of_node(const autograd::TapeNode& node);

} // namespace reel::inspect
