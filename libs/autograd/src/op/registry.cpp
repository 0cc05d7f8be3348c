// The registry of ops and the binding of values to schemas.
#include <algorithm>
#include <map>
#include <utility>

#include <reel/autograd/detail/edit_distance.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/op.hpp>

#include "op/caller.hpp"
#include "op/convert.hpp"
#include "op/devices.hpp"
#include "op/out.hpp"
#include "op/run_call.hpp"
#include "op/take.hpp"

namespace reel::ops {

void register_all(Registry& r); // generated

struct Registry::Impl {
    std::map<std::string, std::shared_ptr<Op>, std::less<>> ops;
    std::multimap<std::string, std::string> aliases; ///< an op's other names: ops of their own, so that errors say them
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

namespace {
/// The schema under an op's other name: one with an underscore behind it (`zero_` of `zero`) is the form in place.
Schema under_alias(Schema schema, std::string_view alias) {
    if (alias.ends_with('_') && schema.call_inplace) {
        schema.call = std::exchange(schema.call_inplace, nullptr);
        schema.has_inplace = false;
    }
    return schema;
}
} // namespace

void Registry::add(Schema schema) {
    auto& op = impl().ops[schema.name];
    if (!op) {
        op = std::make_shared<Op>();
        op->name = schema.name;
    }
    for (const Schema& known : op->schemas)
        REEL_CHECK_WITH(KeyError, known.text != schema.text, "registry: there is an op '", schema.text, "' already");
    const auto [first, last] = impl().aliases.equal_range(schema.name);
    for (auto it = first; it != last; ++it)
        impl().ops.at(it->second)->schemas.push_back(under_alias(schema, it->second));
    op->schemas.push_back(std::move(schema));
}
void Registry::add_alias(std::string_view alias, std::string_view name) {
    const auto it = impl().ops.find(name);
    REEL_CHECK_WITH(KeyError, it != impl().ops.end(), "registry: alias ", alias, " names the unknown op ", name);
    auto op = std::make_shared<Op>(*it->second);
    op->name = alias;
    for (Schema& s : op->schemas) s = under_alias(std::move(s), alias);
    impl().ops[op->name] = op;
    impl().aliases.emplace(name, alias);
}
const Op* Registry::find(std::string_view name) const {
    const auto it = impl().ops.find(name);
    return it == impl().ops.end() ? nullptr : it->second.get();
}

const Op& Registry::at(std::string_view name) const {
    if (const Op* op = find(name)) return *op;
    std::string near;
    for (const auto& [other, op] : impl().ops)
        if (reel::detail::edit_distance(name, other) <= 2) near += (near.empty() ? "" : ", ") + other;
    REEL_THROW(KeyError, "there is no op '", name, "'", near.empty() ? "" : "; did you mean: " + near, "?");
}
std::vector<std::string> Registry::names() const {
    std::vector<std::string> r;
    for (const auto& [name, op] : impl().ops) r.push_back(name);
    return r;
}

namespace {

bool is_number(const Value& v) { return v.isBool() || v.isInt() || v.isDouble(); }
bool is_plain_tensor(const Value& v) {
    return v.isTensor() && v.toTensor().defined() && v.toTensor().dim() == 0 && !v.toTensor().is_meta() &&
           !v.toTensor().requires_grad();
}
bool is_integer(const Value& v) {
    return v.isInt() || (is_plain_tensor(v) && isIntegralType(v.toTensor().scalar_type(), false)); // a bool is no count
}
bool is_memory_format(const Value& v) {
    if (!v.isString()) return false;
    for (const char* known : {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"})
        if (v.toStringRef() == known) return true;
    return false;
}
/// What a list of the schema type `type` may hold; null for other types.
bool (*element_test(const std::string& type))(const Value&) {
    if (type == "Tensor[]") return [](const Value& v) { return v.isTensor() && v.toTensor().defined(); };
    if (type == "Tensor?[]") return [](const Value& v) { return v.isTensor() || v.isNone(); };
    if (type == "int?[]") return [](const Value& v) { return v.isNone() || is_integer(v); };
    if (type.starts_with("int[")) return is_integer;
    if (type.starts_with("float[")) return is_number;
    return nullptr;
}
bool fits_plain(const std::string& type, const Value& v) {
    if (type == "Tensor") return v.isTensor() && v.toTensor().defined();
    if (type == "int") return is_integer(v);
    if (type == "float") return is_number(v) || is_plain_tensor(v);
    if (type == "bool") return v.isBool();
    if (type == "Scalar") return v.isScalar() || is_plain_tensor(v);
    if (type == "str") return v.isString();
    if (type == "Dtype") return v.isDtype();
    if (type == "Device") return v.isDevice() || v.isString();
    if (type == "Generator") return v.try_get<Generator>() != nullptr;
    if (type == "MemoryFormat") return is_memory_format(v);
    return false;
}
std::string misfit(const std::string& argument, const Value& v, const std::string& expected) {
    return str("argument '", argument, "' is ", shortened(v.repr()), "; expected ", expected);
}

/// Converts `v` to what an argument of `type` expects; false with a reason when it does not fit.
bool fit(const Argument& a, Value& v, std::string& why) {
    std::string type = a.type;
    const bool optional = type.back() == '?';
    if (optional) type.pop_back();
    const bool absent = v.isNone() || (type == "Tensor" && optional && v.isTensor() && !v.toTensor().defined());
    if (type == "Value" || (optional && absent)) return true;
    const auto of_element = element_test(type);
    if (!of_element) {
        if (fits_plain(type, v)) return true;
    } else if (v.isSequence()) {
        const std::vector<Value>& elements = v.elements();
        const auto bad = std::find_if_not(elements.begin(), elements.end(), of_element);
        if (bad == elements.end()) return true;
        why =
            misfit(a.name, v, a.type) + str("; the entry at ", bad - elements.begin(), " is ", shortened(bad->repr()));
        return false;
    } else if (!type.starts_with("Tensor") && !v.isNone() && of_element(v)) {
        v = Value::list({v}); // a number stands for a list of one
        return true;
    }
    why = misfit(a.name, v, a.type);
    return false;
}

/// The options that make up a `TensorOptions`.
bool fits_option(const std::string& name, const Value& v, std::string& why) {
    if (v.isNone()) return true;
    const char* expected = nullptr;
    if (name == "dtype" && !v.isDtype()) expected = "a dtype";
    else if (name == "device" && !v.isDevice() && !v.isString()) expected = "a device";
    else if ((name == "requires_grad" || name == "pin_memory") && !v.isBool()) expected = "bool";
    else if (name == "layout" && !(v.isString() && v.toStringRef() == "strided"))
        expected = "'strided', the only layout";
    if (expected) why = misfit(name, v, expected);
    return !expected;
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
    // x.permute(0, 1), meshgrid(a, b): surplus plain values are one list; a tensor may stand for a size.
    std::size_t next = 0;
    for (std::size_t i = 0; i < positional && next < args.size(); ++i) {
        const std::string& type = arguments[i].type;
        const bool ints = type.starts_with("int["), tensors = type.starts_with("Tensor[");
        const bool element = (ints && is_integer(args[next])) || (tensors && args[next].isTensor());
        if (element && (args.size() > positional || (tensors && i + 1 == positional) ||
                        (ints && i + 1 == positional && args.size() - next > 1))) {
            std::vector<Value> list;
            while (next < args.size() && (ints ? is_integer(args[next]) : args[next].isTensor()))
                list.push_back(args[next++]);
            bound[i] = Value::list(std::move(list));
        } else bound[i] = args[next++];
        given[i] = true;
    }
    if (next < args.size()) return refuse(str("takes ", positional, " positional arguments, got ", args.size()));
    for (const auto& [key, value] : kwargs) {
        if (!key.isString()) return refuse("a keyword is " + shortened(key.repr()) + "; expected str");
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
                if (!fits_option(name, value, reason)) return refuse(std::move(reason));
                bound[i].toGenericDict().set(Value(name), value);
                found = true;
            }
        }
        if (!found) return refuse(str("there is no argument '", shortened(name), "'"));
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
[[noreturn]] void no_schema_fits(const Op& op, const char* suffix, const Args& args, const Kwargs& kwargs) {
    std::string given;
    for (const Value& v : args) given += (given.empty() ? "" : ", ") + shortened(v.repr());
    for (const auto& [key, value] : kwargs)
        given += (given.empty() ? "" : ", ") + shortened(key.isString() ? key.toStringRef() : key.repr()) + "=" +
                 shortened(value.repr());
    std::string text = op.name + suffix + ": no way to call it with (" + shortened(given, 600) + ")";
    for (const Schema& s : op.schemas) {
        std::vector<Value> bound;
        std::string why;
        s.bind(args, kwargs, bound, &why);
        text += "\n  " + s.text + ": " + why;
    }
    throw TypeError(text);
}

/// Calls one of the schema's functions; errors that come out speak of the call by name. What the standard library
/// throws where a size was too large leaves as an error of Reel's.
Value guarded(Value (*call)(std::span<const Value>), const std::string& name, const Schema& schema,
              std::span<const Value> bound) {
    check_devices(name, schema, bound);
    try {
        return call(bound);
    } catch (Error& e) {
        throw_on(e, name, schema, bound);
    } catch (const std::bad_alloc&) {
        REEL_THROW(OutOfMemoryError, name,
                   ": there is no memory for what its arguments ask for: ", describe_bound(schema, bound));
    } catch (const std::length_error&) {
        REEL_THROW(ValueError, name,
                   ": an argument asks for more elements than can be counted: ", describe_bound(schema, bound));
    }
}
/// Gives the call to whoever takes calls, else to its op.
Value carry_out(const OpCall& call) { return calls_are_taken() ? give_to_mode(call) : run_call(call); }
} // namespace

Value options_like(const Value& out, const Value& said) {
    ValueDict options;
    if (said.isGenericDict())
        for (const auto& [key, value] : said.toGenericDict()) options.set(key, value);
    if (!options.contains("dtype")) options.set(Value("dtype"), Value(out.toTensor().scalar_type()));
    if (!options.contains("device")) options.set(Value("device"), Value(out.toTensor().device()));
    return Value(std::move(options));
}

Value run_call(const OpCall& call) {
    const bool in_place = call.form == OpForm::InPlace;
    const auto function = in_place ? call.schema.call_inplace : call.schema.call;
    const auto run = [&] {
        if (!call.named) return function(call.arguments);
        return guarded(function, in_place ? call.op.name + "_" : call.op.name, call.schema, call.arguments);
    };
    return call.out ? detail::into_out(call.op.name.c_str(), *call.out, call.arguments, run) : run();
}

Value Op::call(const Args& args, const Kwargs& kwargs) const {
    std::vector<Value> bound;
    const Value* const out = kwargs.find(std::string_view("out"));
    if (out && std::any_of(schemas.begin(), schemas.end(), [](const Schema& s) { return s.takes_out; })) {
        Kwargs rest = kwargs;
        rest.erase("out");
        if (out->isNone()) return call(args, rest);
        for (const Schema& s : schemas)
            if (s.takes_out && s.bind(args, rest, bound, nullptr)) {
                for (std::size_t i = 0; i < bound.size(); ++i)
                    if (s.arguments[i].type == "TensorOptions" && out->isTensor())
                        bound[i] = options_like(*out, bound[i]);
                return carry_out({*this, s, OpForm::Out, bound, out});
            }
        no_schema_fits(*this, "", args, rest);
    }
    for (const Schema& s : schemas)
        if (s.bind(args, kwargs, bound, nullptr)) return carry_out({*this, s, OpForm::Functional, bound});
    no_schema_fits(*this, "", args, kwargs);
}
bool Op::has_inplace() const {
    return std::any_of(schemas.begin(), schemas.end(), [](const Schema& s) { return s.call_inplace != nullptr; });
}
Value Op::call_inplace(const Args& args, const Kwargs& kwargs) const {
    std::vector<Value> bound;
    for (const Schema& s : schemas)
        if (s.call_inplace && s.bind(args, kwargs, bound, nullptr))
            return carry_out({*this, s, OpForm::InPlace, bound});
    no_schema_fits(*this, "_", args, kwargs);
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
