// `a.b`: of values, and of names that have no value.
#include <algorithm>
#include <cctype>
#include <charconv>

#include <reel/script/object.hpp>

#include "emitter.hpp"
#include "library.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

namespace {

/// `weight`, `_0`: the name as one that code can spell.
std::string identifier(const std::string& name) {
    std::string spelled = name;
    for (char& c : spelled)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
    return spelled.empty() || std::isdigit(static_cast<unsigned char>(spelled[0])) ? "_" + spelled : spelled;
}

/// Whether an overload takes a value of the type as its receiver.
bool takes_receiver(Symbol name, const Type& type) {
    return std::ranges::any_of(operators(name), [&](const Operator* op) {
        if (op->schema.arguments.empty()) return false;
        const Type& first = *op->schema.arguments[0].type;
        const bool open = first.kind() == TypeKind::Var || (first.kind() == type.kind() && !first.contained().empty());
        const bool tuple = type.kind() == TypeKind::Tuple && first.kind() == TypeKind::List;
        const bool converted = type.kind() == TypeKind::Bool && first.kind() == TypeKind::Number;
        return open || tuple || converted || type.is_subtype_of(first) ||
               (first.kind() == TypeKind::Optional && first.contained()[0]->kind() == TypeKind::Var);
    });
}

} // namespace

Meaning Emitter::attribute(const Expr& e) {
    const Meaning base = meaning(e[0]);
    if (const auto* ns = base.as<Namespace>()) {
        if (auto m = attribute_in(*ns, e.text, at(e))) return *m;
        fail(e, "object has no attribute " + e.text + " (in " + ns->path + ")");
    }
    if (const auto* c = base.as<Constructor>()) {
        if (const auto* type = dynamic_cast<const EnumType*>(c->type.get())) {
            for (std::size_t i = 0; i < type->members().size(); ++i)
                if (type->members()[i].first == e.text)
                    return constant(to_ivalue(EnumMember{c->type->cast<EnumType>(), i}), at(e), c->type);
            fail(e, type->name() + " has no member '" + e.text + "'");
        }
        if (e.text == "__new__") return *c;
        if (Function* f = context_.find_function(c->type->name() + "." + e.text)) return f; // a static method
        fail(e, "Tried to access nonexistent attribute " + e.text + " of class " + c->type->name());
    }
    return attribute_of(as_value(base, at(e[0])), e.text, at(e));
}

std::optional<Meaning> Emitter::attribute_in(const Namespace& ns, const std::string& name, const SourceRange& range) {
    if (ns.path == "CONSTANTS") {
        std::size_t index = 0;
        const auto read = std::from_chars(name.data() + 1, name.data() + name.size(), index);
        if (name[0] != 'c' || name.size() < 2 || read.ec != std::errc() || read.ptr != name.data() + name.size())
            fail(range, "invalid constant specifier: " + name);
        const std::size_t count = context_.constants ? context_.constants->size() : 0;
        if (index >= count)
            fail(range, "constant index " + std::to_string(index) + " is out of bounds (constant table has " +
                            std::to_string(count) + " entries)");
        return constant((*context_.constants)[index], range);
    }
    const std::string path = ns.path + "." + name;
    if (ns.path == "ops") {
        if (name != "aten" && name != "prim")
            fail(range, "operators of the namespace '" + name + "' are not supported (only aten and prim are)");
        return Namespace{path};
    }
    if (ns.path.starts_with("ops.")) {
        const Symbol symbol(ns.path.substr(4) + "::" + name);
        if (operators(symbol).empty()) fail(range, "Unknown builtin op: " + symbol.str());
        return Overloads{symbol};
    }
    if (ns.path == "__torch__" || ns.path.starts_with("__torch__.")) {
        if (TypePtr t = context_.find_type(path)) return Constructor{t};
        if (Function* f = context_.find_function(path)) return f;
        return Namespace{path};
    }
    return library_attribute(ns, name, *context_.unit, context_.whole_names,
                             [&](const IValue& v) { return Meaning(constant(v, range)); });
}

bool Emitter::has_attribute(const Type& type, const std::string& name) const {
    if (const auto* c = dynamic_cast<const ClassType*>(&type))
        return c->find_slot(name) || c->find_constant(name) || c->find_method(name) ||
               c->find_method("__" + name + "_getter");
    if (const auto* i = dynamic_cast<const InterfaceType*>(&type)) return i->find_method(name) != nullptr;
    if (const auto* t = dynamic_cast<const TupleType*>(&type))
        return std::find(t->fields().begin(), t->fields().end(), name) != t->fields().end();
    return tensor_property(name) != nullptr || !operators(Symbol("aten::" + name)).empty();
}

std::optional<Meaning> Emitter::attribute_of_object(Value* v, const std::string& name, const SourceRange& range) {
    const Type& type = *v->type();
    const auto get = [&](TypePtr of) {
        Node* n = graph_.create(prim::GetAttr, {v});
        n->set_range(range);
        n->set("name", IValue(name));
        n->output()->set_type(std::move(of));
        n->output()->set_name(identifier(name)); // whatever it is assigned to later
        return graph_.insert_node(n)->output();
    };
    if (const auto* c = dynamic_cast<const ClassType*>(&type)) {
        if (c->find_method(name)) return BoundMethod{v, name};
        if (c->find_method("__" + name + "_getter")) return call_method(v, "__" + name + "_getter", {}, range);
        if (const auto slot = c->find_slot(name)) return get(c->attributes()[*slot].type);
        if (const auto* k = c->find_constant(name)) return constant(k->value, range, k->type);
        if (c->is_module())
            fail(range, "Module '" + c->name().substr(c->name().rfind('.') + 1) + "' has no attribute '" + name + "'");
        return std::nullopt;
    }
    if (const auto* i = dynamic_cast<const InterfaceType*>(&type)) {
        if (i->find_method(name)) return BoundMethod{v, name};
        return std::nullopt;
    }
    if (const auto* t = dynamic_cast<const TupleType*>(&type)) {
        for (std::size_t k = 0; k < t->fields().size(); ++k) {
            if (t->fields()[k] != name) continue;
            Node* n = graph_.create(prim::TupleIndex, {v, constant(std::int64_t(k), range)});
            n->set_range(range);
            n->output()->set_type(t->contained()[k]);
            return graph_.insert_node(n)->output();
        }
        return std::nullopt;
    }
    if (const auto* e = dynamic_cast<const EnumType*>(&type); e && (name == "name" || name == "value")) {
        Node* n = graph_.create(name == "name" ? prim::EnumName : prim::EnumValue, {v});
        n->set_range(range);
        n->output()->set_type(name == "name" ? Type::String() : e->value_type());
        return graph_.insert_node(n)->output();
    }
    return std::nullopt;
}

Meaning Emitter::attribute_of(Value* v, const std::string& name, const SourceRange& range) {
    if (auto m = attribute_of_object(v, name, range)) return *m;
    if (v->type()->kind() == TypeKind::Tensor)
        if (const char* op = tensor_property(name)) return call_operator(graph_, range, op, {{v}, {}});
    if (v->type()->kind() == TypeKind::Tensor && !context_.whole_names)
        if (const auto dtype = tensor_cast(name)) return TensorCast{v, *dtype};
    if (v->type()->kind() == TypeKind::Tensor && name == "tolist") return Overloads{prim::tolist, v};
    if (v->type()->kind() == TypeKind::Device && (name == "type" || name == "index"))
        return call_operator(graph_, range, Symbol("prim::" + name), {{v}, {}});
    for (const char* ns : {"aten::", "prim::"}) {
        const Symbol symbol(ns + name);
        if (takes_receiver(symbol, *v->type())) return Overloads{symbol, v};
    }
    std::string message = "'" + type_name(*v->type()) + "' object has no attribute or method '" + name + "'.";
    if (v->type()->kind() == TypeKind::Class) message += " Did you forget to initialize an attribute in __init__()?";
    fail(range, message);
}

} // namespace reel::jit::emit
