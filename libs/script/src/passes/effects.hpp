// What nodes do beside giving results, and which values may be the same memory.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include <reel/script/graph.hpp>

namespace reel::jit::passes {

/// Whether a value of the type can change, or hold one that can.
bool is_mutable(const Type& type);
/// Whether the node may do what is seen outside of its results: prints, raises, sets attributes, calls.
bool has_side_effects(const Node* n);
/// Whether it changes the value of one of its operands.
bool writes(const Node* n);
bool writes(const Node* n, std::size_t operand);

/// Values in one class may share memory or contain each other. The classes are coarse: what cannot be told is one.
class AliasClasses {
public:
    explicit AliasClasses(const Graph& graph);
    const Value* of(const Value* v);
    /// Whether somebody outside of the graph may see the value: its inputs, attributes, what calls gave.
    bool is_seen_outside(const Value* v) { return seen_outside_.contains(of(v)); }

private:
    void add_block(const Block& b);
    void add_node(const Node* n);
    void join(const Value* a, const Value* b);
    void join_all(const Node* n);
    void join_written(const Node* n); ///< what a node writes, with its results
    void see(const Value* v);
    std::unordered_map<const Value*, const Value*> parent_;
    std::unordered_set<const Value*> seen_outside_;
};

} // namespace reel::jit::passes
