#include "library.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <reel/script/compile.hpp>

#include "annotations.hpp"
#include "library_choices.hpp"
#include "match.hpp"

namespace reel::jit::emit {

namespace {

/// Python's functions that are operators under another name.
const std::map<std::string, const char*> python_functions = {
    {"len", "aten::len"},
    {"min", "prim::min"},
    {"max", "prim::max"},
    {"abs", "prim::abs"},
    {"all", "aten::all"},
    {"any", "aten::any"},
    {"sum", "aten::sum"},
    {"divmod", "aten::divmod"},
    {"ord", "aten::ord"},
    {"chr", "aten::chr"},
    {"bin", "aten::bin"},
    {"hex", "aten::hex"},
    {"oct", "aten::oct"},
    {"hash", "aten::hash"},
    {"id", "prim::id"},
    {"round", "aten::round"},
    {"pow", "aten::pow"},
    {"sorted", "aten::sorted"},
    {"rangelist", "prim::rangelist"},
};
const std::map<std::string, const char*> special_names = {
    {"print", "print"},
    {"isinstance", "isinstance"},
    {"getattr", "getattr"},
    {"hasattr", "hasattr"},
    {"annotate", "annotate"},
    {"unchecked_cast", "unchecked_cast"},
    {"uninitialized", "uninitialized"},
    {"range", "range"},
    {"zip", "zip"},
    {"enumerate", "enumerate"},
    {"fork", "fork"},
    {"list", "list"},
    {"dict", "dict"},
    {"tuple", "tuple"},
};
constexpr const char* exceptions[] = {"Exception",           "AssertionError",  "ValueError",
                                      "RuntimeError",        "TypeError",       "KeyError",
                                      "IndexError",          "AttributeError",  "OSError",
                                      "NotImplementedError", "NameError",       "ZeroDivisionError",
                                      "StopIteration",       "ArithmeticError", "LookupError",
                                      "OverflowError",       "IOError",         "UnboundLocalError",
                                      "FileNotFoundError",   "PermissionError", "TimeoutError",
                                      "MemoryError",         "EOFError",        "FloatingPointError",
                                      "ImportError",         "SystemError",     "UnicodeError",
                                      "BufferError",         "AssertionError",  "Warning"};
/// Names in `torch` that are numbers (rule SC-34).
const std::map<std::string, std::int64_t> torch_numbers = {
    {"uint8", 0},
    {"int8", 1},
    {"int16", 2},
    {"short", 2},
    {"int32", 3},
    {"int", 3},
    {"int64", 4},
    {"long", 4},
    {"float16", 5},
    {"half", 5},
    {"float32", 6},
    {"float", 6},
    {"float64", 7},
    {"double", 7},
    {"complex32", 8},
    {"complex64", 9},
    {"cfloat", 9},
    {"complex128", 10},
    {"cdouble", 10},
    {"bool", 11},
    {"bfloat16", 15},
    {"strided", 0},
    {"contiguous_format", 0},
    {"preserve_format", 1},
    {"channels_last", 2},
    {"channels_last_3d", 3},
};
const std::map<std::string, double> math_numbers = {{"pi", std::numbers::pi},
                                                    {"e", std::numbers::e},
                                                    {"tau", 2 * std::numbers::pi},
                                                    {"inf", std::numeric_limits<double>::infinity()},
                                                    {"nan", std::numeric_limits<double>::quiet_NaN()}};
/// Calls under `torch.jit` that the compiler understands, and operators that go by other names.
const std::map<std::string, const char*> torch_special = {{"torch.jit.annotate", "annotate"},
                                                          {"torch.jit.isinstance", "isinstance"},
                                                          {"torch.jit.fork", "fork"},
                                                          {"torch.jit._fork", "fork"},
                                                          {"torch._assert", "_assert"}};
const std::map<std::string, const char*> torch_operators = {
    {"torch.jit._unwrap_optional", "aten::_unwrap_optional"},
    {"torch.jit.wait", "aten::wait"},
    {"torch.jit._wait", "aten::wait"},
    {"torch.nn.functional.logsigmoid", "aten::log_sigmoid"},
    {"torch.autograd.backward", "aten::backward"},
    {"torch.autograd.grad", "aten::grad"},
    {"torch.device", "aten::device"},
    {"torch.is_grad_enabled", "aten::is_grad_enabled"},
};
const std::map<std::string, const char*> tensor_properties = {
    {"dtype", "prim::dtype"},
    {"device", "prim::device"},
    {"layout", "prim::layout"},
    {"grad", "prim::grad"},
    {"data", "prim::data"},
    {"requires_grad", "prim::requires_grad"},
    {"is_cuda", "prim::is_cuda"},
    {"is_cpu", "prim::is_cpu"},
    {"is_sparse", "prim::is_sparse"},
    {"is_quantized", "prim::is_quantized"},
    {"is_nested", "prim::is_nested"},
    {"is_meta", "prim::is_meta"},
    {"shape", "aten::size"},
    {"ndim", "aten::dim"},
    {"T", "aten::numpy_T"},
    {"H", "aten::matrix_H"},
    {"mT", "aten::mT"},
    {"mH", "aten::mH"},
    {"is_leaf", "aten::is_leaf"},
    {"real", "aten::real"},
    {"imag", "aten::imag"},
    {"itemsize", "prim::itemsize"},
    {"nbytes", "prim::nbytes"},
    {"is_mkldnn", "prim::is_mkldnn"},
    {"output_nr", "aten::output_nr"},
    {"_version", "aten::_version"},
    {"name", "prim::name"},
};
/// Names under which `torch.X.f` is the operator `X_f`.
bool is_prefix_module(const std::string& path) {
    return path == "torch.linalg" || path == "torch.special" || path == "torch.fft";
}

std::optional<Meaning> compiled(const std::string& module, const std::string& name, CompilationUnit& unit) {
    const std::string qualified = "__torch__." + module + "." + name;
    if (Function* f = unit.find_function(qualified)) return f;
    if (TypePtr t = unit.find_type(qualified)) return Constructor{t};
    const char* text = library_text(module);
    if (!text) return std::nullopt;
    SourceFile file(unit, "__torch__." + module, module, text, nullptr);
    if (!file.define(qualified)) return std::nullopt;
    if (Function* f = unit.find_function(qualified)) return f;
    if (TypePtr t = unit.find_type(qualified)) return Constructor{t};
    return std::nullopt;
}

/// What a program means by the name, which is one of several functions or none.
std::optional<Meaning> named(const std::string& module, const std::string& name, CompilationUnit& unit) {
    if (library_choice(module, name)) return LibraryChoice{module, name};
    return compiled(module, name, unit);
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

} // namespace

std::optional<Meaning> library_name(const std::string& name, bool archive) {
    if (name == "torch" || name == "ops" || name == "CONSTANTS" || name == "__torch__") return Namespace{name};
    if (const auto f = special_names.find(name); f != special_names.end()) return SpecialForm{f->second};
    if (const auto f = python_functions.find(name); f != python_functions.end()) return Overloads{f->second};
    if (name == "int") return Cast{Type::Int(), "aten::Int"};
    if (name == "float") return Cast{Type::Float(), "aten::Float"};
    if (name == "bool") return Cast{Type::Bool(), "aten::Bool"};
    if (name == "str") return Cast{Type::String(), "aten::str"};
    if (name == "complex") return Cast{Type::Complex(), "aten::Complex"};
    for (const char* exception : exceptions)
        if (name == exception) return ExceptionClass{name};
    if (!archive && name == "math") return Namespace{name};
    return std::nullopt;
}

std::optional<std::int64_t> tensor_cast(const std::string& name) {
    for (const char* cast : {"byte", "char", "short", "int", "long", "half", "float", "double", "cfloat", "cdouble"}) {
        if (name != cast) continue;
        if (name == "byte") return torch_numbers.at("uint8");
        if (name == "char") return torch_numbers.at("int8");
        return torch_numbers.at(name);
    }
    return std::nullopt;
}

Function* library_function(const std::string& module, const std::string& name, CompilationUnit& unit) {
    const auto m = compiled(module, name, unit);
    return m && m->as<Function*>() ? *m->as<Function*>() : nullptr;
}

const char* tensor_property(const std::string& name) {
    const auto found = tensor_properties.find(name);
    return found == tensor_properties.end() ? nullptr : found->second;
}

std::optional<Meaning> library_attribute(const Namespace& ns, const std::string& name, CompilationUnit& unit,
                                         bool archive, const std::function<Meaning(const IValue&)>& constant) {
    const std::string path = ns.path + "." + name;
    const Symbol op("aten::" + name);
    if (const auto o = torch_operators.find(path); o != torch_operators.end() && ns.path == "torch.autograd")
        return Overloads{o->second}; // written so in archives, too
    if (archive) {
        if (path == "torch.autograd") return Namespace{path};
        if (ns.path != "torch") return std::nullopt;
        return operators(op).empty() ? std::nullopt : std::optional<Meaning>(Overloads{op});
    }
    if (ns.path == "math") {
        if (const auto n = math_numbers.find(name); n != math_numbers.end()) return constant(n->second);
        if (name == "remainder") return Overloads{"aten::mathremainder"}; // not that of tensors
        return operators(op).empty() ? std::nullopt : std::optional<Meaning>(Overloads{op});
    }
    if (const auto s = torch_special.find(path); s != torch_special.end()) return SpecialForm{s->second};
    if (const auto o = torch_operators.find(path); o != torch_operators.end()) return Overloads{o->second};
    if (ns.path == "torch.ops.aten")
        return operators(op).empty() ? std::nullopt : std::optional<Meaning>(Overloads{op});
    if (path == "torch.ops" || path == "torch.ops.aten" || path == "torch.nn" || path == "torch.jit" ||
        path == "torch.autograd" || is_prefix_module(path) || path == "torch.nn.functional" ||
        path == "torch.functional" || path == "torch.autograd.grad_mode")
        return Namespace{path};
    if (ns.path == "torch") {
        if (const auto n = torch_numbers.find(name); n != torch_numbers.end()) return constant(n->second);
        if (name == "pi" || name == "e" || name == "inf" || name == "nan") return constant(math_numbers.at(name));
        for (const char* module : {"torch.autograd.grad_mode", "torch.functional"})
            if (auto m = named(module, name, unit)) return m;
    }
    if (is_prefix_module(ns.path)) {
        const Symbol joined("aten::" + last_part(ns.path) + "_" + name);
        return operators(joined).empty() ? std::nullopt : std::optional<Meaning>(Overloads{joined});
    }
    if (path == "torch.jit.is_tracing") return named("torch.jit._trace", name, unit);
    if (ns.path == "torch.nn.functional" || ns.path == "torch.functional" || ns.path == "torch.autograd.grad_mode")
        if (auto m = named(ns.path, name, unit)) return m;
    if (ns.path == "torch" || ns.path == "torch.functional" || ns.path == "torch.nn.functional")
        return operators(op).empty() ? std::nullopt : std::optional<Meaning>(Overloads{op});
    return std::nullopt;
}

Value* call_reversed(Graph& graph, const SourceRange& range, Symbol name, const std::vector<Value*>& operands) {
    if (operands.size() != 2) return nullptr;
    Value *a = operands[0], *b = operands[1];
    const auto call = [&](const char* op, std::vector<Value*> values) {
        return call_operator(graph, range, op, {std::move(values), {}});
    };
    const TypeKind left = a->type()->kind(), right = b->type()->kind();
    if (name.is("aten::__contains__") && left == TypeKind::String && right == TypeKind::String) {
        Value* begin = graph.insert_constant(std::int64_t(0), nullptr, range);
        Value* end = call("aten::len", {a});
        Value* found = call("aten::find", {a, b, begin, end});
        return call("aten::ne", {found, graph.insert_constant(std::int64_t(-1), nullptr, range)});
    }
    if (name.is("aten::floordiv") && left == TypeKind::Tensor) return call("aten::floor_divide", {a, b});
    const bool number = left == TypeKind::Int || left == TypeKind::Float || left == TypeKind::Complex;
    if (!number || right != TypeKind::Tensor) return nullptr;
    if (name.is("aten::add") || name.is("aten::mul") || name.is("aten::eq") || name.is("aten::ne"))
        return call(name.str().c_str(), {b, a});
    if (name.is("aten::sub")) return call("aten::add", {call("aten::neg", {b}), a});
    if (name.is("aten::div")) return call("aten::mul", {call("aten::reciprocal", {b}), a});
    if (name.is("aten::lt")) return call("aten::gt", {b, a});
    if (name.is("aten::le")) return call("aten::ge", {b, a});
    if (name.is("aten::gt")) return call("aten::lt", {b, a});
    if (name.is("aten::ge")) return call("aten::le", {b, a});
    return nullptr;
}

} // namespace reel::jit::emit
