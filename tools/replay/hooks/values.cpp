#include "hooks/values.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops.hpp>

namespace replay {

using namespace reel;

namespace {

double number_of(const json::value& v) {
    if (v.is_double()) return v.get_double();
    if (v.is_int64()) return double(v.get_int64());
    if (v.is_uint64()) return double(v.get_uint64());
    if (v.is_bool()) return v.get_bool();
    const auto& s = v.as_string();
    if (s == "nan") return std::numeric_limits<double>::quiet_NaN();
    return s == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}
void flatten(const json::value& v, std::vector<double>& out) {
    if (v.is_array())
        for (const auto& e : v.get_array()) flatten(e, out);
    else out.push_back(number_of(v));
}
json::value number_json(double d) {
    if (std::isnan(d)) return "nan";
    if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
    return d;
}

template <class Get> json::value nested(const Tensor& t, std::int64_t dim, std::int64_t& next, Get get) {
    if (dim == t.dim()) return get(next++);
    json::array a;
    for (std::int64_t i = 0; i < t.size(dim); ++i) a.push_back(nested(t, dim + 1, next, get));
    return a;
}
template <class T, class F> json::value data_json(const Tensor& t, F convert) {
    const T* p = t.const_data_ptr<T>();
    std::int64_t next = 0;
    return nested(t, 0, next, [&](std::int64_t i) -> json::value { return convert(p[i]); });
}

} // namespace

Tensor make_tensor(const json::object& d, bool requires_grad_default) {
    std::vector<std::int64_t> shape;
    for (const auto& s : d.at("shape").as_array()) shape.push_back(s.to_number<std::int64_t>());
    std::vector<double> data;
    flatten(d.at("data"), data);
    const json::value* dtype = d.if_contains("dtype");
    const ScalarType type = dtype ? dtype_from_name(dtype->as_string().c_str()) : kDouble;
    const json::value* rg = d.if_contains("rg");
    NoGradGuard guard;
    Tensor t = reel::empty(shape, TensorOptions(kDouble));
    if (!data.empty()) std::memcpy(t.data_ptr<double>(), data.data(), data.size() * sizeof(double));
    if (type != kDouble) t = t.to(type);
    if (rg ? rg->as_bool() : requires_grad_default) t.requires_grad_();
    return t;
}

json::value tensor_json(const Tensor& t) {
    // Asked in the caller's grad mode: it fails where using the tensor would (a view whose base was modified).
    const bool requires_grad = t.requires_grad(), made_by_node = requires_grad && t.grad_fn();
    NoGradGuard guard;
    json::object o;
    json::array shape;
    for (const std::int64_t s : t.sizes()) shape.push_back(s);
    o["shape"] = std::move(shape);
    const Tensor plain = t.detach();
    if (t.scalar_type() == kBool)
        o["data"] = data_json<bool>(reel::contiguous(plain), [](bool b) { return json::value(b); });
    else if (!t.is_floating_point())
        o["data"] =
            data_json<std::int64_t>(reel::contiguous(plain.to(kLong)), [](std::int64_t i) { return json::value(i); });
    else o["data"] = data_json<double>(reel::contiguous(plain.to(kDouble)), [](double d) { return number_json(d); });
    if (t.scalar_type() != kDouble) o["dtype"] = dtype_name(t.scalar_type());
    if (requires_grad) o["g"] = made_by_node ? "fn" : "leaf";
    return o;
}

namespace {
bool is_number(const json::value& v) { return v.is_double() || v.is_int64() || v.is_uint64(); }
bool differs(std::string& where, const std::string& what) {
    where = what;
    return false;
}
} // namespace

bool same_json(const json::value& e, const json::value& g, std::string& where) {
    if (is_number(e) && is_number(g)) {
        if (e.is_double() != g.is_double()) return differs(where, "integer against number");
        const double a = number_of(g), b = number_of(e);
        return std::abs(a - b) <= 1e-9 + 1e-9 * std::abs(b) ||
               differs(where, "numbers " + json::serialize(e) + " and " + json::serialize(g));
    }
    if (e.kind() != g.kind())
        return differs(where,
                       "expected " + json::serialize(e).substr(0, 80) + ", got " + json::serialize(g).substr(0, 80));
    if (e.is_array()) {
        const auto &a = e.get_array(), &b = g.get_array();
        if (a.size() != b.size())
            return differs(where, "lengths " + std::to_string(a.size()) + " and " + std::to_string(b.size()));
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!same_json(a[i], b[i], where)) {
                where = "[" + std::to_string(i) + "] " + where;
                return false;
            }
        return true;
    }
    if (e.is_object()) {
        const auto &a = e.get_object(), &b = g.get_object();
        for (const auto& kv : b)
            if (!a.contains(kv.key())) return differs(where, "unexpected field " + std::string(kv.key()));
        for (const auto& kv : a) {
            const json::value* other = b.if_contains(kv.key());
            if (!other) return differs(where, "missing field " + std::string(kv.key()));
            if (!same_json(kv.value(), *other, where)) {
                where = "." + std::string(kv.key()) + " " + where;
                return false;
            }
        }
        return true;
    }
    return e == g || differs(where, json::serialize(e) + " and " + json::serialize(g));
}

bool same_entry(const json::value& expected, const json::value& got, std::string& where) {
    json::object e = expected.as_object(), g = got.as_object();
    std::string message;
    if (const json::value* m = g.if_contains("message")) message = m->as_string().c_str();
    g.erase("message");
    json::array mentions;
    if (const json::value* m = e.if_contains("mentions")) mentions = m->as_array();
    e.erase("mentions");
    if (!same_json(e, g, where)) return false;
    std::size_t from = 0;
    for (const auto& m : mentions) {
        const std::size_t at = message.find(m.as_string().c_str(), from);
        if (at == std::string::npos)
            return differs(where, "the message does not mention " + json::serialize(m) + ": " + message);
        from = at + m.as_string().size();
    }
    return true;
}

} // namespace replay
