// Small rewrites that types alone allow.
#include "effects.hpp"
#include "passes.hpp"

namespace reel::jit::passes {

namespace {

bool is_none(const Value* v) {
    return v->type()->kind() == TypeKind::None ||
           (v->node()->kind() == prim::Constant && v->node()->has("value") && v->node()->value().isNone());
}

bool never_none(const Value* v) {
    switch (v->type()->kind()) {
    case TypeKind::None:
    case TypeKind::Optional:
    case TypeKind::Any:
    case TypeKind::Union:
    case TypeKind::Var:
        return false;
    default:
        return true;
    }
}

// `x is None`, `x is not None` where one side is None and the other one cannot or must be.
std::optional<bool> none_check(const Node* n) {
    const bool is = n->kind().is("aten::__is__");
    if (!is && !n->kind().is("aten::__isnot__")) return std::nullopt;
    const Value *a = n->input(0), *b = n->input(1);
    if (is_none(a) && is_none(b)) return is;
    if ((is_none(a) && never_none(b)) || (is_none(b) && never_none(a))) return !is;
    return std::nullopt;
}

std::optional<bool> constant_bool(const Value* v) {
    const Node* n = v->node();
    if (n->kind() != prim::Constant || !n->has("value") || !n->value().isBool()) return std::nullopt;
    return n->value().toBool();
}

bool replace(Value* old, Value* by) {
    const bool used = !old->uses().empty();
    old->replace_all_uses_with(by);
    return used;
}

// `c and True`: the result is the condition.
bool replace_by_condition(Node* n) {
    bool changed = false;
    for (std::size_t i = 0; i < n->outputs().size(); ++i) {
        if (constant_bool(n->block(0)->outputs()[i]) == true && constant_bool(n->block(1)->outputs()[i]) == false)
            changed |= replace(n->output(i), n->input());
    }
    return changed;
}

// What can only be None is the constant.
bool replace_nones(Node* n, Graph& graph) {
    bool changed = false;
    if (n->kind() == prim::Constant) return false;
    for (Value* v : n->outputs()) {
        if (v->type()->kind() != TypeKind::None || v->uses().empty()) continue;
        graph.set_insert_point(n);
        changed |= replace(v, graph.insert_constant({}, Type::None(), n->range()));
    }
    return changed;
}

// A number that became a tensor and is made a number again.
bool undo_tensor(Node* n) {
    const bool to_int = n->kind().is("aten::Int") || n->kind().is("aten::IntImplicit");
    const bool to_float = n->kind().is("aten::Float") || n->kind().is("aten::FloatImplicit");
    const bool to_any = n->kind().is("aten::ScalarImplicit");
    if ((!to_int && !to_float && !to_any) || n->input()->node()->kind() != prim::NumToTensor) return false;
    Value* number = n->input()->node()->input();
    const TypeKind kind = number->type()->kind();
    const bool same = to_any || (to_int ? kind == TypeKind::Int : kind == TypeKind::Float);
    return same && replace(n->output(), number);
}

// `2 * n` and `1 + n` of integers: the constant goes behind.
bool put_constant_behind(Node* n) {
    if (!n->kind().is("aten::mul") && !n->kind().is("aten::add")) return false;
    if (n->inputs().size() != 2 || n->output()->type()->kind() != TypeKind::Int) return false;
    Value *a = n->input(0), *b = n->input(1);
    if (a->node()->kind() != prim::Constant || b->node()->kind() == prim::Constant) return false;
    n->replace_input(0, b);
    n->replace_input(1, a);
    return true;
}

// The reference takes the result of a convolution for a batch.
bool fold_dim(Node* n, Graph& graph) {
    static constexpr std::pair<std::string_view, std::int64_t> convolutions[] = {
        {"aten::conv1d", 3}, {"aten::conv2d", 4}, {"aten::conv3d", 5}};
    if (!n->kind().is("aten::dim")) return false;
    for (auto [name, dims] : convolutions) {
        if (!n->input()->node()->kind().is(name)) continue;
        graph.set_insert_point(n);
        return replace(n->output(), graph.insert_constant(dims, nullptr, n->range()));
    }
    return false;
}

// The length of a list that is built here and that nobody can write to.
bool fold_length(Node* n, Graph& graph) {
    if (!n->kind().is("aten::len") || n->input()->node()->kind() != prim::ListConstruct) return false;
    for (const Use& u : n->input()->uses()) {
        if (!u.user->op() || writes(u.user, u.offset)) return false;
        for (const Value* v : u.user->outputs()) {
            if (v->type()->kind() != TypeKind::Tensor && is_mutable(*v->type())) return false;
        }
    }
    graph.set_insert_point(n);
    const auto length = std::int64_t(n->input()->node()->inputs().size());
    return replace(n->output(), graph.insert_constant(length, nullptr, n->range()));
}

// `n // 1` of integers.
bool drop_division(Node* n) {
    if (!n->kind().is("aten::floordiv") || n->output()->type()->kind() != TypeKind::Int) return false;
    const Node* by = n->input(1)->node();
    const bool is_one =
        by->kind() == prim::Constant && by->has("value") && by->value().isInt() && by->value().toInt() == 1;
    return is_one && n->input(0)->type()->kind() == TypeKind::Int && replace(n->output(), n->input(0));
}

// Whether something changed.
bool rewrite(Node* n, Graph& graph) {
    bool changed = replace_nones(n, graph);
    changed |=
        undo_tensor(n) || put_constant_behind(n) || fold_dim(n, graph) || fold_length(n, graph) || drop_division(n);
    if (auto answer = none_check(n)) {
        graph.set_insert_point(n);
        return replace(n->output(), graph.insert_constant(*answer, nullptr, n->range())) || changed;
    }
    if (n->kind() == prim::If) return replace_by_condition(n) || changed;
    const bool is_cast = n->kind() == prim::unchecked_cast && n->input()->type()->is_subtype_of(*n->output()->type());
    const bool is_unwrap = n->kind().is("aten::_unwrap_optional") && never_none(n->input());
    return ((is_cast || is_unwrap) && replace(n->output(), n->input())) || changed;
}

bool rewrite(Block& b, Graph& graph) {
    bool changed = false;
    for (Node *n = b.first(), *next; n; n = next) {
        next = n->next();
        for (Block* inner : n->blocks()) {
            changed |= rewrite(*inner, graph);
        }
        changed |= rewrite(n, graph);
    }
    return changed;
}

} // namespace

void peephole(Graph& graph) {
    if (rewrite(*graph.block(), graph)) eliminate_dead_code(graph);
    graph.set_insert_point(graph.block());
}

} // namespace reel::jit::passes
