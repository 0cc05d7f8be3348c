// What loops walk: how many steps, and the element of a step.
#include <algorithm>
#include <limits>

#include "emitter.hpp"

namespace reel::jit::emit {

namespace {

void leaves_of(const Meaning& m, std::vector<const Meaning*>& leaves) {
    if (const auto* joined = m.as<Joined>())
        for (const Meaning& part : joined->parts) leaves_of(part, leaves);
    else leaves.push_back(&m);
}

} // namespace

Meaning Emitter::iterable(const Meaning& m, const SourceRange& range) {
    if (m.as<Range>() || m.as<Joined>()) return m;
    Value* v = as_value(m, range);
    switch (v->type()->kind()) {
    case TypeKind::Dict:
        return call_operator(graph_, range, "aten::keys", {{v}, {}});
    case TypeKind::List:
    case TypeKind::Tensor:
    case TypeKind::String:
    case TypeKind::Tuple:
        return v;
    case TypeKind::Class:
        if (has_attribute(*v->type(), "__len__") && has_attribute(*v->type(), "__getitem__")) return v;
        break;
    default:
        break;
    }
    fail(range, "'" + type_name(*v->type()) + "' object is not iterable");
}

std::optional<std::vector<Value*>> Emitter::static_elements(const Meaning& m, const SourceRange& range) {
    std::vector<const Meaning*> leaves;
    leaves_of(m, leaves);
    const auto tuple_of = [](const Meaning& leaf) -> Value* {
        const auto* v = leaf.as<Value*>();
        return v && (*v)->type()->kind() == TypeKind::Tuple ? *v : nullptr;
    };
    const bool any = std::ranges::any_of(leaves, [&](const Meaning* l) { return tuple_of(*l) != nullptr; });
    if (!any) return std::nullopt;
    std::size_t count = std::numeric_limits<std::size_t>::max();
    for (const Meaning* leaf : leaves)
        if (const Value* v = tuple_of(*leaf)) count = std::min(count, v->type()->contained().size());
    if (Value* v = tuple_of(m)) return unpack_tuple(graph_, v);
    const auto* joined = m.as<Joined>();
    std::vector<std::vector<Value*>> columns;
    for (const Meaning& part : joined->parts) {
        std::vector<Value*> column;
        if (auto known = static_elements(part, range)) column = *known;
        else if (part.as<Range>())
            for (std::size_t i = 0; i < count; ++i)
                column.push_back(as_value(element(part, constant(std::int64_t(i), range), range), range));
        else fail(range, "a tuple cannot be walked together with something whose length is not known");
        columns.push_back(std::move(column));
    }
    std::vector<Value*> rows;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<Value*> row;
        for (const auto& column : columns) row.push_back(column[i]);
        rows.push_back(build_tuple(graph_, std::move(row)));
    }
    return rows;
}

Value* Emitter::length(const Meaning& m, const SourceRange& range) {
    if (const auto* r = m.as<Range>()) {
        if (r->plain) return r->end;
        return call_operator(graph_, range, "aten::__range_length", {{r->begin, r->end, r->step}, {}});
    }
    if (const auto* v = m.as<Value*>()) {
        if ((*v)->type()->kind() == TypeKind::Class) return call_method(*v, "__len__", {}, range);
        return call_operator(graph_, range, "aten::len", {{*v}, {}});
    }
    std::vector<const Meaning*> leaves;
    leaves_of(m, leaves);
    std::vector<Value*> lengths;
    for (const Meaning* leaf : leaves) lengths.push_back(length(*leaf, range));
    if (lengths.size() == 1) return lengths[0];
    Value* list = build_list(graph_, Type::Int(), std::move(lengths));
    return call_operator(graph_, range, "prim::min", {{list}, {}});
}

Meaning Emitter::element(const Meaning& m, Value* trip, const SourceRange& range) {
    if (const auto* r = m.as<Range>()) {
        if (r->plain) return trip;
        return call_operator(graph_, range, "aten::__derive_index", {{trip, r->begin, r->step}, {}});
    }
    if (const auto* joined = m.as<Joined>()) {
        Joined elements;
        for (const Meaning& part : joined->parts) elements.parts.push_back(element(part, trip, range));
        return elements;
    }
    Value* v = *m.as<Value*>();
    if (v->type()->kind() == TypeKind::Class) return call_method(v, "__getitem__", {{trip}, {}}, range);
    if (v->type()->kind() != TypeKind::Tensor)
        return call_operator(graph_, range, "aten::__getitem__", {{v, trip}, {}});
    Value* dim = constant(std::int64_t(0), range);
    return call_operator(graph_, range, "aten::select", {{v, dim, trip}, {}});
}

void Emitter::walk(const Meaning& m, const SourceRange& range, const std::function<void(const Meaning&)>& body) {
    const Meaning source = iterable(m, range);
    if (const auto elements = static_elements(source, range)) {
        for (Value* v : *elements) body(v);
        return;
    }
    Value* trips = length(source, range);
    Value* always = constant(true, range);
    open_frame(frame_->block);
    emit_loop(
        range, trips,
        [&] {
            return Condition{always, {}, {}, {}};
        },
        [&](Value* trip) { body(element(source, trip, range)); });
    close_frame();
}

Value* Emitter::whole(const Meaning& m, const SourceRange& range) {
    const auto* joined = m.as<Joined>();
    if (!joined) return as_value(m, range);
    std::vector<Value*> parts;
    for (const Meaning& part : joined->parts) parts.push_back(whole(part, range));
    return build_tuple(graph_, std::move(parts));
}

} // namespace reel::jit::emit
