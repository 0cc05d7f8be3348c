#include "run/liveness.hpp"

namespace reel::jit {

namespace {
bool is_constant(const Value* v) { return v->node()->kind() == prim::Constant; }

/// What a block and those within it use but do not make.
void collect_uses(const Block* block, std::unordered_set<const Value*>& used) {
    for (const Node* n = block->first(); n; n = n->next()) {
        for (const Value* const v : n->inputs()) used.insert(v);
        for (const Block* const b : n->blocks()) collect_uses(b, used);
    }
    for (const Value* const v : block->outputs()) used.insert(v);
}
void drop_own(const Block* block, std::unordered_set<const Value*>& used) {
    for (const Value* const v : block->inputs()) used.erase(v);
    for (const Node* n = block->first(); n; n = n->next()) {
        for (const Value* const v : n->outputs()) used.erase(v);
        for (const Block* const b : n->blocks()) drop_own(b, used);
    }
}
} // namespace

Liveness::Liveness(const Graph& graph) {
    Set live;
    visit_block(graph.block(), live);
}

// Everything goes backwards: what is not live behind a use is used there for the last time.

void Liveness::use(const Node* node, Set& live) {
    for (std::size_t i = node->inputs().size(); i-- > 0;)
        if (!is_constant(node->input(i)) && live.insert(node->input(i)).second) last_.insert({node, i});
}

void Liveness::visit_block(const Block* block, Set& live) {
    use(block->return_node(), live);
    for (const Node* n = block->last(); n; n = n->prev()) {
        for (const Value* const v : n->outputs()) live.erase(v);
        if (n->kind() == prim::If) visit_if(n, live);
        else if (n->kind() == prim::Loop) visit_loop(n, live);
        use(n, live);
    }
    for (const Value* const v : block->inputs()) live.erase(v);
}

void Liveness::visit_if(const Node* node, Set& live) {
    Set in_else = live;
    visit_block(node->block(0), live);
    visit_block(node->block(1), in_else);
    for (const Value* const v : live)
        if (!in_else.contains(v)) at_start_[node->block(1)].push_back(v);
    for (const Value* const v : in_else)
        if (live.insert(v).second) at_start_[node->block(0)].push_back(v);
}

void Liveness::visit_loop(const Node* node, Set& live) {
    Set outer;
    collect_uses(node->block(0), outer);
    drop_own(node->block(0), outer);
    for (const Value* const v : outer)
        if (!is_constant(v) && live.insert(v).second) behind_[node].push_back(v);
    Set inside = live;
    visit_block(node->block(0), inside);
}

} // namespace reel::jit
