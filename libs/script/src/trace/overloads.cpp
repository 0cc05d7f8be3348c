// From a call by name to the overload of a script's operator, as the reference's Python bindings choose it.
#include <algorithm>

#include <reel/autograd/error.hpp>

#include "ops/aliases.hpp"
#include "ops/mapping.hpp"
#include "ops/numbers.hpp"
#include "trace/tracer.hpp"

namespace reel::jit::trace_impl {

namespace {

/// Operators whose bindings take a number where a tensor is expected: it becomes a tensor without dimensions.
constexpr std::string_view takes_numbers[] = {"add",         "sub",      "mul",      "div",   "floor_divide",
                                              "true_divide", "multiply", "subtract", "divide"};

bool is_number_tensor(const IValue& v) {
    return v.isTensor() && v.toTensor().defined() && v.toTensor().dim() == 0 && v.toTensor().scalar_type() == kLong;
}
bool fits(const IValue& v, const Type& type, const Argument& a, bool broadcast) {
    switch (type.kind()) {
    case TypeKind::Optional:
        return v.isNone() || fits(v, *type.contained()[0], a, broadcast);
    case TypeKind::Tensor:
        return v.isTensor();
    case TypeKind::Int:
        return v.isInt() || is_number_tensor(v) || (v.isDtype() && a.spelling.find("ScalarType") == 0) ||
               (v.isString() && a.spelling.find("MemoryFormat") == 0) || (v.isString() && a.name == "reduction");
    case TypeKind::Float:
        return v.isDouble() || v.isInt();
    case TypeKind::Number:
        return v.isScalar() || is_number_tensor(v);
    case TypeKind::Bool:
        return v.isBool();
    case TypeKind::String:
        return v.isString();
    case TypeKind::Device:
        return v.isDevice();
    case TypeKind::List: {
        const Type& element = *type.contained()[0];
        if (!v.isSequence())
            return broadcast && a.broadcast && (element.kind() == TypeKind::Int || element.kind() == TypeKind::Float) &&
                   fits(v, element, a, broadcast);
        return std::all_of(v.elements().begin(), v.elements().end(),
                           [&](const IValue& e) { return fits(e, element, a, broadcast); });
    }
    default:
        return false;
    }
}

struct Matching {
    bool numbers_as_tensors, gather; ///< gather: `view(2, -1)`
    bool lenient; ///< one number for a list, None for what has no default: overloads that need neither come first
};

/// The arguments in the schema's order; false when they do not fit it.
bool bind(const FunctionSchema& schema, const Args& given, const Kwargs& kwargs, Matching how, Args& bound) {
    Args args = given;
    bound.clear();
    std::size_t position = 0, named = 0;
    for (const Argument& a : schema.arguments) {
        IValue v;
        bool is_given = true;
        const IValue* const by_name = kwargs.find(std::string_view(a.name == "self" ? "input" : a.name));
        if (by_name) {
            v = *by_name;
            ++named;
        } else if (position < args.size() && !a.kwarg_only) {
            const bool list = a.type->kind() == TypeKind::List && !args[position].isSequence();
            if (how.gather && list && !a.broadcast) {
                v = IValue::list(Args(args.begin() + std::ptrdiff_t(position), args.end()));
                position = args.size();
            } else v = args[position++];
        } else if (a.default_value) {
            bound.push_back(*a.default_value);
            is_given = false;
        } else if (how.lenient && a.type->kind() == TypeKind::Optional) {
            bound.emplace_back();
            is_given = false;
        } else return false;
        if (!is_given) continue;
        const bool number = how.numbers_as_tensors && a.type->kind() == TypeKind::Tensor && v.isScalar();
        if (!number && !fits(v, *a.type, a, how.lenient)) return false;
        bound.push_back(std::move(v));
    }
    return position == args.size() && named == kwargs.size();
}

/// Overloads with names of dimensions, those that write into `out`, and those of script values alone.
bool is_for_tensors(const FunctionSchema& schema) {
    if (schema.find_argument("out") < schema.arguments.size()) return false;
    for (const Argument& a : schema.arguments)
        if (a.spelling.find("Dimname") == 0 || a.spelling.find("str[") == 0) return false;
    return schema.overload.find("names") == std::string::npos && schema.overload.find("out") == std::string::npos;
}
/// Without arguments the bindings choose the overload with `correction`, which others precede.
bool is_passed_over(const FunctionSchema& schema, std::size_t given) {
    for (const char* name : {"aten::var", "aten::std", "aten::var_mean", "aten::std_mean"})
        if (schema.name == name) return given == 1 && schema.overload != "correction";
    return false;
}
/// `linalg.det` is `linalg_det`, `nn.functional.relu` is `relu`.
std::string name_in_scripts(const std::string& name) {
    for (const std::string_view space : {"linalg.", "fft.", "special."})
        if (name.starts_with(space))
            return reel::str(space.substr(0, space.size() - 1), "_", name.substr(space.size()));
    return name.substr(name.rfind('.') + 1);
}
} // namespace

const Operator* find_overload(const std::string& name, const Args& args, const Kwargs& kwargs, Args& bound) {
    std::vector<std::string> names{name_in_scripts(name)};
    for (const Mapping& m : mappings())
        if (m.reel == name && m.aten.starts_with("aten::"))
            names.emplace_back(m.aten.substr(6, m.aten.find('.') == m.aten.npos ? m.aten.npos : m.aten.find('.') - 6));
    for (const std::string& candidate : names) {
        const std::string base = candidate.ends_with('_') ? candidate.substr(0, candidate.size() - 1) : candidate;
        const bool numbers =
            std::find(std::begin(takes_numbers), std::end(takes_numbers), base) != std::end(takes_numbers);
        for (const auto& [gather, lenient] : {std::pair(false, false), {false, true}, {true, false}, {true, true}})
            for (const Operator* op : operators(Symbol("aten::" + candidate))) {
                if (!is_for_tensors(op->schema) || op->refused) continue;
                if (is_passed_over(op->schema, args.size() + kwargs.size())) continue;
                if (bind(op->schema, args, kwargs, {numbers, gather, lenient}, bound)) return &canonical(*op);
            }
    }
    return nullptr;
}

} // namespace reel::jit::trace_impl
