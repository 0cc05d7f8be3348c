// Calls of operators, functions, methods and classes.
#include <algorithm>

#include "emitter.hpp"
#include "library.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

Arguments Emitter::arguments_of(const Expr& call, std::size_t first) {
    Arguments arguments;
    for (std::size_t i = first; i < call.operands.size(); ++i) {
        const Expr& e = call[i];
        if (e.kind != ExprKind::Starred) {
            arguments.positional.push_back(value(e));
            continue;
        }
        Value* starred = value(e[0]);
        if (starred->type()->kind() != TypeKind::Tuple)
            fail(e, type_name(*starred->type()) + " cannot be used as a tuple");
        for (Value* part : unpack_tuple(graph_, starred)) arguments.positional.push_back(part);
    }
    for (const auto& [name, given] : call.keywords) arguments.keywords.emplace_back(name, value(*given));
    return arguments;
}

Meaning Emitter::call(const Expr& e, TypePtr hint) {
    if (const auto known = known_call(e)) return known->value;
    const Meaning callee = meaning(e[0]);
    if (const auto* form = callee.as<SpecialForm>()) {
        if (auto m = iterable_form(*form, e)) return *m;
        if (form->name == "print") return print_form(e);
        if (form->name == "_assert") {
            if (e.operands.size() != 3) fail(e, "_assert expects a condition and a message");
            emit_assert(e[1], &e[2], at(e));
            return constant(IValue(), at(e), Type::None());
        }
        return special_form(*form, e, std::move(hint));
    }
    if (e[0].kind == ExprKind::Attribute && e[0].text == "__new__") {
        const auto* c = callee.as<Constructor>();
        const auto* type = c ? dynamic_cast<const ClassType*>(c->type.get()) : nullptr;
        if (!type) fail(e, "only classes have __new__");
        Node* n = graph_.create(prim::CreateObject);
        n->set_range(at(e));
        n->output()->set_type(c->type);
        return graph_.insert_node(n)->output();
    }
    Arguments arguments = arguments_of(e);
    if (const auto* o = callee.as<Overloads>(); o && o->name == prim::tolist)
        return to_list(o->self, std::move(hint), at(e));
    return call_meaning(callee, arguments, e);
}

namespace {
bool has_length(const Type& t) {
    return t.kind() == TypeKind::String || t.kind() == TypeKind::List || t.kind() == TypeKind::Dict ||
           t.kind() == TypeKind::Class;
}
} // namespace

Meaning Emitter::call_meaning(const Meaning& callee, const Arguments& arguments, const Expr& e) {
    // Errors of arguments point at what is called, as the reference does.
    const SourceRange range = at(e), callee_range = at(e[0]);
    graph_.set_current_range(range);
    if (const auto* o = callee.as<Overloads>()) return call_overloads(*o, arguments, callee_range);
    if (const auto* f = callee.as<Function*>()) return call_function(**f, arguments, callee_range);
    if (const auto* m = callee.as<BoundMethod>()) return call_method(m->self, m->name, arguments, callee_range);
    if (const auto* c = callee.as<Constructor>()) return construct(*c, arguments, callee_range);
    if (const auto* c = callee.as<Cast>()) {
        const bool nothing_to_do = arguments.positional.size() == 1 && arguments.keywords.empty() &&
                                   arguments.positional[0]->type()->is_subtype_of(*c->type);
        if (nothing_to_do) return arguments.positional[0];
        const bool by_length = c->type->kind() == TypeKind::Bool && arguments.positional.size() == 1 &&
                               arguments.keywords.empty() && has_length(*arguments.positional[0]->type());
        if (by_length) return to_bool(arguments.positional[0], range);
        return call_overloads({c->op}, arguments, callee_range);
    }
    if (const auto* x = callee.as<ExceptionClass>()) {
        ExceptionClass raised = *x;
        if (arguments.positional.empty()) raised.message = constant(IValue(""), range);
        else if (arguments.positional.size() == 1) raised.message = arguments.positional[0];
        else raised.message = build_tuple(graph_, arguments.positional);
        if (x->name == "AssertionError") {
            if (raised.message->type()->kind() != TypeKind::String)
                raised.message = call_operator(graph_, range, "aten::str", {{raised.message}, {}});
            Value* head = constant(IValue("AssertionError: "), range);
            raised.message = call_operator(graph_, range, "aten::add", {{head, raised.message}, {}});
        }
        return raised;
    }
    if (const auto* c = callee.as<TensorCast>()) return cast_tensor(*c, arguments, callee_range);
    if (const auto* c = callee.as<LibraryChoice>()) return call_choice(*c, arguments, callee_range);
    if (callee.as<Closure>()) fail(e[0], "cannot call a closure");
    if (callee.as<Namespace>()) fail(e[0], "cannot call a module: '" + callee.as<Namespace>()->path + "'");
    Value* v = as_value(callee, callee_range);
    if (v->type()->kind() == TypeKind::Class || v->type()->kind() == TypeKind::Interface)
        return call_module(v, arguments, callee_range);
    fail(e[0], "cannot call a value of type '" + type_name(*v->type()) + "'");
}

Value* Emitter::call_overloads(const Overloads& overloads, Arguments arguments, const SourceRange& range) {
    if (overloads.self) { // `x.where(c, y)` is the one method whose tensor stands behind its first argument
        const bool second = overloads.name.is("aten::where") && !arguments.positional.empty();
        arguments.positional.insert(arguments.positional.begin() + (second ? 1 : 0), overloads.self);
    }
    // What no operator takes as it is may be known the other way around, before anything is converted.
    const bool exact = std::ranges::any_of(operators(overloads.name), [&](const Operator* op) {
        Node* const before = graph_.insert_before_node();
        Block* const block = graph_.insert_block();
        Node* const last = before ? before->prev() : block->last();
        const bool fits = match(graph_, range, op->schema, arguments, false, nullptr).has_value();
        const auto newest = [&] { return before ? before->prev() : block->last(); };
        while (newest() && newest() != last) newest()->destroy();
        return fits;
    });
    if (!exact && arguments.keywords.empty())
        if (Value* v = call_reversed(graph_, range, overloads.name, arguments.positional)) return v;
    return call_operator(graph_, range, overloads.name, arguments);
}

const FunctionSchema& Emitter::checked_schema(Function& f, const SourceRange& range) const {
    if (is_being_compiled(f))
        fail(range, "method '" + f.name() + "' is called recursively. Recursive calls are not supported");
    return f.schema();
}

Value* Emitter::call_function(Function& f, const Arguments& arguments, const SourceRange& range) {
    const FunctionSchema& schema = checked_schema(f, range);
    std::string why;
    auto matched = match(graph_, range, schema, arguments, true, &why);
    if (!matched) fail(range, why);
    return insert_function_call(f, std::move(*matched), range);
}

Value* Emitter::insert_function_call(Function& f, Matched matched, const SourceRange& range) {
    std::vector<Value*> inputs = {as_value(&f, range)};
    inputs.insert(inputs.end(), matched.inputs.begin(), matched.inputs.end());
    Node* n = graph_.create(prim::CallFunction, std::move(inputs));
    n->set_range(range);
    n->output()->set_type(matched.returns.at(0));
    return graph_.insert_node(n)->output();
}

Value* Emitter::call_method(Value* self, const std::string& name, const Arguments& given, const SourceRange& range) {
    Arguments arguments = given;
    FunctionSchema asked;
    const FunctionSchema* schema = nullptr;
    if (const auto* c = dynamic_cast<const ClassType*>(self->type().get())) {
        jit::Function* f = c->find_method(name);
        if (!f) fail(range, "'" + c->name() + "' object has no method '" + name + "'");
        schema = &checked_schema(*f, range);
        arguments.positional.insert(arguments.positional.begin(), self);
    } else if (const auto* i = dynamic_cast<const InterfaceType*>(self->type().get())) {
        schema = i->find_method(name);
        if (!schema) fail(range, "'" + i->name() + "' has no method '" + name + "'");
        if (schema->arguments.empty() || schema->arguments[0].name != "self") {
            asked = *schema;
            Argument receiver;
            receiver.name = "self";
            receiver.type = self->type();
            asked.arguments.insert(asked.arguments.begin(), std::move(receiver));
            schema = &asked;
        }
        arguments.positional.insert(arguments.positional.begin(), self);
    } else fail(range, "cannot call a method of a value of type '" + type_name(*self->type()) + "'");
    std::string why;
    auto matched = match(graph_, range, *schema, arguments, true, &why);
    if (!matched) fail(range, why);
    Node* n = graph_.create(prim::CallMethod, std::move(matched->inputs));
    n->set_range(range);
    n->set("name", IValue(name));
    n->output()->set_type(matched->returns.empty() ? Type::None() : matched->returns[0]);
    return graph_.insert_node(n)->output();
}

Value* Emitter::call_module(Value* self, const Arguments& given, const SourceRange& range) {
    const auto* type = dynamic_cast<const ClassType*>(self->type().get());
    if (type && !type->is_module()) return call_method(self, "__call__", given, range);
    if (!type || (type->forward_pre_hooks.empty() && type->forward_hooks.empty()))
        return call_method(self, "forward", given, range);
    // Hooks are called where the module is (rule SC-26).
    Arguments arguments = given;
    for (const std::string& hook : type->forward_pre_hooks) {
        Value* packed = build_tuple(graph_, arguments.positional);
        Value* changed = call_method(self, hook, {{packed}, {}}, range);
        if (changed->type()->kind() == TypeKind::None) continue;
        arguments.positional =
            changed->type()->kind() == TypeKind::Tuple ? unpack_tuple(graph_, changed) : std::vector<Value*>{changed};
    }
    Value* result = call_method(self, "forward", arguments, range);
    for (const std::string& hook : type->forward_hooks) {
        Value* packed = build_tuple(graph_, arguments.positional);
        Value* changed = call_method(self, hook, {{packed, result}, {}}, range);
        if (changed->type()->kind() != TypeKind::None) result = changed;
    }
    return result;
}

Value* Emitter::construct(const Constructor& c, const Arguments& arguments, const SourceRange& range) {
    if (const auto* t = dynamic_cast<const TupleType*>(c.type.get())) {
        FunctionSchema schema;
        schema.name = t->name();
        for (std::size_t i = 0; i < t->fields().size(); ++i) {
            Argument a;
            a.name = t->fields()[i];
            a.type = t->contained()[i];
            schema.arguments.push_back(std::move(a));
        }
        std::string why;
        auto matched = match(graph_, range, schema, arguments, true, &why);
        if (!matched) fail(range, why);
        return build_tuple(graph_, std::move(matched->inputs), c.type);
    }
    const auto* type = dynamic_cast<const ClassType*>(c.type.get());
    if (!type || type->is_module()) fail(range, "cannot make an object of '" + type_name(*c.type) + "' here");
    Node* n = graph_.create(prim::CreateObject);
    n->set_range(range);
    n->output()->set_type(c.type);
    Value* object = graph_.insert_node(n)->output();
    call_method(object, "__init__", arguments, range);
    return object;
}

} // namespace reel::jit::emit
