// Expressions to values.
#include "emitter.hpp"

#include "syntax/literals.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

Value* Emitter::value(const Expr& e, TypePtr hint) { return as_value(meaning(e, std::move(hint)), at(e)); }

Meaning Emitter::meaning(const Expr& e, TypePtr hint) {
    graph_.set_current_range(at(e));
    switch (e.kind) {
    case ExprKind::Name:
        return find(e);
    case ExprKind::Number:
        return number(e);
    case ExprKind::String:
        return constant(IValue(e.text), at(e));
    case ExprKind::True:
        return constant(true, at(e));
    case ExprKind::False:
        return constant(false, at(e));
    case ExprKind::None:
        return constant(IValue(), at(e), Type::None());
    case ExprKind::Attribute:
        return attribute(e);
    case ExprKind::Call:
        return call(e, std::move(hint));
    case ExprKind::Subscript:
        return subscript(e, std::move(hint));
    case ExprKind::Tuple:
        return tuple(e, std::move(hint));
    case ExprKind::List:
        return list(e, std::move(hint));
    case ExprKind::Dict:
        return dict(e, std::move(hint));
    case ExprKind::ListComp:
        return list_comprehension(e, std::move(hint));
    case ExprKind::DictComp:
        return dict_comprehension(e, std::move(hint));
    case ExprKind::Unary:
        return unary(e);
    case ExprKind::Binary:
        return binary(e);
    case ExprKind::And:
    case ExprKind::Or:
        return condition(e).value;
    case ExprKind::Conditional:
        return conditional(e, std::move(hint));
    case ExprKind::Starred:
        fail(e, "Unexpected starred expansion. File a bug report");
    case ExprKind::Dots:
        fail(e, "'...' is allowed in subscripts alone");
    case ExprKind::Slice:
        break;
    }
    fail(e, "a slice is allowed in subscripts alone");
}

Value* Emitter::as_value(const Meaning& m, const SourceRange& range) {
    if (const auto* v = m.as<Value*>()) return *v;
    if (const auto* f = m.as<Function*>()) {
        Node* n = graph_.create(prim::Constant);
        n->set_range(range);
        n->set("name", IValue((*f)->name()));
        n->set("function", *f);
        n->output()->set_type(Type::Function());
        return graph_.insert_node(n)->output();
    }
    if (m.as<Range>() || m.as<Joined>()) fail(range, "an iterable cannot be used as a value; loop over it");
    if (m.as<Overloads>() || m.as<SpecialForm>() || m.as<Cast>() || m.as<BoundMethod>())
        fail(range, "a function cannot be used as a value; call it");
    if (m.as<TensorCast>() || m.as<LibraryChoice>()) fail(range, "a function cannot be used as a value; call it");
    if (m.as<Nothing>()) fail(range, "None cannot be used as a value");
    if (m.as<Namespace>()) fail(range, "module cannot be used as a value");
    fail(range, "a class cannot be used as a value");
}

Value* Emitter::conditional(const Expr& e, TypePtr hint) {
    const Condition c = condition(e[1]);
    const auto when_true = [&] { return value(e[0], hint); };
    const auto when_false = [&] { return value(e[2], hint); };
    return choose(at(e), c, when_true, when_false, true);
}

Value* Emitter::tuple(const Expr& e, TypePtr hint) {
    const bool hinted = hint && hint->kind() == TypeKind::Tuple && hint->contained().size() == e.operands.size();
    std::vector<Value*> values;
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
        if (e[i].kind == ExprKind::Starred) {
            Value* starred = value(e[i][0]);
            if (starred->type()->kind() != TypeKind::Tuple)
                fail(e[i], type_name(*starred->type()) + " cannot be used as a tuple");
            for (Value* part : unpack_tuple(graph_, starred)) values.push_back(part);
        } else values.push_back(value(e[i], hinted ? hint->contained()[i] : nullptr));
    }
    return build_tuple(graph_, std::move(values));
}

Value* Emitter::list(const Expr& e, TypePtr hint) {
    TypePtr element;
    if (hint && hint->kind() == TypeKind::Optional) hint = hint->contained()[0];
    if (hint && hint->kind() == TypeKind::List) element = hint->contained()[0];
    std::vector<Value*> values;
    for (const auto& operand : e.operands) values.push_back(value(*operand, element));
    if (values.empty()) {
        if (element) return build_list(graph_, element, {});
        Node* empty = graph_.create(pending::empty);
        empty->output()->set_type(Type::List(Type::Tensor()));
        return graph_.insert_node(empty)->output();
    }
    TypePtr unified = values[0]->type();
    for (const Value* v : values) {
        unified = unify(unified, v->type()).value_or(Type::Union({unified, v->type()}));
    }
    if (element) {
        if (!unified->is_subtype_of(*element))
            fail(e, "List type annotation `" + type_name(*hint) + "` did not match the types of the given list " +
                        "elements, which were unified to " + type_name(*unified));
        unified = element;
    }
    return build_list(graph_, unified, std::move(values));
}

Value* Emitter::dict(const Expr& e, TypePtr hint) {
    if (hint && hint->kind() == TypeKind::Optional) hint = hint->contained()[0];
    TypePtr key = Type::String(), mapped = Type::Tensor();
    const bool hinted = hint && hint->kind() == TypeKind::Dict;
    if (hinted) {
        key = hint->contained()[0];
        mapped = hint->contained()[1];
    }
    std::vector<Value*> values;
    for (std::size_t i = 0; i < e.operands.size(); ++i)
        values.push_back(value(e[i], !hinted ? nullptr : i % 2 ? mapped : key));
    for (std::size_t i = 0; i < values.size() && !hinted; ++i) {
        TypePtr& slot = i % 2 ? mapped : key;
        auto both = i < 2 ? values[i]->type() : unify(slot, values[i]->type());
        if (!both && i % 2) both = Type::Union({slot, values[i]->type()});
        if (!both)
            fail(e[i], "Dict keys and values must each be of one type, but there are " + type_name(*slot) + " and " +
                           type_name(*values[i]->type()));
        slot = *both;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!values[i]->type()->is_subtype_of(i % 2 ? *mapped : *key))
            fail(e[i], "Dict type annotation `" + type_name(*Type::Dict(key, mapped)) +
                           "` did not match the type of an actual " + (i % 2 ? "value" : "key") + " type `" +
                           type_name(*values[i]->type()) + "`");
    Node* n = graph_.create(prim::DictConstruct, std::move(values));
    n->output()->set_type(Type::Dict(key, mapped));
    return graph_.insert_node(n)->output();
}

Value* Emitter::list_comprehension(const Expr& e, TypePtr hint) {
    if (hint && hint->kind() == TypeKind::Optional) hint = hint->contained()[0];
    const bool hinted = hint && hint->kind() == TypeKind::List;
    Value* made = build_list(graph_, hinted ? hint->contained()[0] : Type::Tensor(), {});
    bool typed = hinted;
    open_frame(frame_->block);
    emit_for(e[1], e[2], at(e), {context_.source, e[0].begin, e.end}, [&] {
        Value* element = value(e[0], hinted ? hint->contained()[0] : nullptr);
        if (!typed) made->set_type(Type::List(element->type()));
        typed = true;
        call_operator(graph_, at(e), "aten::append", {{made, element}, {}});
    });
    Frame inner = close_frame();
    return made;
}

Value* Emitter::dict_comprehension(const Expr& e, TypePtr hint) {
    const bool hinted = hint && hint->kind() == TypeKind::Dict;
    Node* n = graph_.insert_node(graph_.create(prim::DictConstruct));
    Value* made = n->output()->set_type(hinted ? hint : Type::Dict(Type::String(), Type::Tensor()));
    bool typed = hinted;
    open_frame(frame_->block);
    emit_for(e[2], e[3], at(e), {context_.source, e[0].begin, e.end}, [&] {
        Value* key = value(e[0]);
        Value* mapped = value(e[1]);
        if (!typed) made->set_type(Type::Dict(key->type(), mapped->type()));
        typed = true;
        call_operator(graph_, at(e), "aten::_set_item", {{made, key, mapped}, {}});
    });
    Frame inner = close_frame();
    return made;
}

Value* Emitter::number(const Expr& e, bool negative) {
    try {
        return constant(syntax::read_number(e.text, negative), at(e));
    } catch (const ValueError& error) {
        fail(e, error.what());
    }
}

} // namespace reel::jit::emit
