// Variables become values.
#include <algorithm>
#include <map>

#include "environment.hpp"
#include "lower.hpp"

namespace reel::jit::emit {

namespace {

/// What a variable holds, and the type that it was declared to have, which may be wider.
struct Variable {
    Value* value;
    TypePtr type;
};
/// The values of variables in a block, behind them those of the blocks around it.
struct Variables {
    Variables* outer = nullptr;
    std::map<std::string, Variable> own;

    const Variable* known(const std::string& name) const {
        for (const Variables* v = this; v; v = v->outer)
            if (const auto found = v->own.find(name); found != v->own.end()) return &found->second;
        return nullptr;
    }
    Value* find(const std::string& name) const {
        const Variable* v = known(name);
        return v ? v->value : nullptr;
    }
    void set(const std::string& name, Value* v) { own[name] = {v, v->type()}; }
};

TypePtr stored_type(const Node* store) {
    return store->has("types") ? std::get<std::vector<TypePtr>>(store->attribute("types")).at(0)
                               : store->input()->type();
}

/// The names that a block sets, with the type that all its values of that name have in common.
void stored_names(Block* block, std::map<std::string, TypePtr>& names) {
    for (Node* n = block->first(); n; n = n->next()) {
        if (n->kind() == pending::store) {
            const TypePtr type = stored_type(n);
            auto [slot, is_new] = names.emplace(n->text(), type);
            if (!is_new)
                if (auto both = unify(slot->second, type)) slot->second = *both;
        }
        if (n->kind() == prim::fork) continue;
        for (Block* inner : n->blocks()) stored_names(inner, names);
    }
}

/// Values from outside of a block stand for themselves in its copies.
void keep_outside(const Block& block, std::unordered_map<const Value*, Value*>& map) {
    const auto keep = [&](const std::vector<Value*>& values) {
        for (Value* v : values) map.emplace(v, v);
    };
    for (const Node* n = block.first(); n; n = n->next()) {
        keep(n->inputs());
        for (const Block* inner : n->blocks()) keep_outside(*inner, map);
    }
    keep(block.outputs());
}

class Joins {
public:
    Joins(Graph& graph, const std::set<Block*>& leaving) : graph_(graph), leaving_(leaving) {}

    void block(Block* b, Variables& variables) {
        for (Node* n = b->first(); n;) n = node(n, variables);
    }

private:
    struct Loop {
        Node* node;
        std::vector<std::string> carried;
    };

    /// Treats a node; gives the one to go on with.
    Node* node(Node* n, Variables& variables) {
        Node* const next = n->next();
        if (n->kind() == pending::load) {
            n->output()->replace_all_uses_with(variables.find(n->text()));
            n->destroy();
        } else if (n->kind() == pending::store) {
            variables.own[n->text()] = {n->input(), stored_type(n)};
            n->destroy();
        } else if (n->kind() == prim::If) branch(n, variables);
        else if (n->kind() == prim::Loop) return loop(n, variables);
        else if (n->kind() == prim::fork) {
            Variables inner{&variables, {}};
            std::vector<Loop> around = std::exchange(loops_, {});
            block(n->block(0), inner);
            loops_ = std::move(around);
        } else if (n->kind() == pending::stop) return stop(n, variables);
        else if (n->kind() == pending::next) return go_on(n, variables);
        return next;
    }

    Value* uninitialized(Block* at, const TypePtr& type) {
        Node* n = graph_.create(prim::Uninitialized);
        n->output()->set_type(type);
        at->append(n);
        return n->output();
    }

    void branch(Node* n, Variables& variables) {
        Variables when_true{&variables, {}}, when_false{&variables, {}};
        block(n->block(0), when_true);
        block(n->block(1), when_false);
        const bool true_leaves = leaving_.contains(n->block(0)), false_leaves = leaving_.contains(n->block(1));
        if (true_leaves && false_leaves) return;
        std::set<std::string> names;
        for (const Variables* v : {&when_true, &when_false})
            for (const auto& [name, value] : v->own) names.insert(name);
        for (const std::string& name : names) {
            const Variable* a = true_leaves ? nullptr : when_true.known(name);
            const Variable* b = false_leaves ? nullptr : when_false.known(name);
            if ((!a && !true_leaves) || (!b && !false_leaves)) continue;
            auto both = a && b ? unify(a->type, b->type) : (a ? a : b)->type;
            const Variable* before = both ? nullptr : variables.known(name);
            if (before && a->type->is_subtype_of(*before->type) && b->type->is_subtype_of(*before->type))
                both = before->type;
            if (!both) continue;
            n->block(0)->add_output(a ? a->value : uninitialized(n->block(0), *both));
            n->block(1)->add_output(b ? b->value : uninitialized(n->block(1), *both));
            Value* out = n->add_output(*both);
            if (is_meaningful(name)) out->set_name(name);
            variables.set(name, out);
        }
    }

    /// Copies the condition's nodes before `before` (null: to the end of `to`); gives its value, and the first copy.
    std::pair<Value*, Node*> copy_condition(Node* loop_node, Block* to, Node* before) {
        Node* const left_of = before ? before->prev() : to->last();
        std::unordered_map<const Value*, Value*> map;
        keep_outside(*loop_node->block(1), map);
        Value* value = graph_.copy_block_into(*loop_node->block(1), to, before, map).at(0);
        Node* first = left_of ? left_of->next() : to->first();
        return {value, first == before ? nullptr : first};
    }
    /// Treats the nodes from `first` up to `end`; gives what `value` became.
    Value* treat(Node* first, Node* end, Value* value, Variables& variables) {
        // The value may come from a load that goes: a node holds it meanwhile.
        Node* holder = graph_.create(prim::Return, {value}, 0);
        for (Node* n = first; n && n != end;) n = node(n, variables);
        Value* result = holder->input();
        holder->destroy();
        return result;
    }

    Node* loop(Node* n, Variables& variables) {
        Node* const next = n->next();
        std::map<std::string, TypePtr> stored;
        stored_names(n->block(0), stored);
        auto [before, first] = copy_condition(n, n->owning_block(), n);
        n->add_input(treat(first, n, before, variables));
        Block* body = n->block(0);
        Variables inner{&variables, {}};
        Loop current{n, {}};
        for (const auto& [name, type] : stored) {
            const Variable* outside = variables.known(name);
            if (!outside) continue;
            const TypePtr carried = unify(outside->type, type).value_or(outside->type);
            current.carried.push_back(name);
            n->add_input(outside->value);
            inner.set(name, body->add_input(is_meaningful(name) ? name : std::string(), carried));
        }
        loops_.push_back(current);
        for (Node* inside = body->first(); inside;) inside = node(inside, inner);
        auto [again, copied] = copy_condition(n, body, nullptr);
        body->add_output(treat(copied, nullptr, again, inner));
        loops_.pop_back();
        for (std::size_t i = 0; i < current.carried.size(); ++i) {
            const std::string& name = current.carried[i];
            body->add_output(inner.find(name));
            Value* out = n->add_output(body->inputs()[i + 1]->type());
            if (is_meaningful(name)) out->set_name(name);
            variables.set(name, out);
        }
        n->erase_block(1);
        return next;
    }

    /// Puts `proceed` in the place of a jump.
    Node* proceed(Node* jump, Value* condition, Variables& variables) {
        Node* const next = jump->next();
        Node* n = graph_.create(pending::proceed, {condition}, 0);
        n->set_range(jump->range());
        n->insert_before(jump);
        for (const std::string& name : loops_.back().carried) n->add_input(variables.find(name));
        jump->destroy();
        return next;
    }
    Node* stop(Node* n, Variables& variables) {
        graph_.set_insert_point(n);
        return proceed(n, graph_.insert_constant(false), variables);
    }
    Node* go_on(Node* n, Variables& variables) {
        auto [value, first] = copy_condition(loops_.back().node, n->owning_block(), n);
        return proceed(n, treat(first, n, value, variables), variables);
    }

    Graph& graph_;
    const std::set<Block*>& leaving_;
    std::vector<Loop> loops_;
};

} // namespace

void join_variables(Graph& graph, const std::set<Block*>& leaving) {
    Variables variables;
    Joins(graph, leaving).block(graph.block(), variables);
}

} // namespace reel::jit::emit
