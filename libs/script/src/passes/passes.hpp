// What is done to graphs between the emitter and the interpreter. Each pass keeps the graph valid; none changes what a
// run gives (rules SC-57, SC-66, SC-67).
#pragma once

#include <reel/script/function.hpp>

namespace reel::jit::passes {

/// What the reference does to every function that it compiles, in its order: tuples, pooling, folding, pooling, the
/// order of outputs. A graph that comes from source text is printed and run as this leaves it.
void clean_up(Graph& graph);

/// Drops nodes without effects whose results nobody uses, and results of branches and loops that nobody uses. Writes to
/// values that nobody can see any more are such nodes too.
void eliminate_dead_code(Graph& graph);
/// Runs nodes whose operands are constants of immutable types (rule SC-67), takes branches and loops on constant
/// conditions, removes results that do not vary. Where that changed something, dead code is dropped.
void fold_constants(Graph& graph);
/// One node for every distinct constant, at the graph's begin.
void pool_constants(Graph& graph);
/// Taking apart a tuple that is built in the same graph gives its elements. Dead code is dropped.
void lower_simple_tuples(Graph& graph);
/// Puts the results of branches and loops in the order in which they are used first.
void canonicalize_outputs(Graph& graph);
/// Small rewrites that types allow: checks for None whose answer they give, casts to the type that a value has,
/// conditions that are their own result, numbers that became tensors and numbers again. Where there were such, dead
/// code is dropped.
void peephole(Graph& graph);
/// Replaces calls by the bodies of what they call, cleaned as the reference does (rule SC-66). Calls through interfaces
/// and those in bodies of `fork` remain. Throws Error when calls nest deeper than 1000.
void inline_calls(Graph& graph);

} // namespace reel::jit::passes
