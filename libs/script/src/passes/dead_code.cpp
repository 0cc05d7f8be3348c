// Dead code: what has no effect and no user.
#include "effects.hpp"
#include "passes.hpp"

namespace reel::jit::passes {

namespace {

class DeadCode {
public:
    explicit DeadCode(Graph& graph) : graph_(graph), aliases_(graph) {}

    void run() {
        // Marking goes on until nothing new is live: a write is, when what it writes to turns out to be.
        mark_operands(graph_.block()->return_node());
        do {
            changed_ = false;
            mark_block(*graph_.block());
        } while (changed_);
        sweep(*graph_.block());
    }

private:
    bool is_live(const Node* n) const { return live_nodes_.contains(n); }

    bool must_stay(const Node* n) {
        if (has_side_effects(n)) return true;
        for (std::size_t i = 0; i < n->inputs().size(); ++i) {
            if (!writes(n, i)) continue;
            const Value* v = n->input(i);
            if (aliases_.is_seen_outside(v) || live_classes_.contains(aliases_.of(v))) return true;
        }
        for (const Value* v : n->outputs()) {
            if (live_values_.contains(v)) return true;
        }
        return false;
    }

    // Returns whether the block has something that stays.
    bool mark_block(const Block& b) {
        bool any = false;
        for (const Node* n = b.last(); n; n = n->prev()) {
            bool stays = must_stay(n);
            for (const Block* inner : n->blocks()) {
                stays |= mark_block(*inner);
            }
            if (stays) mark_node(n);
            any |= is_live(n);
        }
        return any;
    }

    void mark_node(const Node* n) {
        if (live_nodes_.insert(n).second) changed_ = true;
        if (n->kind() == prim::If) {
            mark(n->input());
            for (std::size_t i = 0; i < n->outputs().size(); ++i) {
                if (!live_values_.contains(n->output(i))) continue;
                for (const Block* b : n->blocks()) {
                    mark(b->outputs()[i]);
                }
            }
        } else if (n->kind() == prim::Loop) {
            mark_loop(n);
        } else {
            for (const Value* v : n->inputs()) {
                mark(v);
            }
            for (const Block* b : n->blocks()) {
                mark_operands(b->return_node());
            }
        }
    }

    void mark_loop(const Node* n) {
        const Block* body = n->block(0);
        mark(n->input(0));
        mark(n->input(1));
        mark(body->outputs()[0]);
        for (std::size_t i = 0; i < n->outputs().size(); ++i) {
            if (!live_values_.contains(n->output(i)) && !live_values_.contains(body->inputs()[i + 1])) continue;
            mark(n->input(i + 2));
            mark(body->outputs()[i + 1]);
            mark(body->inputs()[i + 1]); // the next trip's
        }
    }

    void mark_operands(const Node* n) {
        for (const Value* v : n->inputs()) {
            mark(v);
        }
    }

    void mark(const Value* v) {
        if (!live_values_.insert(v).second) return;
        changed_ = true;
        live_classes_.insert(aliases_.of(v));
    }

    void sweep(Block& b) {
        for (Node *n = b.last(), *before; n; n = before) {
            before = n->prev();
            if (!is_live(n)) {
                drop(n);
                continue;
            }
            if (n->kind() == prim::If) drop_if_results(n);
            else if (n->kind() == prim::Loop) drop_loop_results(n);
            for (Block* inner : n->blocks()) {
                sweep(*inner);
            }
        }
    }

    // Users of a dead node are dead and gone, but for results of blocks that are about to go.
    void drop(Node* n) {
        while (!n->blocks().empty()) {
            n->erase_block(n->blocks().size() - 1);
        }
        n->destroy();
    }

    void drop_if_results(Node* n) {
        for (std::size_t i = n->outputs().size(); i-- > 0;) {
            if (live_values_.contains(n->output(i))) continue;
            n->erase_output(i);
            for (Block* b : n->blocks()) {
                b->erase_output(i);
            }
        }
    }

    void drop_loop_results(Node* n) {
        Block* body = n->block(0);
        std::vector<std::size_t> dead;
        for (std::size_t i = n->outputs().size(); i-- > 0;) {
            if (!live_values_.contains(n->output(i)) && !live_values_.contains(body->inputs()[i + 1]))
                dead.push_back(i);
        }
        // Results first: dead nodes of the body may use what the trip before carried.
        for (std::size_t i : dead) {
            body->erase_output(i + 1);
            n->erase_output(i);
            n->remove_input(i + 2);
        }
        sweep(*body);
        for (std::size_t i : dead) {
            body->erase_input(i + 1);
        }
    }

    Graph& graph_;
    AliasClasses aliases_;
    std::unordered_set<const Node*> live_nodes_;
    std::unordered_set<const Value*> live_values_, live_classes_;
    bool changed_ = false;
};

} // namespace

void eliminate_dead_code(Graph& graph) { DeadCode(graph).run(); }

} // namespace reel::jit::passes
