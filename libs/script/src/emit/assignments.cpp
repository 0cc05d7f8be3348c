// Assignments: to names, tuples, subscripts and attributes.
#include "emitter.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;

void Emitter::emit_assign(const Stmt& s) {
    if (!s.value) return emit_declaration(s);
    const Expr& first = *s.targets[0];
    if (s.targets.size() == 1 && first.kind == ExprKind::Name) {
        TypePtr type = s.annotation ? annotated_type(context_, *s.annotation) : nullptr;
        return assign(first.text, meaning(*s.value, type), type, at(first));
    }
    const Meaning assigned = meaning(*s.value);
    if (s.targets.size() == 1) return assign_to(first, assigned, first.kind == ExprKind::Tuple ? at(*s.value) : at(s));
    // `a = b = e`: one value under several names
    Value* v = as_value(assigned, at(*s.value));
    for (const auto& target : s.targets) assign_to(*target, v, at(s));
}

void Emitter::emit_declaration(const Stmt& s) {
    fail(s, "a declaration without a value is for classes; give the variable a value");
}

void Emitter::assign_to(const Expr& target, const Meaning& m, const SourceRange& range) {
    switch (target.kind) {
    case ExprKind::Name:
        return assign(target.text, m, nullptr, at(target));
    case ExprKind::Tuple:
    case ExprKind::List:
        return assign_tuple(target, m, range);
    case ExprKind::Subscript:
        return assign_subscript(target, as_value(m, range), range);
    case ExprKind::Attribute:
        return assign_attribute(target, as_value(m, range), range);
    default:
        fail(target, "unexpected expression on left-hand side of assignment");
    }
}

void Emitter::assign_tuple(const Expr& target, const Meaning& m, const SourceRange& range) {
    const std::size_t count = target.operands.size();
    std::size_t starred = count;
    for (std::size_t i = 0; i < count; ++i) {
        if (target[i].kind != ExprKind::Starred) continue;
        if (starred != count) fail(target, "Only one starred expression is allowed on the lhs");
        starred = i;
    }
    const std::size_t needed = starred == count ? count : count - 1;
    std::vector<Meaning> parts;
    if (const auto* joined = m.as<Joined>()) {
        parts = joined->parts;
    } else {
        Value* v = as_value(m, range);
        if (v->type()->kind() == TypeKind::List) {
            if (starred != count) fail(target, "cannot statically infer the expected size of a list in this context");
            Node* n = graph_.insert_node(graph_.create(prim::ListUnpack, {v}, 0));
            for (std::size_t i = 0; i < count; ++i) n->add_output(v->type()->contained()[0]);
            parts.assign(n->outputs().begin(), n->outputs().end());
        } else if (v->type()->kind() == TypeKind::Tuple) {
            const auto elements = unpack_tuple(graph_, v);
            parts.assign(elements.begin(), elements.end());
        } else fail(range, type_name(*v->type()) + " cannot be used as a tuple");
    }
    if (parts.size() < needed)
        fail(target,
             "need " + std::to_string(needed) + " values to unpack but found only " + std::to_string(parts.size()));
    if (parts.size() > needed && starred == count)
        fail(target, "too many values to unpack: need " + std::to_string(needed) + " but found " +
                         std::to_string(parts.size()));
    std::size_t at_part = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i != starred) {
            assign_to(target[i], parts[at_part++], range);
            continue;
        }
        const std::size_t rest = parts.size() - needed;
        std::vector<Value*> taken;
        for (std::size_t k = 0; k < rest; ++k) taken.push_back(as_value(parts[at_part++], range));
        assign_to(target[i][0], build_tuple(graph_, std::move(taken)), range);
    }
}

void Emitter::assign_subscript(const Expr& target, Value* v, const SourceRange& range) {
    Value* held = value(target[0]);
    if (held->type()->kind() == TypeKind::Tensor) {
        auto [part, indices] = index_plainly(held, target);
        Value* tensor = tensor_from(v, part, range);
        if (indices.empty()) call_operator(graph_, range, "aten::copy_", {{part, tensor}, {}});
        else call_operator(graph_, range, "aten::index_put_", {{part, tensor_list(indices, range), tensor}, {}});
        return;
    }
    if (target.operands.size() != 2 || target[1].kind == ExprKind::Slice)
        fail(target, "Sliced expression not yet supported for subscripted assignment");
    if (held->type()->kind() == TypeKind::Tuple)
        fail(target, type_name(*held->type()) + " does not support subscripted assignment");
    Value* index = value(target[1]);
    if (held->type()->kind() == TypeKind::Class) call_method(held, "__setitem__", {{index, v}, {}}, range);
    else call_operator(graph_, range, "aten::_set_item", {{held, index, v}, {}});
}

void Emitter::assign_attribute(const Expr& target, Value* v, const SourceRange& range) {
    set_attribute(value(target[0]), target.text, v, range);
}

void Emitter::set_attribute(Value* object, const std::string& name, Value* v, const SourceRange& range) {
    const auto* type = dynamic_cast<const ClassType*>(object->type().get());
    if (!type)
        fail(range, "cannot set the attribute '" + name + "' of a value of type '" + type_name(*object->type()) + "'");
    const auto slot = type->find_slot(name);
    if (!slot) {
        if (type->find_method("__" + name + "_setter")) {
            call_method(object, "__" + name + "_setter", {{v}, {}}, range);
            return;
        }
        fail(range, "Tried to set nonexistent attribute: " + name + ". Did you forget to initialize it in __init__()?");
    }
    const TypePtr& wanted = type->attributes()[*slot].type;
    v = convert(graph_, range, wanted, v, true);
    if (!v->type()->is_subtype_of(*wanted))
        fail(range, "Wrong type for attribute assignment. Expected " + type_name(*wanted) + " but got " +
                        type_name(*v->type()));
    Node* n = graph_.create(prim::SetAttr, {object, v}, 0);
    n->set_range(range);
    n->set("name", IValue(name));
    graph_.insert_node(n);
}

void Emitter::emit_aug_assign(const Stmt& s) {
    const Expr& target = *s.targets[0];
    if (target.kind == ExprKind::Name) {
        Value* before = value(target);
        return assign(target.text, augmented(s, before), nullptr, at(target));
    }
    if (target.kind == ExprKind::Subscript) return augment_subscript(s);
    if (target.kind != ExprKind::Attribute)
        fail(target, "unexpected expression on left-hand side of augmented assignment");
    Value* object = value(target[0]);
    Value* before = as_value(attribute_of(object, target.text, at(target)), at(target));
    set_attribute(object, target.text, augmented(s, before), at(s));
}

void Emitter::augment_subscript(const Stmt& s) {
    const Expr& target = *s.targets[0];
    Value* held = value(target[0]);
    if (held->type()->kind() == TypeKind::Tensor) {
        auto [part, indices] = index_plainly(held, target);
        if (indices.empty()) {
            augmented(s, part);
            return;
        }
        Value* list = tensor_list(indices, at(s));
        Value* picked = call_operator(graph_, at(s), "aten::index", {{part, list}, {}});
        Value* changed = augmented(s, picked);
        call_operator(graph_, at(s), "aten::index_put_", {{part, list, changed}, {}});
        return;
    }
    if (target.operands.size() != 2 || target[1].kind == ExprKind::Slice)
        fail(target, "Augmented assignment to slices and to several indices is not supported");
    Value* index = value(target[1]);
    Value* right = value(*s.value);
    Value* picked = call_operator(graph_, at(target), "aten::__getitem__", {{held, index}, {}});
    // In place only what a list of tensors holds: an element of anything else is replaced.
    const bool in_place =
        held->type()->kind() == TypeKind::List && held->type()->contained()[0]->kind() == TypeKind::Tensor;
    Value* changed = augmented(s, picked, right, in_place);
    call_operator(graph_, at(s), "aten::_set_item", {{held, index, changed}, {}});
}

} // namespace reel::jit::emit
