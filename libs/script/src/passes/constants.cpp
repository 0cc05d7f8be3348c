// Pooling: one node for every distinct constant.
#include "passes.hpp"

#include "../ir/literal.hpp"

namespace reel::jit::passes {

namespace {

// Tensors are equal only as the same object; immutable values by type and text.
std::string key_of(const Node* n) {
    std::string key = n->output()->type()->annotation_str() + "|";
    if (n->has("function")) return key + std::get<Function*>(n->attribute("function"))->qualified_name();
    const IValue& value = n->value();
    if (value.isList() || value.isGenericDict()) // shared and mutable: each is its own
        return key + "node " + std::to_string(reinterpret_cast<std::uintptr_t>(n));
    if (!value.isTensor()) return key + literal(value, true);
    const Tensor& t = value.toTensor();
    return key + (t.defined() ? "tensor " + std::to_string(reinterpret_cast<std::uintptr_t>(t.unsafeGetTensorImpl()))
                              : "none");
}

void pool(Block& b, Graph& graph, std::unordered_map<std::string, Node*>& known) {
    for (Node *n = b.first(), *next; n; n = next) {
        next = n->next();
        for (Block* inner : n->blocks()) {
            pool(*inner, graph, known);
        }
        if (n->kind() != prim::Constant) continue;
        auto [it, fresh] = known.try_emplace(key_of(n), n);
        if (!fresh) {
            n->output()->replace_all_uses_with(it->second->output());
            n->destroy();
        } else if (n != graph.block()->first()) {
            n->move_before(graph.block()->first());
        }
    }
}

} // namespace

void pool_constants(Graph& graph) {
    std::unordered_map<std::string, Node*> known;
    pool(*graph.block(), graph, known);
}

} // namespace reel::jit::passes
