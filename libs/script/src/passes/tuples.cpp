// Tuples that are built and taken apart in one graph.
#include "passes.hpp"

namespace reel::jit::passes {

namespace {

void lower(Node* n) {
    if (n->kind() != prim::TupleUnpack && n->kind() != prim::TupleIndex) return;
    const Node* built = n->input(0)->node();
    if (built->kind() != prim::TupleConstruct) return;
    if (n->kind() == prim::TupleUnpack) {
        for (std::size_t i = 0; i < n->outputs().size(); ++i) {
            n->output(i)->replace_all_uses_with(built->input(i));
        }
        return;
    }
    const Node* index = n->input(1)->node();
    if (index->kind() != prim::Constant || !index->value().isInt()) return;
    const auto size = std::int64_t(built->inputs().size());
    std::int64_t i = index->value().toInt();
    if (i < 0) i += size;
    if (i >= 0 && i < size) n->output()->replace_all_uses_with(built->input(std::size_t(i)));
}

void lower(Block& b) {
    for (Node* n = b.first(); n; n = n->next()) {
        lower(n);
        for (Block* inner : n->blocks()) {
            lower(*inner);
        }
    }
}

} // namespace

void lower_simple_tuples(Graph& graph) {
    lower(*graph.block());
    eliminate_dead_code(graph);
}

} // namespace reel::jit::passes
