// The registry of ops and the binding of values to schemas.
#include <algorithm>
#include <map>

#include <reel/autograd/error.hpp>
#include <reel/autograd/op.hpp>

#include "op/convert.hpp"
#include "op/out.hpp"

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
void Registry::declare_unsupported(std::string_view name, std::string_view variant) {
    if (const Op* op = find(name)) const_cast<Op*>(op)->unsupported_variants.emplace_back(variant);
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

const char* const option_names[] = {"dtype", "layout", "device", "requires_grad", "pin_memory", "memory_format"};
/// NumPy's words, which PyTorch takes too where an argument has the name beside them.
constexpr std::pair<std::string_view, std::string_view> numpy_names[] = {
    {"axis", "dim"}, {"keepdims", "keepdim"}, {"x", "input"}, {"a", "input"}, {"x1", "input"}, {"x2", "other"}};

/// The name of the argument that a caller's `name` means: its own, or the one that NumPy's word stands for.
std::string_view name_here(const std::vector<Argument>& arguments, std::string_view name) {
    const auto known = [&](std::string_view n) {
        return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == n; });
    };
    if (known(name)) return name;
    for (const auto& [word, own] : numpy_names)
        if (word == name && known(own)) return own;
    return name;
}

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
        const std::string_view own = name_here(arguments, name);
        bool found = false;
        for (std::size_t i = 0; i < arguments.size() && !found; ++i) {
            if (arguments[i].name == own) {
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

namespace {
/// Factories make what the output holds unless the call says otherwise.
void take_dtype_from(const Schema& s, const Value& out, std::vector<Value>& bound) {
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (s.arguments[i].type != "TensorOptions" || !out.isTensor()) continue;
        ValueDict options;
        if (bound[i].isGenericDict())
            for (const auto& [key, value] : bound[i].toGenericDict()) options.set(key, value);
        if (!options.contains("dtype")) options.set(Value("dtype"), Value(out.toTensor().scalar_type()));
        if (!options.contains("device")) options.set(Value("device"), Value(out.toTensor().device()));
        bound[i] = Value(std::move(options));
    }
}
} // namespace

Value Op::call(const Args& args, const Kwargs& kwargs) const {
    std::vector<Value> bound;
    const Value* const out = kwargs.find(std::string_view("out"));
    if (out && std::any_of(schemas.begin(), schemas.end(), [](const Schema& s) { return s.takes_out; })) {
        Kwargs rest = kwargs;
        rest.erase("out");
        if (out->isNone()) return call(args, rest);
        for (const Schema& s : schemas)
            if (s.takes_out && s.bind(args, rest, bound, nullptr)) {
                take_dtype_from(s, *out, bound);
                return detail::into_out(name.c_str(), *out, bound, [&] { return s.call(bound); });
            }
        no_schema_fits(*this, args, rest);
    }
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
        else if (name == "memory_format") o = o.memory_format(opt_memory_format(value));
    }
    return o;
}
std::string_view reduction(const Value& size_average, const Value& reduce, const Value& reduction) {
    if (size_average.isNone() && reduce.isNone()) return reduction.toStringRef();
    const bool reduced = reduce.isNone() || reduce.toBool(), mean = size_average.isNone() || size_average.toBool();
    const char* const word = !reduced ? "none" : mean ? "mean" : "sum";
    REEL_WARN_DEPRECATION("size_average and reduce are deprecated; use reduction='", word, "' instead");
    return word;
}
} // namespace convert

} // namespace reel::ops
