// Which nodes are written inside the expression of their user (rule SC-70).
#pragma once

#include <unordered_set>

#include <reel/script/graph.hpp>

namespace reel::jit {

/// Constants stand wherever they are used, whatever the order of effects.
bool is_constant(const Node* n);

/// Nodes whose result goes into the expression of its one user, where that changes no order of evaluation: walking back
/// from a user, its operands, last one first, must be just the nodes before it.
class InlinePlan {
public:
    void add(const Block& block);
    bool has(const Node* n) const { return inlined_.contains(n); }

private:
    const Node* scan_node(const Node* n);
    const Node* scan_operand(const Node* point, const Value* v);
    std::unordered_set<const Node*> inlined_;
};

} // namespace reel::jit
