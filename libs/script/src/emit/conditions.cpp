// Conditions: their values, and what they tell about variables (rule SC-35).
#include <algorithm>

#include "emitter.hpp"
#include "library.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

namespace {

Refinements both(const Refinements& a, const Refinements& b) {
    Refinements all = a;
    for (const Refinement& r : b) {
        std::erase_if(all, [&](const Refinement& other) { return other.name == r.name; });
        all.push_back(r);
    }
    return all;
}

Refinements either(const Refinements& a, const Refinements& b) {
    Refinements common;
    for (const Refinement& r : a)
        for (const Refinement& other : b)
            if (r.name == other.name)
                if (auto type = unify(r.type, other.type)) common.push_back({r.name, *type});
    return common;
}

enum class Noneness { Always, Maybe, Never };

Noneness noneness(const Type& t) {
    if (t.kind() == TypeKind::None) return Noneness::Always;
    const bool maybe = t.kind() == TypeKind::Optional || t.kind() == TypeKind::Any ||
                       (t.kind() == TypeKind::Union && Type::None()->is_subtype_of(t));
    return maybe ? Noneness::Maybe : Noneness::Never;
}

/// The members of a type that may be one of several.
std::vector<TypePtr> members(const TypePtr& t) {
    if (t->kind() == TypeKind::Union) return t->contained();
    if (t->kind() == TypeKind::Optional) {
        auto inner = members(t->contained()[0]);
        inner.push_back(Type::None());
        return inner;
    }
    return {t};
}

TypePtr one_of(const std::vector<TypePtr>& types) {
    if (types.empty()) return nullptr;
    return types.size() == 1 ? types[0] : Type::Union(types);
}

} // namespace

void Emitter::refine(const Refinements& refinements, const SourceRange& range) {
    for (const Refinement& r : refinements) {
        const TypePtr type = frame_->find_value(r.name);
        if (!type) continue;
        Node* n = graph_.create(prim::unchecked_cast, {load(r.name, type, range)});
        n->set_range(range);
        n->output()->set_type(r.type);
        graph_.insert_node(n);
        assign(r.name, n->output(), nullptr, range);
    }
}

Condition Emitter::condition(const Expr& e) {
    if (e.kind == ExprKind::Unary && e.text == "not") {
        Condition c = condition(e[0]);
        std::swap(c.if_true, c.if_false);
        if (c.known) c.known = !*c.known;
        c.value = call_operator(graph_, at(e), "aten::__not__", {{c.value}, {}});
        return c;
    }
    if (e.kind == ExprKind::And || e.kind == ExprKind::Or) return short_circuit(e);
    if (e.kind == ExprKind::Binary && (e.text == "is" || e.text == "is not")) return none_check(e);
    if (e.kind == ExprKind::Binary && e.text == "not in") {
        Value* searched = value(e[0]);
        Value* container = value(e[1]);
        Value* found = container->type()->kind() == TypeKind::Class
                           ? call_method(container, "__contains__", {{searched}, {}}, at(e))
                           : call_overloads({"aten::__contains__"}, {{container, searched}, {}}, at(e));
        return {call_operator(graph_, at(e), "aten::__not__", {{found}, {}}), {}, {}, {}};
    }
    if (e.kind == ExprKind::Call)
        if (auto c = known_call(e)) return *c;
    Value* v = to_bool(value(e), at(e));
    const IValue* known = constant_of(v); // of two branches one alone is then compiled
    return {v, {}, {}, known && known->isBool() ? std::optional(known->toBool()) : std::nullopt};
}

Condition Emitter::short_circuit(const Expr& e) {
    const bool is_or = e.kind == ExprKind::Or;
    const Condition left = condition(e[0]);
    Condition right;
    const auto constant_side = [&] { return constant(is_or, at(e)); };
    const auto other_side = [&] {
        right = condition(e[1]);
        return right.value;
    };
    Condition c;
    c.value = is_or ? choose(at(e), left, constant_side, other_side, false)
                    : choose(at(e), left, other_side, constant_side, false);
    c.if_true = is_or ? either(left.if_true, right.if_true) : both(left.if_true, right.if_true);
    c.if_false = is_or ? both(left.if_false, right.if_false) : either(left.if_false, right.if_false);
    const auto decided = [&](const Condition& side) { return side.known && *side.known == is_or; };
    if (decided(left) || decided(right)) c.known = is_or;
    else if (left.known && right.known) c.known = !is_or;
    return c;
}

Condition Emitter::none_check(const Expr& e) {
    const bool is = e.text == "is";
    Value* left = value(e[0]);
    Value* right = value(e[1]);
    const Noneness a = noneness(*left->type()), b = noneness(*right->type());
    Condition c;
    if (a == Noneness::Always && b == Noneness::Always) c.known = is;
    else if ((a == Noneness::Always && b == Noneness::Never) || (a == Noneness::Never && b == Noneness::Always))
        c.known = !is;
    if (c.known) {
        c.value = constant(*c.known, at(e));
        return c;
    }
    c.value = call_operator(graph_, at(e), is ? "aten::__is__" : "aten::__isnot__", {{left, right}, {}});
    const Expr* tested = b == Noneness::Always ? &e[0] : a == Noneness::Always ? &e[1] : nullptr;
    Value* v = tested == &e[0] ? left : right;
    if (!tested || tested->kind != ExprKind::Name) return c;
    std::vector<TypePtr> present = members(v->type());
    std::erase_if(present, [](const TypePtr& t) { return t->kind() == TypeKind::None; });
    TypePtr type = v->type()->kind() == TypeKind::Optional ? v->type()->contained()[0] : one_of(present);
    if (type && v->type()->kind() != TypeKind::Any) (is ? c.if_false : c.if_true).push_back({tested->text, type});
    return c;
}

namespace {

/// What a value's type and the types that `isinstance` asks for tell of each other.
struct Asked {
    std::vector<TypePtr> fitting, rest; ///< members of the value's type, narrowed to what was asked for; the others
    bool always = true;                 ///< every member is of a type that was asked for
};

Asked compare(const TypePtr& type, const std::vector<TypePtr>& asked) {
    Asked found;
    for (const TypePtr& member : members(type)) {
        if (member->kind() == TypeKind::Any) {
            const bool of_anything = asked.size() == 1 && asked[0]->kind() == TypeKind::Any;
            return {asked, {member}, of_anything};
        }
        const auto narrower = std::ranges::find_if(asked, [&](const TypePtr& a) { return a->is_subtype_of(*member); });
        if (std::ranges::any_of(asked, [&](const TypePtr& a) { return member->is_subtype_of(*a); })) {
            found.fitting.push_back(member);
        } else {
            // a class may stand behind an interface
            if (narrower != asked.end()) found.fitting.push_back(*narrower);
            if (narrower == asked.end() || member->kind() == TypeKind::Interface) found.rest.push_back(member);
            found.always = false;
        }
    }
    return found;
}

} // namespace

Condition Emitter::instance_check(const Expr& e) {
    if (e.operands.size() != 3) fail(e, "isinstance expects 2 arguments");
    Value* v = value(e[1]);
    std::vector<TypePtr> asked;
    const auto add = [&](const Expr& t) {
        const std::string path = dotted_path(t);
        asked.push_back(path == "list"    ? Type::AnyList()
                        : path == "tuple" ? Type::AnyTuple()
                                          : annotated_type(context_, t));
    };
    if (e[2].kind == ExprKind::Tuple)
        for (const auto& t : e[2].operands) add(*t);
    else add(e[2]);
    if (const TypePtr all = one_of(asked);
        all && all->kind() == TypeKind::Union && all->contained().size() == asked.size())
        asked = all->contained(); // in the order of a union's members
    const Asked found = compare(v->type(), asked);
    Condition c;
    if (e[1].kind == ExprKind::Name) {
        if (TypePtr t = one_of(found.fitting)) c.if_true.push_back({e[1].text, t});
        if (TypePtr t = one_of(found.rest)) c.if_false.push_back({e[1].text, t});
    }
    if (found.fitting.empty() || found.always) {
        c.known = !found.fitting.empty();
        c.value = constant(*c.known, at(e));
        return c;
    }
    Node* n = graph_.create(prim::isinstance, {v});
    n->set_range(at(e));
    n->set("types", asked);
    n->output()->set_type(Type::Bool());
    c.value = graph_.insert_node(n)->output();
    return c;
}

std::optional<Condition> Emitter::known_call(const Expr& e) {
    if (e[0].kind != ExprKind::Name && e[0].kind != ExprKind::Attribute) return std::nullopt;
    const std::string path = dotted_path(e[0]);
    const bool shadowed = frame_->find_value(path) || frame_->find_meaning(path);
    if (shadowed) return std::nullopt;
    if (path == "isinstance" || path == "torch.jit.isinstance") return instance_check(e);
    if (path == "hasattr" && e.operands.size() == 3 && e[2].kind == ExprKind::String) {
        const bool has = has_attribute(*value(e[1])->type(), e[2].text);
        return Condition{constant(has, at(e)), {}, {}, has};
    }
    if (path == "torch.jit.is_scripting") return Condition{constant(true, at(e)), {}, {}, true};
    if (path == "torch.jit.is_tracing") return std::nullopt;
    return std::nullopt;
}

Value* Emitter::to_bool(Value* v, const SourceRange& range) {
    const auto call = [&](const char* op, Value* operand) { return call_operator(graph_, range, op, {{operand}, {}}); };
    switch (v->type()->kind()) {
    case TypeKind::Bool:
        return v;
    case TypeKind::Tensor:
    case TypeKind::Int:
    case TypeKind::Float:
        return call("aten::Bool", v);
    case TypeKind::String:
    case TypeKind::List:
    case TypeKind::Dict: {
        Value* length = call("aten::len", v);
        return call_operator(graph_, range, "aten::gt", {{length, constant(std::int64_t(0), range)}, {}});
    }
    case TypeKind::Class: {
        if (has_attribute(*v->type(), "__bool__")) return call_method(v, "__bool__", {}, range);
        if (has_attribute(*v->type(), "__len__")) return call("aten::Bool", call_method(v, "__len__", {}, range));
        break;
    }
    default:
        break;
    }
    fail(range, "Could not cast value of type " + type_name(*v->type()) + " to bool");
}

} // namespace reel::jit::emit
