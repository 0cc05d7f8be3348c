// From what the emitter leaves to a graph whose values alone carry the data: variables become values of blocks, jumps
// become branches.
#pragma once

#include <set>

#include <reel/script/graph.hpp>

namespace reel::jit::emit {

/// All of the following, in order. `leaving`: blocks whose end is never reached, by `return`, `break`, `raise`.
void lower(Graph& graph, const std::set<Block*>& leaving);

/// Loads and stores become values; variables that branches and loops set become their results (rule SC-36). `break` and
/// `continue` take the values that the loop carries along; conditions of loops move to where they are evaluated.
void join_variables(Graph& graph, const std::set<Block*>& leaving);
/// `break`, `continue` and early `return` become flags and values that may be uninitialized (rule SC-47).
void lower_jumps(Graph& graph);
/// An `if` on what the `if` just before it tells in both of its branches becomes part of it.
void merge_branches(Block* block, const std::set<const Value*>& flags);
/// A counted loop that may end early becomes a `while` that counts.
void unfold_counted_loops(Block* block);
/// `[]` that nobody asked another type of is a list of tensors.
void settle_empty_lists(Block* block);
/// Bodies of `fork` become graphs of their own.
void lift_forks(Block* block);

} // namespace reel::jit::emit
