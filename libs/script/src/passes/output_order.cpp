// The order of the results of branches and loops, and the passes that every compiled function goes through.
#include <algorithm>
#include <numeric>

#include "passes.hpp"

namespace reel::jit::passes {

namespace {

class OutputOrder {
public:
    explicit OutputOrder(const Graph& graph) { number(*graph.block()); }

    void block(Block& b) {
        // Backwards: the order of a node's results hangs on what comes behind it.
        for (Node* n = b.last(); n; n = n->prev()) {
            if (n->kind() == prim::If) order_if(n);
            else if (n->kind() == prim::Loop) order_loop(n);
            for (Block* inner : n->blocks()) {
                block(*inner);
            }
        }
    }

private:
    // Places in the text: a node comes before what stands in its blocks, and the first branch before the second.
    void number(const Block& b) {
        for (const Node* n = b.first(); n; n = n->next()) {
            places_[n] = next_++;
            for (const Block* inner : n->blocks()) number(*inner);
        }
        places_[b.return_node()] = next_++;
    }

    bool is_before(const Node* a, const Node* b) const { return places_.at(a) < places_.at(b); }

    bool is_before(const Use& a, const Use& b) const {
        return a.user == b.user ? a.offset < b.offset : is_before(a.user, b.user);
    }

    std::vector<std::size_t> order(const std::vector<Value*>& values) const {
        std::vector<const Use*> first(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            for (const Use& u : values[i]->uses()) {
                if (!first[i] || is_before(u, *first[i])) first[i] = &u;
            }
        }
        std::vector<std::size_t> indices(values.size());
        std::iota(indices.begin(), indices.end(), std::size_t(0));
        std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
            if (!first[a] || !first[b]) return first[a] && !first[b];
            return is_before(*first[a], *first[b]);
        });
        return indices;
    }

    static void permute_operands(Node* n, std::size_t from, const std::vector<std::size_t>& order) {
        const std::vector<Value*> before = n->inputs();
        for (std::size_t i = 0; i < order.size(); ++i) {
            n->replace_input(from + i, before[from + order[i]]);
        }
    }

    // Outputs have no place of their own to move to: new ones take the uses over.
    template <class Insert, class Erase>
    static void permute_outputs(const std::vector<Value*>& outputs, std::size_t from,
                                const std::vector<std::size_t>& order, Insert insert, Erase erase) {
        const std::vector<Value*> before = outputs;
        for (std::size_t i : order) {
            Value* old = before[from + i];
            Value* fresh = insert(old->type());
            fresh->set_name(old->name());
            old->replace_all_uses_with(fresh);
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            erase(from);
        }
    }

    void order_if(Node* n) const {
        const auto indices = order(n->outputs());
        if (std::is_sorted(indices.begin(), indices.end())) return;
        for (Block* b : n->blocks()) {
            permute_operands(b->return_node(), 0, indices);
        }
        permute_outputs(
            n->outputs(), 0, indices, [&](const TypePtr& t) { return n->add_output(t); },
            [&](std::size_t i) { n->erase_output(i); });
    }

    void order_loop(Node* n) const {
        const auto indices = order(n->outputs());
        if (std::is_sorted(indices.begin(), indices.end())) return;
        Block* body = n->block(0);
        permute_operands(n, 2, indices);
        permute_operands(body->return_node(), 1, indices);
        permute_outputs(
            body->inputs(), 1, indices, [&](const TypePtr& t) { return body->add_input(std::string(), t); },
            [&](std::size_t i) { body->erase_input(i); });
        permute_outputs(
            n->outputs(), 0, indices, [&](const TypePtr& t) { return n->add_output(t); },
            [&](std::size_t i) { n->erase_output(i); });
    }

    std::unordered_map<const Node*, std::size_t> places_;
    std::size_t next_ = 0;
};

} // namespace

void canonicalize_outputs(Graph& graph) { OutputOrder(graph).block(*graph.block()); }

void clean_up(Graph& graph) {
    lower_simple_tuples(graph);
    pool_constants(graph);
    fold_constants(graph);
    pool_constants(graph);
    canonicalize_outputs(graph);
}

} // namespace reel::jit::passes
