#include "script/notation.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <regex>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

#include "common/compare.hpp"

namespace replay::script {

using namespace reel;

ScalarType dtype_named(const std::string& name) {
    for (int i = 0; i < int(ScalarType::Undefined); ++i)
        if (dtype_name(ScalarType(i)) == name) return ScalarType(i);
    throw std::runtime_error("unknown dtype '" + name + "'");
}

namespace {
std::string text(const json::value& v) { return std::string(v.as_string()); }
double number(const json::value& v) {
    if (v.is_string()) {
        const std::string s = text(v);
        const double inf = std::numeric_limits<double>::infinity();
        return s == "nan" ? std::numeric_limits<double>::quiet_NaN() : s == "-inf" ? -inf : inf;
    }
    if (v.is_bool()) return v.as_bool();
    return v.to_number<double>();
}
/// The numbers that scripts have for dtypes (rule SC-34).
std::int64_t script_dtype(const std::string& name) {
    static const std::map<std::string, std::int64_t> numbers = {
        {"uint8", 0},       {"int8", 1},    {"int16", 2},    {"int32", 3},     {"int64", 4},
        {"float16", 5},     {"float32", 6}, {"float64", 7},  {"complex32", 8}, {"complex64", 9},
        {"complex128", 10}, {"bool", 11},   {"bfloat16", 15}};
    return numbers.at(name);
}
Tensor inline_tensor(const json::object& o) {
    const ScalarType type = dtype_named(text(o.at("dtype")));
    std::vector<std::int64_t> shape;
    for (const json::value& s : o.at("shape").as_array()) shape.push_back(s.to_number<std::int64_t>());
    const json::array& data = o.at("data").as_array();
    if (isComplexType(type)) {
        std::vector<std::complex<double>> all;
        for (const json::value& v : data) {
            if (v.is_array()) all.emplace_back(number(v.as_array()[0]), number(v.as_array()[1]));
            else all.emplace_back(number(v), 0);
        }
        Tensor t = reel::empty(shape, TensorOptions(kComplexDouble));
        std::copy(all.begin(), all.end(), t.data_ptr<std::complex<double>>());
        return t.to(type);
    }
    if (isIntegralType(type, true)) {
        Tensor t = reel::empty(shape, TensorOptions(kLong));
        std::int64_t* out = t.data_ptr<std::int64_t>();
        for (const json::value& v : data) *out++ = v.is_bool() ? v.as_bool() : v.to_number<std::int64_t>();
        return t.to(type);
    }
    Tensor t = reel::empty(shape, TensorOptions(kDouble));
    double* out = t.data_ptr<double>();
    for (const json::value& v : data) *out++ = number(v);
    return t.to(type);
}
Tolerance tolerance(ScalarType t, const Closeness& closeness) {
    const bool floating = isDifferentiableType(t);
    if (closeness.real_file && floating) return {1e-4, 1e-3, true};
    switch (t) {
    case kDouble:
    case kComplexDouble:
        return {1e-7, 1e-6, true};
    case kFloat:
    case kComplexFloat:
        return {1e-5, 1e-4, true};
    case kBFloat16:
    case kHalf:
        return {1.6e-2, 1.6e-2, true};
    default:
        return {};
    }
}
} // namespace

Values::Values(const json::object& whole) {
    if (const json::value* table = whole.if_contains("values")) inside_ = &table->as_object();
}
Values::Values(const std::filesystem::path& file) {
    if (std::filesystem::exists(file)) file_.emplace(file.string());
}
Tensor Values::tensor(const json::object& o) const {
    Tensor t;
    if (const json::value* key = o.if_contains("tensor")) {
        if (inside_) t = inline_tensor(inside_->at(key->as_string()).as_object());
        else {
            if (!file_) throw std::runtime_error("the case has no table of tensors for '" + text(*key) + "'");
            t = file_->tensor(text(*key));
        }
    } else t = inline_tensor(o);
    if (const json::value* grad = o.if_contains("requires_grad"); grad && grad->as_bool()) t.requires_grad_();
    return t;
}

namespace {
bool is_tensor(const json::object& o) { return o.contains("tensor") || o.contains("data"); }
Args read_all(const json::value& list, const Values& values, const jit::CompilationUnit& unit) {
    Args out;
    for (const json::value& v : list.as_array()) out.push_back(read_value(v, values, unit));
    return out;
}
IValue enum_member(const json::array& a, const jit::CompilationUnit& unit) {
    const std::string cls = text(a[0]), name = text(a[1]);
    for (const jit::TypePtr& t : unit.types()) {
        if (t->kind() != jit::TypeKind::Enum || t->name().substr(t->name().rfind('.') + 1) != cls) continue;
        const auto e = t->cast<jit::EnumType>();
        for (std::size_t i = 0; i < e->members().size(); ++i)
            if (e->members()[i].first == name) return jit::to_ivalue(jit::EnumMember{e, i});
    }
    throw std::runtime_error("no enum " + cls + "." + name);
}
} // namespace

IValue read_value(const json::value& v, const Values& values, const jit::CompilationUnit& unit) {
    if (v.is_null()) return {};
    if (v.is_bool()) return v.as_bool();
    if (v.is_int64()) return v.as_int64();
    if (v.is_uint64()) return std::int64_t(v.as_uint64());
    if (v.is_double()) return v.as_double();
    if (v.is_string()) return text(v);
    if (v.is_array()) return IValue::list(read_all(v, values, unit));
    const json::object& o = v.as_object();
    if (is_tensor(o)) return values.tensor(o);
    if (const auto* e = o.if_contains("list")) return IValue::list(read_all(*e, values, unit));
    if (const auto* e = o.if_contains("tuple")) return IValue::tuple(read_all(*e, values, unit));
    if (const auto* e = o.if_contains("dict")) {
        ValueDict d;
        for (const json::value& item : e->as_array())
            d.set(read_value(item.as_array()[0], values, unit), read_value(item.as_array()[1], values, unit));
        return d;
    }
    if (o.contains("named_tuple")) {
        Args fields;
        for (const json::value& f : o.at("fields").as_array())
            fields.push_back(read_value(f.as_array()[1], values, unit));
        return IValue::tuple(std::move(fields));
    }
    if (const auto* e = o.if_contains("enum")) return enum_member(e->as_array(), unit);
    if (const auto* e = o.if_contains("float")) return number(*e);
    if (const auto* e = o.if_contains("complex"))
        return std::complex<double>(number(e->as_array()[0]), number(e->as_array()[1]));
    if (const auto* e = o.if_contains("device")) return Device(text(*e));
    if (const auto* e = o.if_contains("dtype")) return script_dtype(text(*e));
    if (o.contains("layout")) return 0;
    throw std::runtime_error("unknown notation " + json::serialize(v).substr(0, 100));
}

namespace {
std::string differs(const IValue& got, const std::string& expected) {
    return str(got.repr(), ", expected ", expected.substr(0, 120));
}
/// Numbers in results are exact but for the last digits that the notation leaves out.
std::string compare_number(double got, double expected) {
    if ((std::isnan(got) && std::isnan(expected)) || got == expected) return {};
    if (std::abs(got - expected) <= 1e-7 + 1e-6 * std::abs(expected)) return {};
    return str(got, ", expected ", expected);
}
std::string compare_elements(const Args& got, const json::array& expected, const Values& values,
                             const Closeness& closeness) {
    if (got.size() != expected.size()) return str(got.size(), " elements, expected ", expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        if (const std::string d = difference(got[i], expected[i], values, closeness); !d.empty())
            return str("[", i, "] ", d);
    return {};
}
std::string compare_dict(const ValueDict& got, const json::array& expected, const Values& values,
                         const Closeness& closeness) {
    if (got.size() != expected.size()) return str(got.size(), " items, expected ", expected.size());
    std::size_t i = 0;
    for (const auto& [key, value] : got) {
        const json::array& item = expected[i++].as_array();
        if (const std::string d = difference(key, item[0], values, closeness); !d.empty()) return str("key ", d);
        if (const std::string d = difference(value, item[1], values, closeness); !d.empty())
            return str("[", key.repr(), "] ", d);
    }
    return {};
}
std::string compare_object(const IValue& got, const json::object& o, const Values& values, const Closeness& closeness) {
    const std::string whole = json::serialize(o);
    if (is_tensor(o)) {
        if (!got.isTensor()) return differs(got, whole);
        const NoGradGuard no_grad;
        const Tensor want = values.tensor(o).detach(), have = got.toTensor();
        if (const std::string d = difference(have, want, tolerance(want.scalar_type(), closeness)); !d.empty())
            return d;
        const json::value* grad = o.if_contains("requires_grad");
        const bool wanted = grad && grad->as_bool();
        return have.requires_grad() == wanted ? "" : wanted ? "does not require grad" : "requires grad";
    }
    const auto elements = [&](bool right_kind, const json::array& expected) {
        return right_kind ? compare_elements(got.elements(), expected, values, closeness) : differs(got, whole);
    };
    if (const auto* e = o.if_contains("list")) return elements(got.isList(), e->as_array());
    if (const auto* e = o.if_contains("tuple")) return elements(got.isTuple(), e->as_array());
    if (const auto* e = o.if_contains("dict"))
        return got.isGenericDict() ? compare_dict(got.toGenericDict(), e->as_array(), values, closeness)
                                   : differs(got, whole);
    if (o.contains("named_tuple")) {
        json::array fields;
        for (const json::value& f : o.at("fields").as_array()) fields.push_back(f.as_array()[1]);
        return elements(got.isTuple(), fields);
    }
    if (const auto* e = o.if_contains("enum"))
        return jit::is_enum(got) && jit::to_enum(got).name() == text(e->as_array()[1]) ? "" : differs(got, whole);
    if (const auto* e = o.if_contains("float"))
        return got.isDouble() ? compare_number(got.toDouble(), number(*e)) : differs(got, whole);
    if (const auto* e = o.if_contains("complex")) {
        if (!got.isComplexDouble()) return differs(got, whole);
        const std::complex<double> c = got.toComplexDouble();
        return compare_number(c.real(), number(e->as_array()[0])) + compare_number(c.imag(), number(e->as_array()[1]));
    }
    if (const auto* e = o.if_contains("device"))
        return got.isDevice() && got.toDevice().str() == text(*e) ? "" : differs(got, whole);
    if (const auto* e = o.if_contains("dtype"))
        return got.isInt() && got.toInt() == script_dtype(text(*e)) ? "" : differs(got, whole);
    if (o.contains("object")) return jit::is_object(got) ? "" : differs(got, whole);
    return "unknown notation " + whole.substr(0, 100);
}
} // namespace

std::string difference(const IValue& got, const json::value& v, const Values& values, const Closeness& closeness) {
    const std::string whole = v.is_object() ? "" : json::serialize(v);
    if (v.is_null()) return got.isNone() ? "" : differs(got, "None");
    if (v.is_bool()) return got.isBool() && got.toBool() == v.as_bool() ? "" : differs(got, whole);
    if (v.is_int64()) return got.isInt() && got.toInt() == v.as_int64() ? "" : differs(got, whole);
    if (v.is_double()) return got.isDouble() ? compare_number(got.toDouble(), v.as_double()) : differs(got, whole);
    if (v.is_string()) return got.isString() && got.toStringRef() == text(v) ? "" : differs(got, whole);
    if (v.is_array())
        return got.isSequence() ? compare_elements(got.elements(), v.as_array(), values, closeness)
                                : differs(got, whole);
    return compare_object(got, v.as_object(), values, closeness);
}

std::string without_tensors(const std::string& text) {
    static const std::regex ours(R"(tensor\([^)]*\)|Tensor\[[0-9, ]*\] [a-z0-9]+)"),
        theirs(R"((?:[ \t]*[-+0-9.a-z*]+(?:[ \t]+[-+0-9.a-z*]+)*\n)+\[ [A-Za-z]+Type\{[0-9,]*\} \])");
    return std::regex_replace(std::regex_replace(text, ours, "TENSOR"), theirs, "TENSOR");
}

} // namespace replay::script
