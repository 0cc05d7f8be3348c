// An `if` behind an `if` on which it depends.
#include <optional>

#include "lower.hpp"

namespace reel::jit::emit {

namespace {

std::optional<bool> constant_bool(const Value* v) {
    const Node* n = v->node();
    if (n->kind() != prim::Constant || !n->has("value") || !n->value().isBool()) return std::nullopt;
    return n->value().toBool();
}

bool stands_in(const Node* n, const Block* block) {
    for (const Block* b = n->owning_block(); b; b = b->owning_node() ? b->owning_node()->owning_block() : nullptr)
        if (b == block) return true;
    return false;
}

/// In `inside`, the results of `n` are what its branch `from` gives.
void use_branch_values(Node* n, Block* from, Block* inside) {
    for (std::size_t i = 0; i < n->outputs().size(); ++i) {
        const std::vector<Use> uses = n->output(i)->uses();
        for (const Use& u : uses) {
            const bool is_inside = u.user == inside->return_node() || stands_in(u.user, inside);
            if (is_inside) u.user->replace_input(u.offset, from->outputs()[i]);
        }
    }
}

/// True when the `if` behind `first` became part of it.
bool merge(Node* first, const std::set<const Value*>& flags) {
    Node* second = first->next();
    if (first->kind() != prim::If || !second || second->kind() != prim::If) return false;
    const Value* condition = second->input();
    if (condition->node() != first) return false;
    const Value *true_flag = first->block(0)->outputs()[condition->offset()],
                *false_flag = first->block(1)->outputs()[condition->offset()];
    if (!flags.contains(true_flag) || !flags.contains(false_flag)) return false; // the program's own variable
    const auto when_true = constant_bool(true_flag), when_false = constant_bool(false_flag);
    if (!when_true || !when_false || *when_true == *when_false) return false;
    for (const bool branch : {true, false}) {
        Block* to = first->block(branch ? 0 : 1);
        Block* from = second->block((branch ? *when_true : *when_false) ? 0 : 1);
        use_branch_values(first, to, from);
        while (Node* moved = from->first()) moved->move_before(to->return_node());
        for (Value* v : from->outputs()) to->add_output(v);
    }
    for (Value* v : second->outputs()) {
        Value* merged = first->add_output(v->type());
        if (!v->name().empty()) merged->set_name(v->name());
        v->replace_all_uses_with(merged);
    }
    second->destroy();
    return true;
}

} // namespace

void merge_branches(Block* block, const std::set<const Value*>& flags) {
    for (Node* n = block->first(); n;) {
        for (Block* inner : n->blocks()) merge_branches(inner, flags);
        if (!merge(n, flags)) n = n->next();
    }
}

} // namespace reel::jit::emit
