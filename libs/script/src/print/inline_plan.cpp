#include "inline_plan.hpp"

namespace reel::jit {

namespace {

const Node* before(const Node* n) {
    const Block* b = n->owning_block();
    n = n == b->return_node() ? b->last() : n->prev();
    while (n && is_constant(n)) n = n->prev();
    return n;
}

bool may_be_inlined(const Value* v) {
    const Node* n = v->node();
    if (n->outputs().size() != 1 || v->uses().size() != 1 || !n->blocks().empty()) return false;
    const Use use = v->uses()[0];
    // Somebody gave it a name; which a result does not need.
    if (!v->name().empty() && use.user->kind() != prim::Return) return false;
    // What a loop carries is assigned before its count and condition are looked at.
    if (use.user->kind() == prim::Loop && use.offset >= 2) return false;
    if (use.user->kind() == prim::fork) return false; // its body may use it more than once
    // In a condition it would narrow its operand's type, which the casts beside it do already.
    return n->kind() != prim::isinstance;
}

} // namespace

bool is_constant(const Node* n) { return n->kind() == prim::Constant; }

void InlinePlan::add(const Block& block) {
    scan_node(block.return_node());
    for (const Node* n = block.last(); n; n = n->prev()) {
        scan_node(n);
    }
}

const Node* InlinePlan::scan_node(const Node* n) {
    if (has(n)) return n;
    for (const Block* b : n->blocks()) {
        add(*b);
    }
    const Node* point = before(n);
    for (std::size_t i = n->inputs().size(); i-- > 0;) {
        point = scan_operand(point, n->input(i));
    }
    return point;
}

const Node* InlinePlan::scan_operand(const Node* point, const Value* v) {
    const Node* n = v->node();
    if (is_constant(n)) {
        inlined_.insert(n);
    } else if (n == point && may_be_inlined(v)) {
        point = scan_node(n);
        inlined_.insert(n);
    }
    return point;
}

} // namespace reel::jit
