// Calls that the compiler itself understands.
#include <limits>

#include "emitter.hpp"
#include "lower.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

std::optional<Meaning> Emitter::iterable_form(const SpecialForm& form, const Expr& e) {
    const std::size_t count = e.operands.size() - 1;
    if (form.name == "range") {
        if (count < 1 || count > 3) fail(e, "range expects 1 to 3 arguments but got " + std::to_string(count));
        Range r{nullptr, nullptr, nullptr, count == 1};
        std::vector<Value*> bounds = arguments_of(e).positional;
        for (std::size_t i = 0; i < count; ++i) {
            if (bounds[i]->type()->kind() == TypeKind::Tensor) continue; // converted, or refused, just below
            bounds[i] = convert(graph_, at(e), Type::Int(), bounds[i], true);
        }
        for (std::size_t i = 0; i < count; ++i)
            if (bounds[i]->type()->kind() != TypeKind::Int)
                fail(e, "all inputs of range must be ints, found " + type_name(*bounds[i]->type()) + " in argument " +
                            std::to_string(i));
        r.end = count == 1 ? bounds[0] : bounds[1];
        if (count > 1) {
            r.begin = bounds[0];
            r.step = count == 3 ? bounds[2] : constant(std::int64_t(1), at(e));
        }
        return r;
    }
    if (form.name == "zip") {
        Joined joined;
        for (std::size_t i = 1; i <= count; ++i) joined.parts.push_back(iterable(meaning(e[i]), at(e)));
        if (joined.parts.empty()) fail(e, "zip expects at least 1 argument");
        return joined;
    }
    if (form.name != "enumerate") return std::nullopt;
    if (count < 1 || count > 2) fail(e, "enumerate expects 1 or 2 arguments but got " + std::to_string(count));
    const Meaning walked = iterable(meaning(e[1]), at(e));
    Value* begin = count == 2 ? value(e[2]) : e.keywords.empty() ? nullptr : value(*e.keywords[0].value);
    Value* endless = constant(std::numeric_limits<std::int64_t>::max(), at(e));
    Range numbers{begin, endless, nullptr, begin == nullptr};
    if (begin) numbers.step = constant(std::int64_t(1), at(e));
    return Joined{{numbers, walked}};
}

Meaning Emitter::print_form(const Expr& e) {
    Node* n = graph_.create(prim::Print, arguments_of(e).positional, 0);
    n->set_range(at(e));
    graph_.insert_node(n);
    return Nothing{};
}

Value* Emitter::getattr_form(const Expr& e, TypePtr hint) {
    const std::size_t count = e.operands.size() - 1;
    if (count != 2 && count != 3) fail(e, "getattr expects 2 or 3 arguments");
    if (e[2].kind != ExprKind::String) fail(e[2], "getattr's second argument must be a string literal");
    Value* object = value(e[1]);
    if (count == 3 && !has_attribute(*object->type(), e[2].text)) return value(e[3], std::move(hint));
    return as_value(attribute_of(object, e[2].text, at(e)), at(e));
}

Value* Emitter::special_form(const SpecialForm& form, const Expr& e, TypePtr hint) {
    const std::size_t count = e.operands.size() - 1;
    const auto expect = [&](std::size_t wanted) {
        if (count != wanted)
            fail(e, form.name + " expected exactly " + std::to_string(wanted) + " arguments but found " +
                        std::to_string(count));
    };
    if (form.name == "hasattr") {
        expect(2);
        fail(e[2], "hasattr's second argument must be a string literal");
    }
    if (form.name == "getattr") return getattr_form(e, std::move(hint));
    if (form.name == "annotate") return annotate(e);
    if (form.name == "unchecked_cast") {
        expect(2);
        TypePtr type = annotated_type(context_, e[1]);
        Node* n = graph_.create(prim::unchecked_cast, {value(e[2])});
        n->set_range(at(e));
        n->output()->set_type(std::move(type));
        return graph_.insert_node(n)->output();
    }
    if (form.name == "uninitialized") {
        expect(1);
        Node* n = graph_.create(prim::Uninitialized);
        n->set_range(at(e));
        n->output()->set_type(annotated_type(context_, e[1]));
        return graph_.insert_node(n)->output();
    }
    if (form.name == "fork") return fork(e);
    if (form.name == "dict" && count == 0 && !e.keywords.empty()) {
        std::vector<Value*> pairs;
        for (const auto& [key, given] : e.keywords)
            pairs.push_back(build_tuple(graph_, {constant(IValue(key), at(e)), value(*given)}));
        const TypePtr pair = pairs[0]->type();
        Value* list = build_list(graph_, pair, std::move(pairs));
        return dict_of(list, at(e), std::move(hint));
    }
    if (count == 0 && form.name != "tuple") {
        const Expr empty(form.name == "list" ? ExprKind::List : ExprKind::Dict, e.begin, e.end);
        return value(empty, std::move(hint));
    }
    expect(1);
    if (form.name == "tuple") {
        Value* v = value(e[1]);
        if (v->type()->kind() == TypeKind::Tuple) return build_tuple(graph_, unpack_tuple(graph_, v));
        fail(e, "cannot tell the length of a tuple made of a value of type '" + type_name(*v->type()) + "'");
    }
    const Meaning source = meaning(e[1]);
    const auto* v = source.as<Value*>();
    if (v && (*v)->type()->kind() == (form.name == "list" ? TypeKind::List : TypeKind::Dict))
        return call_operator(graph_, at(e), form.name == "list" ? "aten::list" : "aten::dict", {{*v}, {}});
    if (v && form.name == "list" && (*v)->type()->kind() == TypeKind::String)
        return call_operator(graph_, at(e), "aten::list", {{*v}, {}});
    return form.name == "list" ? list_of(source, at(e), std::move(hint)) : dict_of(source, at(e), std::move(hint));
}

Value* Emitter::list_of(const Meaning& source, const SourceRange& range, TypePtr hint) {
    const bool hinted = hint && hint->kind() == TypeKind::List;
    Value* made = build_list(graph_, hinted ? hint->contained()[0] : Type::Tensor(), {});
    walk(source, range, [&](const Meaning& m) {
        Value* element = whole(m, range);
        if (!hinted) made->set_type(Type::List(element->type()));
        call_operator(graph_, range, "aten::append", {{made, element}, {}});
    });
    return made;
}

Value* Emitter::dict_of(const Meaning& source, const SourceRange& range, TypePtr hint) {
    const bool hinted = hint && hint->kind() == TypeKind::Dict;
    Node* n = graph_.insert_node(graph_.create(prim::DictConstruct));
    Value* made = n->output()->set_type(hinted ? hint : Type::Dict(Type::String(), Type::Tensor()));
    walk(source, range, [&](const Meaning& m) {
        std::vector<Value*> pair;
        if (const auto* joined = m.as<Joined>())
            for (const Meaning& part : joined->parts) pair.push_back(whole(part, range));
        else if (Value* v = as_value(m, range); v->type()->kind() == TypeKind::Tuple) pair = unpack_tuple(graph_, v);
        if (pair.size() != 2) fail(range, "dict expects pairs of keys and values");
        if (!hinted) made->set_type(Type::Dict(pair[0]->type(), pair[1]->type()));
        call_operator(graph_, range, "aten::_set_item", {{made, pair[0], pair[1]}, {}});
    });
    return made;
}

Value* Emitter::annotate(const Expr& e) {
    if (e.operands.size() != 3) fail(e, "annotate expected exactly 2 arguments");
    TypePtr type = annotated_type(context_, e[1]);
    Value* v = convert(graph_, at(e), type, value(e[2], type), true);
    if (!v->type()->is_subtype_of(*type))
        fail(e, "expected an expression of type " + type_name(*type) + " but found " + type_name(*v->type()));
    const bool is_none = v->type()->kind() == TypeKind::None;
    if (is_none && type->kind() == TypeKind::Optional) return constant(IValue(), at(e), type);
    return v;
}

Value* Emitter::to_list(Value* tensor, TypePtr hint, const SourceRange& range) {
    if (!hint) fail(range, "Expected type hint for result of tolist()");
    std::int64_t dims = 0;
    TypePtr element = hint;
    for (; element->kind() == TypeKind::List; element = element->contained()[0]) ++dims;
    std::int64_t number = 0;
    if (element->kind() == TypeKind::Float) number = 1;
    else if (element->kind() == TypeKind::Complex) number = 2;
    else if (element->kind() == TypeKind::Bool) number = 3;
    else if (element->kind() != TypeKind::Int)
        fail(range,
             type_name(*element) + " is not one of the supported element types for tolist: int, float, complex, bool");
    Node* n = graph_.create(prim::tolist, {tensor, constant(dims, range), constant(number, range)});
    n->set_range(range);
    n->output()->set_type(hint);
    return graph_.insert_node(n)->output();
}

Value* Emitter::fork(const Expr& e) {
    if (e.operands.size() < 2) fail(e, "Expected at least one argument to fork()");
    const Meaning forked = meaning(e[1]);
    if (const auto* closure = forked.as<Closure>()) {
        if (!closure->def->parameters.empty()) fail(e, "a forked closure takes no arguments");
        return fork_body(at(e), true, [&] {
            TypePtr declared = std::exchange(
                declared_result_, closure->def->result ? annotated_type(context_, *closure->def->result) : nullptr);
            TypePtr inferred = std::exchange(result_, nullptr);
            const std::size_t around = std::exchange(loops_, 0);
            statements(closure->def->body);
            if (!leaves(frame_->block)) {
                Node* n = graph_.create(pending::leave, {constant(IValue(), at(e), Type::None())}, 0);
                graph_.insert_node(n);
                if (!result_) result_ = Type::None();
            }
            TypePtr type = declared_result_ ? declared_result_ : result_;
            declared_result_ = declared;
            result_ = inferred;
            loops_ = around;
            Node* typed = graph_.create(prim::Uninitialized);
            typed->output()->set_type(type);
            return graph_.insert_node(typed)->output();
        });
    }
    Arguments arguments = arguments_of(e, 2);
    return fork_body(at(e), false, [&] {
        const Meaning result = call_meaning(forked, arguments, e);
        return as_value(result, at(e));
    });
}

Value* Emitter::fork_body(const SourceRange& range, bool is_closure, const std::function<Value*()>& emit_body) {
    // The body stands in a block until the graph is whole; then it becomes a graph of its own.
    Node* n = graph_.create(prim::fork, {});
    n->set_range(range);
    graph_.insert_node(n);
    open_frame(n->add_block());
    Value* result = emit_body();
    n->block(0)->add_output(result);
    n->output()->set_type(Type::Future(result->type()));
    close_frame();
    if (is_closure) n->add_block(); // an empty one tells `lift_forks`
    return n->output();
}

} // namespace reel::jit::emit
