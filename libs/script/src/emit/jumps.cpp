// Jumps become branches: behind what may have jumped, the rest of a block runs only if it has not.
#include <algorithm>
#include <map>

#include "environment.hpp"
#include "lower.hpp"

namespace reel::jit::emit {

namespace {

enum class Status { Never, Maybe, Always, Throws };

/// Whether a block has jumped, and with what values.
struct Jump {
    Status status = Status::Never;
    Value* jumped = nullptr; ///< a bool of the graph where it is not known
    std::vector<Value*> values;
};

void replace_outputs(Block* b, const std::vector<Value*>& values) {
    while (!b->outputs().empty()) b->erase_output(b->outputs().size() - 1);
    for (Value* v : values) b->add_output(v);
}

/// Takes away one kind of jump: `proceed` goes to the end of the innermost loop's body, `leave` to that of the graph or
/// of a fork's body.
class Jumps {
public:
    Jumps(Graph& graph, Symbol kind) : graph_(graph), kind_(kind) {
        graph_.set_insert_point(graph_.block()->first() ? graph_.block()->first() : graph_.block()->return_node());
        true_ = graph_.insert_constant(true);
        false_ = graph_.insert_constant(false);
        thrown_ = uninitialized(Type::Bool()); // first of all, as the reference has it: printed text shows the order
    }

    Jump block(Block* b) {
        Block* const outer_target = target_;
        if (is_target(b)) target_ = b;
        Jump jump;
        for (Node* n = b->first(); n; n = n->next()) {
            jump = node(n);
            if (jump.status == Status::Always || jump.status == Status::Throws) {
                drop_behind(b, n);
                break;
            }
            if (jump.status == Status::Maybe) {
                if (n->next()) jump = guard(b, jump, n->next());
                break;
            }
        }
        if (target_ == b) jump = land(b, jump);
        target_ = outer_target;
        return jump;
    }

    /// The constants that say whether a branch has jumped.
    std::set<const Value*> flags() const { return {true_, false_}; }

private:
    bool is_target(Block* b) const {
        const Node* owner = b->owning_node();
        if (kind_ == pending::proceed) return owner && owner->kind() == prim::Loop;
        return !owner || owner->kind() == prim::fork;
    }

    Jump node(Node* n) {
        if (n->kind() == prim::RaiseException) return {Status::Throws, thrown_, {}};
        if (n->kind() == kind_) return {Status::Always, true_, n->inputs()};
        if (n->kind() == prim::If) {
            const Jump when_true = block(n->block(0)), when_false = block(n->block(1));
            return join(n, when_true, when_false);
        }
        if (n->kind() == prim::Loop) return loop(n);
        if (n->kind() == pending::with) return block(n->block(0));
        if (n->kind() == prim::fork) block(n->block(0));
        return {};
    }

    Value* uninitialized(const TypePtr& type) {
        for (const auto& [known, value] : uninitialized_)
            if (known->equals(*type)) return value;
        const bool none = type->kind() == TypeKind::None; // of which there is one value alone
        Node* n = graph_.create(none ? prim::Constant : prim::Uninitialized);
        if (none) n->set("value", IValue());
        n->output()->set_type(type);
        graph_.block()->prepend(n);
        uninitialized_.emplace_back(type, n->output());
        return n->output();
    }
    std::vector<Value*> uninitialized(const std::vector<Value*>& like) {
        std::vector<Value*> values;
        for (const Value* v : like) values.push_back(uninitialized(v->type()));
        return values;
    }

    /// Takes away what stands behind `n`, which is never reached; and `n` itself, where it is the jump. From the end,
    /// so that what is taken away has no users but the block's results.
    void drop_behind(Block* b, Node* n) {
        while (b->last() != n) {
            Node* dropped = b->last();
            for (Value* v : dropped->outputs())
                if (!v->uses().empty()) v->replace_all_uses_with(uninitialized(v->type()));
            dropped->destroy();
        }
        if (n->kind() == kind_) n->destroy();
    }

    /// Adds results to a branch and gives them.
    static std::vector<Value*> add_results(Node* n, const std::vector<Value*>& when_true,
                                           const std::vector<Value*>& when_false) {
        std::vector<Value*> results;
        for (std::size_t i = 0; i < when_true.size(); ++i) {
            n->block(0)->add_output(when_true[i]);
            n->block(1)->add_output(when_false[i]);
            const TypePtr &a = when_true[i]->type(), &b = when_false[i]->type();
            const auto both = unify(a, b); // what has nothing in common is results of a function that says `Union`
            results.push_back(n->add_output(both ? *both : Type::Union({a, b})));
        }
        return results;
    }

    Jump join(Node* n, Jump a, Jump b) {
        const auto never = [](const Jump& j) { return j.status == Status::Never; };
        const auto throws = [](const Jump& j) { return j.status == Status::Throws; };
        if (throws(a) && throws(b)) return a;
        if ((never(a) || throws(a)) && (never(b) || throws(b))) return {};
        if (never(a) || throws(a)) a.values = uninitialized(b.values);
        if (never(b) || throws(b)) b.values = uninitialized(a.values);
        Jump jump;
        const auto settled = [&](const Jump& j) { return j.status == Status::Always || throws(j); };
        if (settled(a) && settled(b)) {
            jump.status = Status::Always;
            jump.jumped = true_;
        } else {
            jump.status = Status::Maybe;
            const auto flag = [&](const Jump& j) { return never(j) ? false_ : j.jumped; };
            jump.jumped = add_results(n, {flag(a)}, {flag(b)}).at(0);
        }
        jump.values = add_results(n, a.values, b.values);
        return jump;
    }

    Jump guard(Block* b, const Jump& jump, Node* rest) {
        Node* n = graph_.create(prim::If, {jump.jumped}, 0);
        n->insert_before(rest);
        Block* jumped = n->add_block();
        Block* goes_on = n->add_block();
        for (Node* moved = rest; moved;) {
            Node* const following = moved->next();
            moved->move_before(goes_on->return_node());
            moved = following;
        }
        const std::vector<Value*> outputs = b->outputs();
        const std::vector<Value*> nothing = uninitialized(outputs);
        replace_outputs(b, {});
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            jumped->add_output(nothing[i]);
            goes_on->add_output(outputs[i]);
            Value* out = n->add_output(outputs[i]->type());
            b->add_output(out);
        }
        Jump already{Status::Always, true_, jump.values};
        const Jump later = block(goes_on);
        return join(n, already, later);
    }
    Jump loop(Node* n) {
        Block* body = n->block(0);
        const Jump jump = block(body);
        if (jump.status == Status::Never || jump.status == Status::Throws) return {};
        // The loop ends when the body has jumped out of it.
        Node* stop = graph_.create(prim::If, {jump.jumped}, 0);
        body->append(stop);
        stop->add_block()->add_output(false_);
        stop->add_block()->add_output(body->outputs().at(0));
        body->return_node()->replace_input(0, stop->add_output(Type::Bool()));
        const auto carry = [&](Value* initial, Value* value) {
            n->add_input(initial);
            body->add_input({}, value->type());
            body->add_output(value);
            return n->add_output(value->type());
        };
        Jump out{Status::Maybe, carry(false_, jump.jumped), {}};
        for (Value* v : jump.values) out.values.push_back(carry(uninitialized(v->type()), v));
        return out;
    }

    /// At the block that the jumps go to: the values are its results.
    Jump land(Block* b, const Jump& jump) {
        if (jump.status == Status::Always) replace_outputs(b, jump.values);
        else if (jump.status == Status::Maybe) {
            Node* n = graph_.create(prim::If, {jump.jumped}, 0);
            b->append(n);
            n->add_block();
            n->add_block();
            const std::vector<Value*> outputs = b->outputs();
            replace_outputs(b, add_results(n, jump.values, outputs));
        }
        return {};
    }

    Graph& graph_;
    Symbol kind_;
    std::vector<std::pair<TypePtr, Value*>> uninitialized_;
    Block* target_ = nullptr;
    Value *true_, *false_;
    Value* thrown_; ///< whether what has thrown has jumped: nobody comes to ask
};

/// Puts what stands between `Enter` and its `Exit` into the block of a node, so that a jump out of it passes `Exit`.
void wrap_withs(Graph& graph, Block* b) {
    std::vector<Node*> open;
    for (Node* n = b->first(); n;) {
        Node* const next = n->next();
        for (Block* inner : n->blocks()) wrap_withs(graph, inner);
        if (n->kind() == prim::Enter) open.push_back(n);
        else if (n->kind() == prim::Exit && !open.empty()) {
            Node* with = graph.create(pending::with, {}, 0);
            Block* body = with->add_block();
            with->insert_after(open.back());
            while (with->next() != n) with->next()->move_before(body->return_node());
            // The exit belongs to the node until the jumps are gone.
            n->move_before(with->add_block()->return_node());
            open.pop_back();
        }
        n = next;
    }
}

void unwrap_withs(Block* b) {
    for (Node* n = b->first(); n;) {
        Node* const next = n->next();
        for (Block* inner : n->blocks()) unwrap_withs(inner);
        if (n->kind() == pending::with) {
            for (Block* inner : n->blocks()) {
                while (Node* moved = inner->first()) moved->move_before(n);
            }
            n->destroy();
        }
        n = next;
    }
}

} // namespace

void lower_jumps(Graph& graph) {
    wrap_withs(graph, graph.block());
    std::set<const Value*> flags;
    for (const Symbol kind : {pending::proceed, pending::leave}) {
        Jumps jumps(graph, kind);
        jumps.block(graph.block());
        flags.merge(jumps.flags());
    }
    merge_branches(graph.block(), flags);
    unwrap_withs(graph.block());
}

} // namespace reel::jit::emit
