// Instructions on values: containers, storing, logging.
#include "hooks/interp.hpp"

#include <reel/autograd/ops.hpp>

namespace replay {

using namespace reel;

namespace {

/// `v` with every tensor in it, at any depth, replaced by `fn(tensor)`.
template <class F> Value map_tensors(const Value& v, const F& fn) {
    if (v.isTensor()) return Value(fn(v.toTensor()));
    if (v.isSequence()) {
        std::vector<Value> e;
        for (const Value& x : v.elements()) e.push_back(map_tensors(x, fn));
        return v.isTuple() ? Value::tuple(std::move(e)) : Value::list(std::move(e));
    }
    if (v.isGenericDict()) {
        ValueDict d;
        for (const auto& [key, x] : v.toGenericDict()) d.set(key, map_tensors(x, fn));
        return Value(std::move(d));
    }
    return v;
}
Scalar factor(const json::object& ins) {
    const json::value& k = ins.at("k");
    return k.is_double() ? Scalar(k.get_double()) : Scalar(k.to_number<std::int64_t>());
}
Value sequence_in(Interp& i, const json::object& ins, Frame& f) {
    const Value v = i.in(ins, f, 0);
    if (!v.isSequence()) throw Skip{};
    return v;
}
Value like(const Value& v, std::vector<Value> elements) {
    return v.isTuple() ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}
ValueDict& dict_in(Interp& i, const json::object& ins, Frame& f) {
    const Value v = i.in(ins, f, 0);
    if (!v.isGenericDict()) throw Skip{};
    return v.toGenericDict(); // shared: it outlives this handle
}
std::vector<Value>& list_in(Interp& i, const json::object& ins, Frame& f) {
    const Value v = i.in(ins, f, 0);
    if (!v.isList()) throw Skip{};
    return v.list_elements();
}
bool same_object(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return false;
    if (a.isNone()) return true;
    if (a.isTensor()) return a.toTensor().is_same(b.toTensor());
    if (a.isSequence()) return &a.elements() == &b.elements();
    if (a.isGenericDict()) return &a.toGenericDict() == &b.toGenericDict();
    const ModulePtr *m = a.try_get<ModulePtr>(), *n = b.try_get<ModulePtr>();
    if (m && n) return *m == *n;
    if (a.isString()) return a.toStringRef() == b.toStringRef();
    return a.isScalar() && a.toDouble() == b.toDouble();
}

} // namespace

void add_value_instructions(InstructionTable& t) {
    t["scale"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Scalar k = factor(ins);
        return map_tensors(i.in(ins, f, 0),
                           [&](const Tensor& x) { return x.is_floating_point() ? reel::mul(x, k) : x; });
    };
    t["shift"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Scalar k = factor(ins);
        return map_tensors(i.in(ins, f, 0),
                           [&](const Tensor& x) { return x.is_floating_point() ? reel::add(x, k) : x; });
    };
    t["zeros"] = [](Interp& i, Frame& f, const json::object& ins) {
        return map_tensors(i.in(ins, f, 0), [](const Tensor& x) { return reel::zeros_like(x); });
    };
    t["nones"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Value v = sequence_in(i, ins, f);
        return like(v, std::vector<Value>(v.elements().size()));
    };
    t["replace"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Value v = sequence_in(i, ins, f), with = i.in(ins, f, 1);
        std::vector<Value> e = v.elements();
        std::int64_t at = ins.at("index").to_number<std::int64_t>();
        if (at < 0) at += std::int64_t(e.size());
        if (at < 0 || at >= std::int64_t(e.size())) throw Skip{};
        e[std::size_t(at)] = with;
        return like(v, std::move(e));
    };
    t["drop_last"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Value v = sequence_in(i, ins, f);
        std::vector<Value> e = v.elements();
        if (!e.empty()) e.pop_back();
        return like(v, std::move(e));
    };
    t["append"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Value v = sequence_in(i, ins, f);
        std::vector<Value> e = v.elements();
        e.push_back(i.in(ins, f, 1));
        return like(v, std::move(e));
    };
    t["set"] = [](Interp& i, Frame& f, const json::object& ins) { return i.in(ins, f, 0); };
    t["store"] = [](Interp& i, Frame& f, const json::object& ins) {
        i.program.names[text(ins, "as")] = i.in(ins, f, 0);
        return Value();
    };
    t["log"] = [](Interp& i, Frame& f, const json::object& ins) {
        json::array values;
        for (const Value& v : i.all_in(ins, f)) values.push_back(i.to_json(v));
        i.trace.push_back(
            json::object{{"log", ins.at("tag")}, {"gm", GradMode::is_enabled()}, {"v", std::move(values)}});
        return Value();
    };
    t["same"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Value a = i.in(ins, f, 0), b = i.in(ins, f, 1);
        return Value(same_object(a, b));
    };
    t["dict_set"] = [](Interp& i, Frame& f, const json::object& ins) {
        ValueDict& d = dict_in(i, ins, f);
        d.set(Value(text(ins, "key")), i.in(ins, f, 1));
        return Value();
    };
    t["dict_del"] = [](Interp& i, Frame& f, const json::object& ins) {
        dict_in(i, ins, f).erase(text(ins, "key"));
        return Value();
    };
    t["keys"] = [](Interp& i, Frame& f, const json::object& ins) {
        std::vector<Value> keys;
        for (const auto& item : dict_in(i, ins, f)) keys.push_back(item.first);
        return Value::list(std::move(keys));
    };
    t["list_add"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Value v = i.in(ins, f, 1);
        list_in(i, ins, f).push_back(v);
        return Value();
    };
    t["clear"] = [](Interp& i, Frame& f, const json::object& ins) {
        list_in(i, ins, f).clear();
        return Value();
    };
    t["grad_mode"] = [](Interp&, Frame&, const json::object&) { return Value(GradMode::is_enabled()); };
}

} // namespace replay
