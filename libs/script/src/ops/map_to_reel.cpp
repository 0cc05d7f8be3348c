// Finds the op of Reel's registry that runs an overload, and lays the arguments out as it takes them.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <reel/autograd/error.hpp>
#include <reel/autograd/op.hpp>

#include "ops/mapping.hpp"
#include "ops/numbers.hpp"

namespace reel::jit {

namespace {

enum class Convert { AsIs, Dtype, MemoryFormat, Reduction, EmptyIsNone, Options };

/// Where one argument of Reel's comes from.
struct Source {
    int from = -1; ///< an argument of aten's; -1: `value`
    Convert convert = Convert::AsIs;
    IValue value;
    std::vector<std::pair<std::string, int>> options; ///< of Convert::Options: names and arguments of aten's
};
using Plan = std::vector<Source>;

constexpr std::string_view option_names[] = {"dtype", "device", "pin_memory", "requires_grad", "memory_format"};
/// Arguments that mean nothing here: choices of a library, layouts (strided alone), how a copy overlaps.
constexpr std::string_view ignored[] = {"cudnn_enable", "cudnn_enabled", "layout",    "pin_memory", "non_blocking",
                                        "implicit",     "path",          "benchmark", "device_hint"};
template <class Range> bool holds(const Range& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// What aten calls an argument of Reel's, when not the same.
bool same_name(std::string_view reel, std::string_view aten) {
    return reel == aten || (reel == "input" && aten == "self") || (reel == "x" && aten == "self") ||
           (reel == "training" && aten == "train") || (reel == "A" && aten == "self") ||
           (reel == "eq" && aten == "equation");
}

/// Whether values of aten's type are what an argument of Reel's type takes; `lenient`: one that may be None, too.
bool fits(const Type& given, std::string_view wanted, std::string_view name, bool lenient) {
    const bool optional = wanted.ends_with('?');
    if (optional) wanted.remove_suffix(1);
    if (wanted == "Value") return true;
    const Type* type = &given;
    if (type->kind() == TypeKind::Optional) {
        if (!optional && !lenient) return false;
        type = type->contained()[0].get();
    }
    const TypeKind kind = type->kind();
    if (wanted.ends_with("]")) {                                                        // `int[]`, `int[2]`
        if (lenient && kind == TypeKind::Int && wanted.starts_with("int")) return true; // a list of one
        if (kind != TypeKind::List) return false;
        const Type& element = *type->contained()[0];
        const bool tensors = element.kind() == TypeKind::Tensor || element.kind() == TypeKind::Optional;
        return wanted.starts_with("Tensor")  ? tensors
               : wanted.starts_with("float") ? element.kind() == TypeKind::Float
                                             : element.kind() == TypeKind::Int || element.kind() == TypeKind::Optional;
    }
    const bool number = kind == TypeKind::Number || kind == TypeKind::Int || kind == TypeKind::Float;
    if (wanted == "Tensor") return kind == TypeKind::Tensor;
    if (wanted == "int" || wanted == "Dtype" || wanted == "MemoryFormat") return kind == TypeKind::Int;
    if (wanted == "float") return number;
    if (wanted == "Scalar") return number || kind == TypeKind::Bool || kind == TypeKind::Complex;
    if (wanted == "bool") return kind == TypeKind::Bool;
    if (wanted == "str") return kind == TypeKind::String || (name == "reduction" && kind == TypeKind::Int);
    if (wanted == "Device") return kind == TypeKind::Device;
    return wanted == "Generator" && kind == TypeKind::Generator;
}

Source source_of(const FunctionSchema& aten, std::size_t i, const ops::Argument& wanted) {
    Source s{int(i), Convert::AsIs, {}, {}};
    const Argument& given = aten.arguments[i];
    if (wanted.type.starts_with("Dtype")) s.convert = Convert::Dtype;
    else if (wanted.type.starts_with("MemoryFormat")) s.convert = Convert::MemoryFormat;
    else if (wanted.name == "reduction") s.convert = Convert::Reduction;
    else if (wanted.type.ends_with("[]?") && given.type->kind() == TypeKind::List) s.convert = Convert::EmptyIsNone;
    return s;
}

Source options_of(const FunctionSchema& aten, std::vector<bool>& used) {
    Source s{-1, Convert::Options, {}, {}};
    for (std::size_t i = 0; i < aten.arguments.size(); ++i) {
        if (used[i] || !holds(option_names, aten.arguments[i].name)) continue;
        used[i] = true;
        s.options.emplace_back(aten.arguments[i].name, int(i));
    }
    return s;
}

/// The arguments by name, else by position; none when they do not all find a place.
std::optional<Plan> match(const FunctionSchema& aten, const ops::Schema& reel, bool lenient) {
    Plan plan(reel.arguments.size());
    std::vector<bool> used(aten.arguments.size()), placed(plan.size());
    const auto place = [&](std::size_t r, std::size_t a) {
        const ops::Argument& wanted = reel.arguments[r];
        if (used[a] || !fits(*aten.arguments[a].type, wanted.type, wanted.name, lenient)) return false;
        plan[r] = source_of(aten, a, wanted);
        return bool(placed[r] = used[a] = true);
    };
    for (std::size_t r = 0; r < plan.size(); ++r)
        for (std::size_t a = 0; a < used.size(); ++a) {
            if (placed[r] || !same_name(reel.arguments[r].name, aten.arguments[a].name)) continue;
            if (!place(r, a)) return std::nullopt;
        }
    for (std::size_t r = 0; r < plan.size(); ++r) {
        if (placed[r]) continue;
        const ops::Argument& wanted = reel.arguments[r];
        if (wanted.type == "TensorOptions") plan[r] = options_of(aten, used);
        else if (r < used.size() && !wanted.kwarg_only && !holds(ignored, aten.arguments[r].name) && place(r, r)) {
        } else if (wanted.has_default) plan[r].value = wanted.default_value;
        else return std::nullopt;
    }
    for (std::size_t a = 0; a < used.size(); ++a)
        if (!used[a] && !holds(ignored, aten.arguments[a].name)) return std::nullopt;
    return plan;
}

IValue literal(std::string_view text) {
    if (text == "None") return {};
    if (text == "True" || text == "False") return text == "True";
    if (text.starts_with('\'')) return text.substr(1, text.size() - 2);
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    REEL_INTERNAL_ASSERT(error == std::errc() && end == text.data() + text.size(), "literal ", text, " of a mapping");
    return n;
}

/// The arguments as a mapping spells them; none when Reel's overload has no such arguments.
std::optional<Plan> spelled(const FunctionSchema& aten, const ops::Schema& reel, std::string_view arguments) {
    Plan plan(reel.arguments.size());
    std::vector<bool> placed(plan.size());
    while (!arguments.empty()) {
        const std::size_t comma = std::min(arguments.find(", "), arguments.size());
        const std::string_view item = arguments.substr(0, comma);
        arguments.remove_prefix(std::min(comma + 2, arguments.size()));
        const std::string_view name = item.substr(0, item.find('=')), what = item.substr(item.find('=') + 1);
        const auto r = std::find_if(reel.arguments.begin(), reel.arguments.end(),
                                    [&](const ops::Argument& a) { return a.name == name; });
        if (r == reel.arguments.end()) return std::nullopt;
        const std::size_t at = std::size_t(r - reel.arguments.begin()), a = aten.find_argument(what);
        if (a < aten.arguments.size()) {
            if (!fits(*aten.arguments[a].type, r->type, r->name, true)) return std::nullopt;
            plan[at] = source_of(aten, a, *r);
        } else plan[at].value = literal(what);
        placed[at] = true;
    }
    for (std::size_t r = 0; r < plan.size(); ++r) {
        if (placed[r]) continue;
        if (!reel.arguments[r].has_default && reel.arguments[r].type != "TensorOptions") return std::nullopt;
        plan[r].value = reel.arguments[r].default_value;
    }
    return plan;
}

IValue converted(const Source& source, std::span<IValue> arguments) {
    if (source.convert == Convert::Options) {
        ValueDict options;
        for (const auto& [name, from] : source.options) {
            IValue& v = arguments[std::size_t(from)];
            if (v.isNone()) continue;
            if (name == "dtype") options.set(name, *optional_dtype(v));
            else if (name == "memory_format") options.set(name, memory_format_of_number(v.toInt()));
            else options.set(name, std::move(v));
        }
        return options.empty() ? IValue() : IValue(std::move(options));
    }
    if (source.from < 0) return source.value;
    IValue& v = arguments[std::size_t(source.from)];
    if (v.isInt()) {
        if (source.convert == Convert::Dtype) return dtype_of_number(v.toInt());
        if (source.convert == Convert::MemoryFormat) return memory_format_of_number(v.toInt());
        if (source.convert == Convert::Reduction) return reduction_of_number(v.toInt());
    }
    if (source.convert == Convert::EmptyIsNone && v.isList() && v.elements().empty()) return {};
    return std::move(v);
}

using Call = IValue (*)(std::span<const IValue>);

bool is_identity(const Plan& plan, std::size_t arguments) {
    if (plan.size() != arguments) return false;
    for (std::size_t i = 0; i < plan.size(); ++i)
        if (plan[i].from != int(i) || plan[i].convert != Convert::AsIs) return false;
    return true;
}

IValue call_planned(Call call, const Plan& plan, std::span<IValue> arguments) {
    constexpr std::size_t few = 16;
    if (plan.size() <= few) {
        std::array<IValue, few> bound;
        for (std::size_t i = 0; i < plan.size(); ++i) bound[i] = converted(plan[i], arguments);
        return call(std::span<const IValue>(bound.data(), plan.size()));
    }
    std::vector<IValue> bound;
    bound.reserve(plan.size());
    for (const Source& s : plan) bound.push_back(converted(s, arguments));
    return call(bound);
}

/// Dtypes that are results (`result_type`) are numbers in scripts.
IValue as_number(IValue result) { return result.isDtype() ? IValue(number_of_dtype(result.toDtype())) : result; }

Operation operation(Call call, Plan plan, const FunctionSchema& aten) {
    const bool number = aten.returns.size() == 1 && aten.returns[0].type->kind() == TypeKind::Int;
    if (is_identity(plan, aten.arguments.size()) && !number)
        return [call](std::span<IValue> a) { return call(std::span<const IValue>(a.data(), a.size())); };
    return [call, plan = std::move(plan), number](std::span<IValue> a) {
        return number ? as_number(call_planned(call, plan, a)) : call_planned(call, plan, a);
    };
}

/// A form with `out`, through the op's own.
Operation operation_into(const ops::Op& op, const ops::Schema& reel, Plan plan, std::size_t out) {
    return [&op, &reel, plan = std::move(plan), out](std::span<IValue> a) {
        Args args;
        Kwargs kwargs;
        for (std::size_t i = 0; i < plan.size(); ++i) {
            const ops::Argument& wanted = reel.arguments[i];
            if (wanted.type == "TensorOptions") continue;
            IValue v = converted(plan[i], a);
            if (wanted.kwarg_only) kwargs.set(wanted.name, std::move(v));
            else args.push_back(std::move(v));
        }
        kwargs.set("out", a[out]);
        return op.call(args, kwargs);
    };
}

/// A form in place that the registry lacks: the op's result is copied over the first argument.
Operation operation_onto(Call call, Plan plan) {
    return [call, plan = std::move(plan)](std::span<IValue> a) -> IValue {
        Tensor self = a[0].toTensor();
        const IValue result = call_planned(call, plan, a);
        self.copy_(result.toTensor());
        return self;
    };
}

/// The names under which the registry may have it.
std::vector<std::string> candidates(const std::string& name) {
    std::vector<std::string> r{name, "nn.functional." + name};
    for (const char* prefix : {"linalg_", "special_", "fft_"})
        if (name.starts_with(prefix)) {
            std::string dotted = name;
            dotted[std::string_view(prefix).size() - 1] = '.';
            r.push_back(std::move(dotted));
        }
    return r;
}

struct Found {
    const ops::Op* op;
    const ops::Schema* schema;
    Plan plan;
};
std::optional<Found> find(const FunctionSchema& aten, const std::vector<std::string>& names, bool in_place,
                          const Mapping* mapping) {
    const bool spells = mapping && !mapping->arguments.empty();
    for (const bool lenient : {false, true})
        for (const std::string& name : names) {
            const ops::Op* const op = ops::registry().find(name);
            if (!op) continue;
            for (const ops::Schema& s : op->schemas) {
                if (in_place ? !s.call_inplace : !s.call) continue;
                auto plan = spells ? spelled(aten, s, mapping->arguments) : match(aten, s, lenient);
                if (plan) return Found{op, &s, std::move(*plan)};
            }
        }
    return std::nullopt;
}

const Mapping* mapping_of(const FunctionSchema& schema) {
    const std::string qualified = schema.qualified();
    const Mapping* all = nullptr;
    for (const Mapping& m : mappings()) {
        if (m.aten == qualified) return &m;
        if (m.aten == schema.name) all = &m;
    }
    return all;
}

} // namespace

ReelCall map_to_reel(const FunctionSchema& schema) {
    const Mapping* const mapping = mapping_of(schema);
    const std::string name = mapping ? std::string(mapping->reel) : schema.name.substr(schema.name.find("::") + 2);
    if (const std::size_t out = schema.find_argument("out"); out < schema.arguments.size()) {
        FunctionSchema without = schema;
        without.arguments.erase(without.arguments.begin() + std::ptrdiff_t(out));
        auto found = find(without, candidates(name), false, mapping);
        if (!found || !found->schema->takes_out || out + 1 != schema.arguments.size()) return {};
        return {operation_into(*found->op, *found->schema, std::move(found->plan), out), found->schema->is_random};
    }
    if (auto found = find(schema, candidates(name), false, mapping))
        return {operation(found->schema->call, std::move(found->plan), schema), found->schema->is_random};
    if (name.ends_with('_') && !name.ends_with("__"))
        if (auto found = find(schema, candidates(name.substr(0, name.size() - 1)), true, mapping))
            return {operation(found->schema->call_inplace, std::move(found->plan), schema), found->schema->is_random};
    if (name.ends_with('_') && !name.ends_with("__") && schema.arguments[0].is_written)
        if (auto found = find(schema, candidates(name.substr(0, name.size() - 1)), false, mapping))
            return {operation_onto(found->schema->call, std::move(found->plan)), found->schema->is_random};
    return {};
}

} // namespace reel::jit
