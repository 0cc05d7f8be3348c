// What the tape asks of the nodes of built-in ops, whose type record.cpp keeps to itself.
#pragma once

#include <reel/autograd/node.hpp>
#include <reel/autograd/saved_variable.hpp>

namespace reel::autograd {

/// Looks at what a built-in node saved, without using it: a node that no gradient reached runs too (E-20), so it fails
/// once its tensors are released, and unpack hooks run.
void look_at_saved(Node& n);
/// Stands entry `i` of a built-in node's saved tensors for an operand that was absent, rather than released?
bool saved_was_absent(const Node& n, std::size_t i);
/// Entry `i` of what a built-in node saved; null for other nodes and beyond the end.
SavedVariable* saved_entry(Node& n, std::size_t i);

} // namespace reel::autograd
