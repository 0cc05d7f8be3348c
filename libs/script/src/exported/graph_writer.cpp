#include "exported/graph_writer.hpp"

#include <algorithm>
#include <cmath>

#include <reel/script/object.hpp>

#include "exported/numbers.hpp"
#include "exported/tensor_table.hpp"

namespace reel::jit {

namespace json = boost::json;

namespace {
json::object named(const std::string& name) { return {{"name", name}}; }
/// Floats that JSON has no word for are strings.
json::value number(double d) {
    if (std::isnan(d)) return "NaN";
    if (std::isinf(d)) return d < 0 ? "-Infinity" : "Infinity";
    return d;
}
/// Of `T?`, T.
const Type& inner(const Type& t) { return t.kind() == TypeKind::Optional ? *t.contained()[0] : t; }
bool says(const Argument& a, const char* word) { return a.spelling.find(word) != std::string::npos; }
bool is_default(const Argument& a, const IValue& v) {
    return a.default_value && a.default_value->kind() == v.kind() && equal(*a.default_value, v);
}
bool is_absent(const IValue& v) { return v.isNone() || (v.isTensor() && !v.toTensor().defined()); }
} // namespace

bool GraphWriter::is_number(const IValue& v) {
    if (!v.isTensor() || !v.toTensor().defined()) return false;
    const TensorImpl& t = *v.toTensor().impl();
    return t.is_wrapped_number && !isComplexType(v.toTensor().scalar_type());
}
std::string GraphWriter::fresh_name(const std::string& wanted) {
    std::string name = wanted.empty() ? "value" : wanted;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    std::string own = name;
    for (int i = 1; !taken_.insert(own).second; ++i) own = name + "_" + std::to_string(i);
    return own;
}
void GraphWriter::name_tensor(const Tensor& t, const std::string& name) {
    alive_.push_back(t);
    names_[t.impl().get()] = name;
    tensor_values_[name] = tensor_meta(t);
}
const std::string* GraphWriter::name_of(const Tensor& t) const {
    const auto it = names_.find(t.impl().get());
    return it == names_.end() ? nullptr : &it->second;
}

json::value GraphWriter::tensor_argument(const IValue& v) const {
    if (is_absent(v)) return json::object{{"as_none", true}};
    const std::string* name = v.isTensor() ? name_of(v.toTensor()) : nullptr;
    if (!name && is_number(v)) return plain_argument(v.toTensor().item());
    REEL_CHECK_NOT_IMPLEMENTED(name, "takes ", v.repr(), ", which is no tensor of the program");
    return json::object{{"as_tensor", named(*name)}};
}
json::value GraphWriter::plain_argument(const IValue& v) const {
    if (v.isTensor() || is_absent(v)) return tensor_argument(v);
    if (v.isBool()) return json::object{{"as_bool", v.toBool()}};
    if (v.isInt()) return json::object{{"as_int", v.toInt()}};
    if (v.isDouble()) return json::object{{"as_float", number(v.toDouble())}};
    if (v.isString()) return json::object{{"as_string", v.toStringRef()}};
    REEL_THROW(NotImplementedError, "an exported program cannot hold ", v.repr());
}
json::value GraphWriter::list_argument(const Argument& a, const Args& elements) const {
    const Type& list = inner(*a.type);
    REEL_CHECK_NOT_IMPLEMENTED(list.kind() == TypeKind::List, "the argument '", a.name, "' of the type ", list.str(),
                               " takes a list, which an exported program cannot tell");
    const Type& element = *list.contained()[0];
    json::array out;
    switch (inner(element).kind()) {
    case TypeKind::Tensor: {
        const bool optional = element.kind() == TypeKind::Optional;
        for (const IValue& e : elements) {
            const json::value t = tensor_argument(e);
            out.push_back(optional ? t : t.at("as_tensor"));
        }
        return json::object{{optional ? "as_optional_tensors" : "as_tensors", std::move(out)}};
    }
    case TypeKind::Int:
        for (const IValue& e : elements) out.push_back(e.toInt());
        return json::object{{"as_ints", std::move(out)}};
    case TypeKind::Float:
        for (const IValue& e : elements) out.push_back(number(e.toDouble()));
        return json::object{{"as_floats", std::move(out)}};
    case TypeKind::Bool:
        for (const IValue& e : elements) out.push_back(e.toBool());
        return json::object{{"as_bools", std::move(out)}};
    default:
        REEL_THROW(NotImplementedError, "the argument '", a.name, "' is a ", list.str(),
                   ", which exported programs do not have");
    }
}
json::value GraphWriter::argument(const Argument& a, const IValue& v) const {
    const Type& type = inner(*a.type);
    if (type.kind() == TypeKind::Tensor || is_absent(v)) return tensor_argument(v);
    if (v.isSequence()) return list_argument(a, v.elements());
    if (type.kind() == TypeKind::List) return list_argument(a, {v}); // one number for all
    if (v.isDevice()) {
        const Device d = v.toDevice();
        return json::object{{"as_device", device_json(d)}};
    }
    if (v.isInt() && says(a, "ScalarType"))
        return json::object{{"as_scalar_type", exported_from_script_dtype(v.toInt())}};
    if (v.isInt() && says(a, "MemoryFormat"))
        return json::object{{"as_memory_format", exported_from_script_memory_format(v.toInt())}};
    if (v.isInt() && says(a, "Layout")) return json::object{{"as_layout", 7}};
    if (v.isInt() && type.kind() == TypeKind::Float) return json::object{{"as_float", double(v.toInt())}};
    return plain_argument(v);
}
/// Keywords that have their defaults are left out, and so is what is last among the others.
json::array GraphWriter::call_arguments(const Operator& op, std::span<const IValue> arguments) const {
    const auto& wanted = op.schema.arguments;
    std::size_t positional = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!wanted[i].kwarg_only && !is_default(wanted[i], arguments[i])) positional = i + 1;
    json::array out;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Argument& a = wanted[i];
        if (a.kwarg_only ? is_default(a, arguments[i]) : i >= positional) continue;
        out.push_back(
            json::object{{"name", a.name}, {"arg", argument(a, arguments[i])}, {"kind", a.kwarg_only ? 2 : 1}});
    }
    return out;
}

json::value GraphWriter::result(const std::string& name, const IValue& v) {
    if (v.isTensor() && v.toTensor().defined()) {
        const std::string own = fresh_name(name);
        name_tensor(v.toTensor(), own);
        tensor_values_[own].as_object()["requires_grad"] = false; // of leaves alone is it told
        return json::object{{"as_tensor", named(own)}};
    }
    REEL_CHECK_NOT_IMPLEMENTED(v.isList(), "gives ", v.repr(), ", which an exported program cannot hold");
    json::array all;
    for (const IValue& e : v.elements()) all.push_back(result(name + "_item", e).at("as_tensor"));
    return json::object{{"as_tensors", std::move(all)}};
}
void GraphWriter::add_call(const Operator& op, std::span<const IValue> arguments, const IValue& given) {
    const FunctionSchema& schema = op.schema;
    REEL_CHECK_NOT_IMPLEMENTED(op.symbol.ns() == "aten" && !schema.is_vararg,
                               "exported programs have operators of aten, not ", schema.qualified());
    const std::string name(op.symbol.name());
    json::object node{
        {"target", "torch.ops.aten." + name + "." + (schema.overload.empty() ? "default" : schema.overload)},
        {"inputs", call_arguments(op, arguments)}};
    json::array results;
    if (schema.returns.size() == 1) results.push_back(result(name, given));
    else if (given.isTuple())
        for (const IValue& v : given.elements()) results.push_back(result(name, v));
    std::string own = name;
    if (results.size() == 1 && results[0].as_object().contains("as_tensor"))
        own = std::string(results[0].at("as_tensor").at("name").as_string());
    else own = fresh_name(name);
    node["outputs"] = std::move(results);
    node["metadata"] = json::object();
    node["is_hop_single_tensor_return"] = nullptr;
    node["name"] = own;
    nodes_.push_back(std::move(node));
}

json::object GraphWriter::graph() && {
    return {{"inputs", std::move(inputs)},       {"outputs", std::move(outputs)},
            {"nodes", std::move(nodes_)},        {"tensor_values", std::move(tensor_values_)},
            {"sym_int_values", json::object()},  {"sym_bool_values", json::object()},
            {"is_single_tensor_return", false},  {"custom_obj_values", json::object()},
            {"sym_float_values", json::object()}};
}

} // namespace reel::jit
