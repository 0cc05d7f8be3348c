// Subscripts: of tensors, lists, dicts, strings, tuples and containers of modules.
#include "emitter.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

Value* Emitter::subscript(const Expr& e, TypePtr hint) {
    Value* held = value(e[0]);
    const TypeKind kind = held->type()->kind();
    if (kind == TypeKind::Tensor) {
        auto [part, indices] = index_plainly(held, e);
        if (indices.empty()) return part;
        return call_operator(graph_, at(e), "aten::index", {{part, tensor_list(indices, at(e))}, {}});
    }
    if (e.operands.size() != 2)
        fail(e, "Unsupported operation: several indices for a value of type '" + type_name(*held->type()) + "'");
    if (e[1].kind == ExprKind::Slice) {
        if (kind == TypeKind::Tuple) return tuple_slice(held, e[1], at(e));
        return slice(held, nullptr, e[1], at(e));
    }
    if (kind == TypeKind::Tuple) return element_of_tuple(held, e[1], at(e));
    if (kind == TypeKind::Class) {
        const auto& type = static_cast<const ClassType&>(*held->type());
        if (type.is_module() && hint && hint->kind() == TypeKind::Interface) {
            Node* n = graph_.create(prim::ModuleContainerIndex, {held, value(e[1])});
            n->set_range(at(e));
            n->output()->set_type(hint);
            return graph_.insert_node(n)->output();
        }
        if (type.is_module() && !type.find_method("__getitem__"))
            fail(e, "Only ModuleList, Sequential, ModuleDict, ParameterList, and ParameterDict modules are "
                    "subscriptable");
        return call_method(held, "__getitem__", {{value(e[1])}, {}}, at(e));
    }
    Value* index = value(e[1]);
    return call_operator(graph_, at(e), "aten::__getitem__", {{held, index}, {}});
}

Value* Emitter::element_of_tuple(Value* tuple, const Expr& index, const SourceRange& range) {
    Value* i = value(index);
    const IValue* known = constant_of(i);
    if (!known || !known->isInt())
        fail(range, "Cannot index into a " + type_name(*tuple->type()) +
                        " with a non-integer literal because we cannot resolve the output type");
    const auto size = std::int64_t(tuple->type()->contained().size());
    const std::int64_t wrapped = known->toInt() < 0 ? known->toInt() + size : known->toInt();
    if (wrapped < 0 || wrapped >= size)
        fail(range, "Tuple index out of range. Tuple is length " + std::to_string(size) + " and index is " +
                        std::to_string(known->toInt()));
    Node* n = graph_.create(prim::TupleIndex, {tuple, i});
    n->set_range(range);
    n->output()->set_type(tuple->type()->contained()[std::size_t(wrapped)]);
    return graph_.insert_node(n)->output();
}

Value* Emitter::tuple_slice(Value* tuple, const Expr& slice, const SourceRange& range) {
    const auto size = std::int64_t(tuple->type()->contained().size());
    const auto bound = [&](std::size_t which) -> std::optional<std::int64_t> {
        if (!slice.operands[which]) return std::nullopt;
        const IValue* known = constant_of(value(slice[which]));
        if (!known || !known->isInt()) fail(slice, "tuple slice indices must be integer constants");
        return known->toInt();
    };
    const auto begin = bound(0), end = bound(1);
    const std::int64_t step = bound(2).value_or(1);
    if (step == 0) fail(slice, "slice step cannot be zero");
    const auto clamped = [&](std::optional<std::int64_t> at, std::int64_t absent) {
        if (!at) return absent;
        const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
        return std::max(low, std::min(high, *at < 0 ? *at + size : *at));
    };
    const std::int64_t first = clamped(begin, step > 0 ? 0 : size - 1), last = clamped(end, step > 0 ? size : -1);
    const auto parts = unpack_tuple(graph_, tuple);
    std::vector<Value*> taken;
    for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) taken.push_back(parts[std::size_t(i)]);
    graph_.set_current_range(range);
    return build_tuple(graph_, std::move(taken));
}

Value* Emitter::slice(Value* sliced, Value* dim, const Expr& bounds, const SourceRange& range) {
    Arguments arguments;
    arguments.positional.push_back(sliced);
    if (dim) arguments.positional.push_back(dim);
    for (std::size_t i = 0; i < 2; ++i)
        arguments.positional.push_back(bounds.operands[i] ? value(bounds[i]) : constant(IValue(), range, Type::None()));
    if (bounds.operands[2]) arguments.positional.push_back(value(bounds[2]));
    return call_operator(graph_, range, "aten::slice", arguments);
}

std::pair<Value*, std::vector<Value*>> Emitter::index_plainly(Value* tensor, const Expr& e) {
    struct Item {
        std::int64_t dim = 0;
        Value* index = nullptr; ///< null: a slice
    };
    const std::size_t count = e.operands.size() - 1;
    std::vector<Item> items(count);
    // Dimensions are counted from the front up to `...`, and from the back behind it.
    const auto place = [&](std::size_t i, std::int64_t dim, bool from_back) {
        items[i].dim = dim;
        const std::int64_t step = from_back ? -1 : 1;
        const Expr& item = e[i + 1];
        if (item.kind == ExprKind::Slice) return dim + step;
        Value* index = value(item);
        if (index->type()->kind() == TypeKind::List) {
            Value* dtype = constant(std::int64_t(ScalarType::Long), at(item));
            index = call_operator(graph_, at(item), "aten::tensor", {{index}, {{"dtype", dtype}}});
        }
        items[i].index = index;
        const Type& type = *index->type();
        if (type.kind() == TypeKind::None) return from_back ? dim : dim + 1;
        if (type.kind() == TypeKind::Int) return from_back ? dim - 1 : dim;
        if (!type.is_subtype_of(*Type::Optional(Type::Tensor())))
            fail(e, "Unsupported operation: indexing tensor with unsupported index type '" + type_name(type) +
                        "'. Only ints, slices, lists and tensors are supported");
        if (from_back) fail(item, "Ellipses followed by tensor indexing is currently not supported");
        return dim + 1;
    };
    std::size_t front = 0;
    std::int64_t dim = 0;
    for (; front < count && e[front + 1].kind != ExprKind::Dots; ++front) dim = place(front, dim, false);
    std::int64_t back_dim = -1;
    for (std::size_t back = count; back > front + 1; --back) {
        if (e[back].kind == ExprKind::Dots) fail(e[back], "An index can only have a single ellipsis ('...')");
        back_dim = place(back - 1, back_dim, true);
    }
    std::vector<Value*> tensors;
    for (std::size_t i = 0; i < count; ++i) {
        if (e[i + 1].kind == ExprKind::Dots) continue;
        const auto at_dim = [&] { return constant(items[i].dim, at(e)); };
        Value* index = items[i].index;
        if (!index) {
            tensor = slice(tensor, at_dim(), e[i + 1], at(e));
        } else if (index->type()->kind() == TypeKind::None) {
            tensor = call_operator(graph_, at(e), "aten::unsqueeze", {{tensor, at_dim()}, {}});
        } else if (index->type()->kind() == TypeKind::Int) {
            tensor = call_operator(graph_, at(e), "aten::select", {{tensor, at_dim(), index}, {}});
        } else {
            tensors.resize(std::size_t(items[i].dim) + 1);
            tensors.back() = index;
        }
    }
    return {tensor, std::move(tensors)};
}

Value* Emitter::tensor_list(const std::vector<Value*>& indices, const SourceRange& range) {
    std::vector<Value*> list;
    for (Value* index : indices) list.push_back(index ? index : constant(IValue(), range, Type::None()));
    return build_list(graph_, Type::Optional(Type::Tensor()), std::move(list));
}

Value* Emitter::tensor_from(Value* v, Value* like, const SourceRange& range) {
    const TypeKind kind = v->type()->kind();
    const bool plain = kind == TypeKind::Int || kind == TypeKind::Float || kind == TypeKind::Bool ||
                       kind == TypeKind::Complex || kind == TypeKind::Number;
    if (!plain) return v;
    Value* dtype = call_operator(graph_, range, "prim::dtype", {{like}, {}});
    Value* device = call_operator(graph_, range, "prim::device", {{like}, {}});
    return call_operator(graph_, range, "aten::tensor", {{v}, {{"dtype", dtype}, {"device", device}}});
}

} // namespace reel::jit::emit
