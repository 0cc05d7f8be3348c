// Calls replaced by bodies (rule SC-66).
#include "passes.hpp"

namespace reel::jit {
namespace passes {

namespace {

constexpr int max_depth = 1000;

Function* callee_of(const Node* n) {
    if (n->kind() == prim::CallFunction) {
        const Node* f = n->input(0)->node();
        return f->kind() == prim::Constant && f->has("function") ? std::get<Function*>(f->attribute("function"))
                                                                 : nullptr;
    }
    if (n->kind() != prim::CallMethod) return nullptr;
    const TypePtr& self = n->input(0)->type();
    // An interface does not tell whose method it is.
    return self->kind() == TypeKind::Class ? static_cast<const ClassType&>(*self).find_method(n->text()) : nullptr;
}

class Inliner {
public:
    void block(Block& b) {
        for (Node *n = b.first(), *next; n; n = next) {
            next = n->next();
            if (Function* f = callee_of(n)) replace(n, *f);
            else {
                for (Block* inner : n->blocks()) {
                    block(*inner);
                }
            }
        }
    }

private:
    void replace(Node* n, Function& callee) {
        const std::shared_ptr<Graph> body = body_of(callee);
        const std::size_t first = n->kind() == prim::CallFunction ? 1 : 0;
        std::unordered_map<const Value*, Value*> map;
        for (std::size_t i = 0; i < body->inputs().size(); ++i) {
            map[body->inputs()[i]] = n->input(first + i);
        }
        const auto results = n->graph()->copy_block_into(*body->block(), n->owning_block(), n, map);
        for (std::size_t i = 0; i < n->outputs().size() && i < results.size(); ++i) {
            Value* old = n->output(i);
            // A result of the body gets the caller's name for it.
            if (!old->name().empty()) results[i]->set_name(old->name());
            old->replace_all_uses_with(results[i]);
        }
        Value* function = first ? n->input(0) : nullptr;
        n->destroy();
        if (function && function->uses().empty()) function->node()->destroy();
    }

    // The callee as the reference inlines it: its own calls inlined, and cleaned. Each is made once.
    std::shared_ptr<Graph> body_of(Function& callee) {
        if (auto it = bodies_.find(&callee); it != bodies_.end()) return it->second;
        REEL_CHECK(++depth_ <= max_depth, "inlined_graph: calls nest deeper than ", max_depth);
        auto body = callee.graph()->copy();
        block(*body->block());
        peephole(*body);
        fold_constants(*body);
        pool_constants(*body);
        --depth_;
        bodies_.emplace(&callee, body);
        return body;
    }

    int depth_ = 0;
    std::unordered_map<Function*, std::shared_ptr<Graph>> bodies_;
};

} // namespace

void inline_calls(Graph& graph) { Inliner().block(*graph.block()); }

} // namespace passes

std::shared_ptr<Graph> Function::inlined_graph() {
    if (!inlined_) {
        auto graph = this->graph()->copy();
        passes::inline_calls(*graph);
        inlined_ = std::move(graph);
    }
    return inlined_;
}

} // namespace reel::jit
