// What instructions are given, and values as they stand in the trace.
#include "hooks/interp.hpp"

namespace replay {

using namespace reel;

// --- Operands --------------------------------------------------------------------------------------------------------

Value Interp::operand(const json::value& v, Frame& f) {
    if (v.is_null()) return {};
    if (v.is_bool()) return Value(v.get_bool());
    if (v.is_int64()) return Value(v.get_int64());
    if (v.is_double()) return Value(v.get_double());
    if (v.is_string()) {
        const std::string name(v.get_string());
        if (name[0] == '@') {
            const std::size_t dot = name.find('.');
            const ModulePtr m = module_ref(name.substr(1, dot - 1), f);
            const std::string key = name.substr(dot + 1);
            if (const Tensor* p = m->own_parameters().find(key)) return none_if_undefined(*p);
            if (const Tensor* b = m->own_buffers().find(key)) return none_if_undefined(*b);
            throw Skip{};
        }
        if (const auto it = f.names.find(name); it != f.names.end()) return it->second;
        if (const auto it = program.names.find(name); it != program.names.end()) return it->second;
        throw Skip{};
    }
    const json::object& o = v.as_object();
    const auto elements = [&](const json::value& list) {
        std::vector<Value> e;
        for (const auto& x : list.as_array()) e.push_back(operand(x, f));
        return e;
    };
    if (const auto* s = o.if_contains("str")) return Value(std::string(s->as_string()));
    if (const auto* t = o.if_contains("tensor")) return Value(make_tensor(t->as_object()));
    if (const auto* t = o.if_contains("tuple")) return Value::tuple(elements(*t));
    if (const auto* t = o.if_contains("list")) return Value::list(elements(*t));
    if (const auto* t = o.if_contains("module")) return Value::box(module_ref(std::string(t->as_string()), f));
    if (const auto* t = o.if_contains("dict")) {
        ValueDict d;
        for (const auto& kv : t->as_array())
            d.set(Value(std::string(kv.as_array()[0].as_string())), operand(kv.as_array()[1], f));
        return Value(std::move(d));
    }
    if (const auto* g = o.if_contains("get")) {
        const Value container = operand(g->as_array()[0], f);
        const json::value& key = g->as_array()[1];
        if (key.is_string()) {
            if (!container.isGenericDict()) throw Skip{};
            const Value* e = container.toGenericDict().find(std::string_view(key.get_string()));
            if (!e) throw Skip{};
            return *e;
        }
        if (!container.isSequence()) throw Skip{};
        std::int64_t i = key.as_int64();
        const std::int64_t n = std::int64_t(container.elements().size());
        if (i < 0) i += n;
        if (i < 0 || i >= n) throw Skip{};
        return container.elements()[std::size_t(i)];
    }
    give_up("operand " + json::serialize(v));
}

Value Interp::in(const json::object& ins, Frame& f, std::size_t i) {
    const json::value* list = ins.if_contains("in");
    if (!list || i >= list->as_array().size()) throw Skip{};
    return operand(list->as_array()[i], f);
}
std::vector<Value> Interp::all_in(const json::object& ins, Frame& f) {
    std::vector<Value> r;
    if (const json::value* list = ins.if_contains("in"))
        for (const auto& v : list->as_array()) r.push_back(operand(v, f));
    return r;
}
Tensor Interp::tensor_operand(const json::value& v, Frame& f, bool allow_none) {
    const Value x = operand(v, f);
    if (x.isNone() && allow_none) return {};
    if (!x.isTensor()) throw Skip{};
    return x.toTensor();
}
Tensor Interp::tensor_in(const json::object& ins, Frame& f, std::size_t i) {
    const Value v = in(ins, f, i);
    if (!v.isTensor()) throw Skip{};
    return v.toTensor();
}
Tensor Interp::optional_tensor_in(const json::object& ins, Frame& f, std::size_t i) {
    const Value v = in(ins, f, i);
    if (v.isNone()) return {};
    if (!v.isTensor()) throw Skip{};
    return v.toTensor();
}

ModulePtr Interp::module_ref(std::string_view ref, Frame& f) {
    ModulePtr m;
    if (ref == "self") m = f.self;
    else if (ref[0] == '.') {
        if (!f.self) throw Skip{};
        const ModulePtr* child = f.self->own_children().find(std::string(ref.substr(1)));
        if (child) m = *child;
    } else if (const auto it = modules.find(std::string(ref)); it != modules.end()) m = it->second;
    if (!m) throw Skip{};
    return m;
}
ModulePtr Interp::module(const json::object& ins, Frame& f) {
    return module_ref(std::string(ins.at("module").as_string()), f);
}
ModulePtr Interp::module_value(const Value& v) {
    if (v.isNone()) return nullptr;
    const ModulePtr* m = v.try_get<ModulePtr>();
    if (!m) throw Skip{};
    return *m;
}

// --- Values in the trace ---------------------------------------------------------------------------------------------

json::value Interp::module_json(const Module& m) {
    for (const auto& [id, p] : modules)
        if (p.get() == &m) return json::string(id);
    return json::string("?");
}
json::value Interp::to_json(const Value& v) {
    switch (v.kind()) {
    case Value::Kind::None:
        return nullptr;
    case Value::Kind::Bool:
        return v.toBool();
    case Value::Kind::Int:
        return v.toInt();
    case Value::Kind::Double:
        return v.toDouble();
    case Value::Kind::String:
        return json::string(v.toStringRef());
    case Value::Kind::Tensor:
        return v.toTensor().defined() ? tensor_json(v.toTensor()) : json::value(nullptr);
    case Value::Kind::List:
    case Value::Kind::Tuple: {
        json::array a;
        for (const Value& e : v.elements()) a.push_back(to_json(e));
        if (v.isList()) return a;
        return json::object{{"tuple", std::move(a)}};
    }
    case Value::Kind::Dict: {
        json::array a;
        for (const auto& [key, value] : v.toGenericDict()) a.push_back(json::array{to_json(key), to_json(value)});
        return json::object{{"dict", std::move(a)}};
    }
    default:
        if (const ModulePtr* m = v.try_get<ModulePtr>()) return json::object{{"module", module_json(**m)}};
        return json::string("<" + v.repr() + ">");
    }
}

} // namespace replay
