// Constant folding as the reference does it when it compiles (rule SC-67).
#include <algorithm>

#include <reel/script/operator.hpp>

#include "effects.hpp"
#include "passes.hpp"

namespace reel::jit::passes {

namespace {

bool is_constant(const Value* v) { return v->node()->kind() == prim::Constant && v->node()->has("value"); }

// The condition of a branch or the count of a loop, where it is known.
const IValue* constant_value(const Value* v) { return is_constant(v) ? &v->node()->value() : nullptr; }

bool equal_constants(const Value* a, const Value* b) {
    if (!is_constant(a) || !is_constant(b) || !a->type()->equals(*b->type())) return false;
    const IValue &x = a->node()->value(), &y = b->node()->value();
    return x.kind() == y.kind() && !x.isList() && !x.isGenericDict() && x.is(y);
}

// What a node that the interpreter knows itself gives for constants; none where it is not folded.
std::optional<std::vector<IValue>> run_own_kind(const Node* n, const std::vector<IValue>& in) {
    const Symbol kind = n->kind();
    if (kind == prim::TupleConstruct) return {{IValue::tuple(in)}};
    if (kind == prim::TupleUnpack) return in[0].elements();
    if (kind == prim::unchecked_cast) return {{in[0]}};
    if (kind == prim::EnumName && is_enum(in[0])) return {{IValue(to_enum(in[0]).name())}};
    if (kind == prim::EnumValue && is_enum(in[0])) return {{to_enum(in[0]).value()}};
    if (kind == prim::TupleIndex && in[1].isInt()) {
        const auto& elements = in[0].elements();
        const auto size = std::int64_t(elements.size());
        const std::int64_t i = in[1].toInt() < 0 ? in[1].toInt() + size : in[1].toInt();
        if (i >= 0 && i < size) return {{elements[std::size_t(i)]}};
    }
    return std::nullopt;
}

std::optional<std::vector<IValue>> results_of(const Node* n) {
    std::vector<IValue> in;
    for (const Value* v : n->inputs()) {
        in.push_back(v->node()->value());
    }
    if (!n->op()) return run_own_kind(n, in);
    if (!n->op()->run || n->op()->schema.is_vararg) return std::nullopt; // the reference leaves `format` as it is
    try {
        IValue result = n->op()->run(in);
        if (n->outputs().size() == 1) return {{result}};
        if (n->outputs().empty()) return std::vector<IValue>();
        return result.elements();
    } catch (const Error&) {
        return std::nullopt; // it is raised when the program comes there
    }
}

class Folder {
public:
    explicit Folder(Graph& graph) : graph_(graph) {}
    bool changed = false;

    void block(Block& b) {
        for (Node *n = b.first(), *next; n; n = next) {
            next = n->next();
            node(n);
        }
    }

private:
    void node(Node* n) {
        const bool has_inputs = !n->inputs().empty() || n->kind() == prim::TupleConstruct; // `()`
        const bool known = has_inputs && std::all_of(n->inputs().begin(), n->inputs().end(), is_constant);
        if (n->kind() == prim::If) {
            const IValue* condition = constant_value(n->input());
            if (condition && condition->isBool()) return take_branch(n, condition->toBool() ? 0 : 1);
            for (Block* b : n->blocks()) {
                block(*b);
            }
            drop_equal_results(n);
        } else if (n->kind() == prim::Loop) {
            if (never_runs(n)) return drop_loop(n);
            block(*n->block(0));
            drop_unchanged_results(n);
        } else if (known && may_be_folded(n)) {
            fold(n);
        } else {
            for (Block* b : n->blocks()) {
                block(*b);
            }
        }
    }

    static bool may_be_folded(const Node* n) {
        const auto immutable = [](const Value* v) { return !is_mutable(*v->type()); };
        return n->blocks().empty() && n->kind() != prim::Constant && !has_side_effects(n) && !n->outputs().empty() &&
               std::all_of(n->inputs().begin(), n->inputs().end(), immutable) &&
               std::all_of(n->outputs().begin(), n->outputs().end(), immutable);
    }

    void fold(Node* n) {
        const auto results = results_of(n);
        if (!results || results->size() != n->outputs().size()) return;
        changed = true;
        graph_.set_insert_point(n);
        for (std::size_t i = 0; i < results->size(); ++i) {
            const TypePtr& declared = n->output(i)->type();
            const IValue& value = (*results)[i];
            // None keeps its `T?`, a named tuple its name.
            const bool keep = value.isNone() || !declared->name().empty();
            const SourceRange range = n->range();
            Value* constant = graph_.insert_constant(value, keep ? declared : type_of(value), range);
            if (!n->output(i)->name().empty()) constant->set_name(n->output(i)->name());
            n->output(i)->replace_all_uses_with(constant);
        }
        n->destroy();
    }

    void take_branch(Node* n, std::size_t which) {
        changed = true;
        Block* taken = n->block(which);
        block(*taken);
        while (Node* first = taken->first()) {
            first->move_before(n);
        }
        for (std::size_t i = 0; i < n->outputs().size(); ++i) {
            n->output(i)->replace_all_uses_with(taken->outputs()[i]);
        }
        n->destroy();
    }

    // Results that both branches agree on.
    void drop_equal_results(Node* n) {
        for (std::size_t i = 0; i < n->outputs().size();) {
            Value *a = n->block(0)->outputs()[i], *b = n->block(1)->outputs()[i];
            if (a != b && equal_constants(a, b)) {
                graph_.set_insert_point(n);
                a = b = graph_.insert_constant(a->node()->value(), a->type());
            }
            if (a != b) {
                ++i;
                continue;
            }
            changed = true;
            n->output(i)->replace_all_uses_with(a);
            n->erase_output(i);
            for (Block* block : n->blocks()) {
                block->erase_output(i);
            }
        }
    }

    static bool never_runs(const Node* n) {
        const IValue *count = constant_value(n->input(0)), *condition = constant_value(n->input(1));
        return (count && count->isInt() && count->toInt() <= 0) ||
               (condition && condition->isBool() && !condition->toBool());
    }

    void drop_loop(Node* n) {
        changed = true;
        for (std::size_t i = 0; i < n->outputs().size(); ++i) {
            n->output(i)->replace_all_uses_with(n->input(i + 2));
        }
        n->destroy();
    }

    // What a loop carries without changing it.
    void drop_unchanged_results(Node* n) {
        Block* body = n->block(0);
        for (std::size_t i = n->outputs().size(); i-- > 0;) {
            Value* carried = body->inputs()[i + 1];
            if (carried != body->outputs()[i + 1]) continue;
            changed = true;
            body->erase_output(i + 1);
            n->output(i)->replace_all_uses_with(n->input(i + 2));
            carried->replace_all_uses_with(n->input(i + 2));
            n->erase_output(i);
            n->remove_input(i + 2);
            body->erase_input(i + 1);
        }
    }

    Graph& graph_;
};

} // namespace

void fold_constants(Graph& graph) {
    Folder folder(graph);
    folder.block(*graph.block());
    if (folder.changed) eliminate_dead_code(graph);
    graph.set_insert_point(graph.block());
}

} // namespace reel::jit::passes
