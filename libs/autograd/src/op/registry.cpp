// The registry of ops and the binding of values to schemas.
#include <algorithm>
#include <map>

#include <reel/autograd/error.hpp>
#include <reel/autograd/op.hpp>

#include "op/convert.hpp"

namespace reel::ops {

void register_all(Registry& r); // generated

struct Registry::Impl {
    std::map<std::string, std::shared_ptr<Op>, std::less<>> ops;
};

Registry::Impl& Registry::impl() const { return *impl_; }

Registry& registry() {
    static Registry* const r = [] {
        auto* fresh = new Registry;
        fresh->impl_ = std::make_shared<Registry::Impl>();
        register_all(*fresh);
        return fresh;
    }();
    return *r;
}

void Registry::add(Schema schema) {
    auto& op = impl().ops[schema.name];
    if (!op) {
        op = std::make_shared<Op>();
        op->name = schema.name;
    }
    op->schemas.push_back(std::move(schema));
}
void Registry::add_alias(std::string_view alias, std::string_view name) {
    const auto it = impl().ops.find(name);
    REEL_CHECK_WITH(KeyError, it != impl().ops.end(), "registry: alias ", alias, " names the unknown op ", name);
    impl().ops[std::string(alias)] = it->second;
}
const Op* Registry::find(std::string_view name) const {
    const auto it = impl().ops.find(name);
    return it == impl().ops.end() ? nullptr : it->second.get();
}

namespace {
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}
} // namespace

const Op& Registry::at(std::string_view name) const {
    if (const Op* op = find(name)) return *op;
    std::string near;
    for (const auto& [other, op] : impl().ops)
        if (edit_distance(name, other) <= 2) near += (near.empty() ? "" : ", ") + other;
    REEL_THROW(KeyError, "there is no op '", name, "'", near.empty() ? "" : "; did you mean: " + near, "?");
}
std::vector<std::string> Registry::names() const {
    std::vector<std::string> r;
    for (const auto& [name, op] : impl().ops) r.push_back(name);
    return r;
}

namespace {

/// Converts `v` to what an argument of `type` expects; false with a reason when it does not fit.
bool fit(const Argument& a, Value& v, std::string& why) {
    std::string type = a.type;
    const bool optional = type.back() == '?';
    if (optional) type.pop_back();
    if (v.isNone()) {
        if (optional || type == "Value") return true;
        why = str("argument '", a.name, "' is None; expected ", a.type);
        return false;
    }
    const auto number = [](const Value& x) { return x.isBool() || x.isInt() || x.isDouble(); };
    const auto plain_tensor = [](const Value& x) {
        return x.isTensor() && x.toTensor().numel() == 1 && x.toTensor().dim() == 0 && !x.toTensor().requires_grad();
    };
    const auto integer = [&](const Value& x) {
        return x.isInt() || x.isBool() || (plain_tensor(x) && isIntegralType(x.toTensor().scalar_type(), true));
    };
    const auto all = [&](auto pred) {
        return v.isSequence() && std::all_of(v.elements().begin(), v.elements().end(), pred);
    };
    bool ok = false;
    if (type == "Value") ok = true;
    else if (type == "Tensor") ok = v.isTensor();
    else if (type == "Tensor[]") ok = all([](const Value& x) { return x.isTensor(); });
    else if (type == "Tensor?[]") ok = all([](const Value& x) { return x.isTensor() || x.isNone(); });
    else if (type == "int") ok = integer(v);
    else if (type == "float") ok = number(v) || plain_tensor(v);
    else if (type == "bool") ok = v.isBool();
    else if (type == "Scalar") ok = v.isScalar() || plain_tensor(v);
    else if (type == "str") ok = v.isString();
    else if (type == "Dtype") ok = v.isDtype();
    else if (type == "Device") ok = v.isDevice() || v.isString();
    else if (type == "Generator" || type == "MemoryFormat") ok = true;
    else if (type.starts_with("int[")) {
        ok = integer(v) || all(integer);
        if (ok && !v.isSequence()) v = Value::list({v});
    } else if (type == "int?[]") {
        ok = integer(v) || all([&](const Value& x) { return x.isNone() || integer(x); });
        if (ok && !v.isSequence()) v = Value::list({v});
    } else if (type.starts_with("float[")) {
        ok = number(v) || all(number);
        if (ok && !v.isSequence()) v = Value::list({v});
    }
    if (!ok) why = str("argument '", a.name, "' is ", v.repr(), "; expected ", a.type);
    return ok;
}

const char* const option_names[] = {"dtype", "layout", "device", "requires_grad", "pin_memory"};

} // namespace

bool Schema::bind(const Args& args, const Kwargs& kwargs, std::vector<Value>& bound, std::string* why) const {
    std::string reason;
    const auto refuse = [&](std::string text) {
        if (why) *why = std::move(text);
        return false;
    };
    bound.assign(arguments.size(), Value());
    std::vector<bool> given(arguments.size());
    std::size_t positional = 0;
    while (positional < arguments.size() && !arguments[positional].kwarg_only) ++positional;
    // x.permute(0, 1), meshgrid(a, b): surplus plain values are one list.
    std::size_t next = 0;
    for (std::size_t i = 0; i < positional && next < args.size(); ++i) {
        const std::string& type = arguments[i].type;
        const bool ints = type.starts_with("int["), tensors = type.starts_with("Tensor[");
        const bool element = (ints && (args[next].isInt())) || (tensors && args[next].isTensor());
        if (element && (args.size() > positional || (tensors && i + 1 == positional) ||
                        (ints && i + 1 == positional && args.size() - next > 1))) {
            std::vector<Value> list;
            while (next < args.size() && (ints ? args[next].isInt() : args[next].isTensor()))
                list.push_back(args[next++]);
            bound[i] = Value::list(std::move(list));
        } else bound[i] = args[next++];
        given[i] = true;
    }
    if (next < args.size()) return refuse(str("takes ", positional, " positional arguments, got ", args.size()));
    for (const auto& [key, value] : kwargs) {
        const std::string& name = key.toStringRef();
        bool found = false;
        for (std::size_t i = 0; i < arguments.size() && !found; ++i) {
            if (arguments[i].name == name) {
                if (given[i]) return refuse(str("argument '", name, "' is given twice"));
                bound[i] = value;
                given[i] = found = true;
            } else if (arguments[i].type == "TensorOptions" &&
                       std::find(std::begin(option_names), std::end(option_names), name) != std::end(option_names)) {
                if (!bound[i].isGenericDict()) bound[i] = Value(ValueDict());
                bound[i].toGenericDict().set(Value(name), value);
                found = true;
            }
        }
        if (!found) return refuse(str("there is no argument '", name, "'"));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].type == "TensorOptions") continue;
        if (!given[i]) {
            if (!arguments[i].has_default) return refuse(str("argument '", arguments[i].name, "' is missing"));
            bound[i] = arguments[i].default_value;
            continue;
        }
        if (!fit(arguments[i], bound[i], reason)) return refuse(std::move(reason));
    }
    return true;
}

namespace {
[[noreturn]] void no_schema_fits(const Op& op, const Args& args, const Kwargs& kwargs) {
    std::string text = op.name + ": no way to call it with (";
    for (std::size_t i = 0; i < args.size(); ++i) text += (i ? ", " : "") + args[i].repr();
    for (const auto& [key, value] : kwargs) text += ", " + key.toStringRef() + "=" + value.repr();
    text += ")";
    for (const Schema& s : op.schemas) {
        std::vector<Value> bound;
        std::string why;
        s.bind(args, kwargs, bound, &why);
        text += "\n  " + s.text + ": " + why;
    }
    throw TypeError(text);
}
} // namespace

Value Op::call(const Args& args, const Kwargs& kwargs) const {
    std::vector<Value> bound;
    for (const Schema& s : schemas)
        if (s.bind(args, kwargs, bound, nullptr)) return s.call(bound);
    no_schema_fits(*this, args, kwargs);
}
bool Op::has_inplace() const {
    return std::any_of(schemas.begin(), schemas.end(), [](const Schema& s) { return s.call_inplace != nullptr; });
}
Value Op::call_inplace(const Args& args, const Kwargs& kwargs) const {
    std::vector<Value> bound;
    for (const Schema& s : schemas)
        if (s.call_inplace && s.bind(args, kwargs, bound, nullptr)) return s.call_inplace(bound);
    no_schema_fits(*this, args, kwargs);
}

namespace convert {
std::optional<MemoryFormat> opt_memory_format(const Value& v) {
    if (v.isNone()) return std::nullopt;
    const std::string& s = v.toStringRef();
    if (s == "contiguous_format") return MemoryFormat::Contiguous;
    if (s == "preserve_format") return MemoryFormat::Preserve;
    if (s == "channels_last") return MemoryFormat::ChannelsLast;
    if (s == "channels_last_3d") return MemoryFormat::ChannelsLast3d;
    REEL_THROW(TypeError, "memory_format: unknown format '", s, "'");
}
TensorOptions options(const Value& v) {
    TensorOptions o;
    if (v.isNone()) return o;
    for (const auto& [key, value] : v.toGenericDict()) {
        if (value.isNone()) continue;
        const std::string& name = key.toStringRef();
        if (name == "dtype") o = o.dtype(value.toDtype());
        else if (name == "device") o = o.device(value.toDevice());
        else if (name == "requires_grad") o = o.requires_grad(value.toBool());
        else if (name == "pin_memory") o = o.pinned_memory(value.toBool());
    }
    return o;
}
} // namespace convert

} // namespace reel::ops
