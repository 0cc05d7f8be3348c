// What a node computes, as an expression (rules SC-72, SC-73).
#include <algorithm>
#include <unordered_map>

#include <reel/script/operator.hpp>

#include "../types/text_reader.hpp"
#include "source_printer.hpp"

namespace reel::jit {

namespace {

// Whether a list's elements tell its type: those of `List[Optional[int]]` do not.
bool members_tell(const Type& element) {
    switch (element.kind()) {
    case TypeKind::Optional:
    case TypeKind::Union:
    case TypeKind::Interface:
    case TypeKind::Any:
    case TypeKind::Number:
        return false;
    default:
        return true;
    }
}

bool has_byte_above_127(const IValue& value) {
    if (value.isString()) {
        return std::any_of(value.toStringRef().begin(), value.toStringRef().end(),
                           [](char c) { return static_cast<unsigned char>(c) > 127; });
    }
    return value.isSequence() && std::any_of(value.elements().begin(), value.elements().end(), has_byte_above_127);
}

bool equals_default(const Value* v, const IValue& wanted) {
    const Node* n = v->node();
    if (n->kind() != prim::Constant || !n->has("value")) return false;
    const IValue& given = n->value();
    if (given.kind() != wanted.kind()) {
        // A scalar's default may be spelt as another kind of number.
        return given.isScalar() && wanted.isScalar() && !given.isBool() && !wanted.isBool() &&
               given.toComplexDouble() == wanted.toComplexDouble() && given.isInt() == wanted.isInt();
    }
    if (given.isTensor()) return false;
    if (given.isString()) return given.toStringRef() == wanted.toStringRef();
    if (given.isSequence()) {
        return std::equal(given.elements().begin(), given.elements().end(), wanted.elements().begin(),
                          wanted.elements().end(), [](const IValue& a, const IValue& b) { return a.is(b); });
    }
    return given.is(wanted);
}

bool is_out(const Argument& a) { return a.kwarg_only && a.is_written; }

// How many operands have to be written, trailing defaults left out, and how many `out` arguments stand behind them.
std::pair<std::size_t, std::size_t> necessary(const FunctionSchema& schema, const std::vector<Value*>& given) {
    const auto& arguments = schema.arguments;
    std::size_t end = arguments.size();
    while (end > 0 && is_out(arguments[end - 1])) --end;
    const std::size_t outs = arguments.size() - end;
    if (schema.is_vararg || given.size() < arguments.size()) return {given.size() - std::min(outs, given.size()), outs};
    while (end > 0 && arguments[end - 1].default_value &&
           equals_default(given[end - 1], *arguments[end - 1].default_value))
        --end;
    return {end, outs};
}

std::string operator_name(Symbol kind) {
    if (kind.is("aten::backward")) return "torch.autograd.backward";
    if (kind.is("aten::grad")) return "torch.autograd.grad";
    const std::string name(kind.name());
    return kind.ns() == "aten" ? "torch." + name : "ops." + std::string(kind.ns()) + "." + name;
}

// Calls that have a form of their own.
const char* plain_call(Symbol kind) {
    static const std::unordered_map<std::string, const char*> forms = {
        {"aten::Int", "int("}, {"aten::Float", "float("},   {"aten::Bool", "bool("},
        {"aten::str", "str("}, {"aten::sorted", "sorted("}, {"prim::Print", "print("}};
    auto it = forms.find(kind.str());
    return it == forms.end() ? nullptr : it->second;
}

bool is_implicit_conversion(Symbol kind) {
    return kind.is("aten::ScalarImplicit") || kind.is("aten::FloatImplicit") || kind.is("aten::IntImplicit") ||
           kind.is("aten::ComplexImplicit");
}

} // namespace

std::string SourcePrinter::operands(const std::vector<Value*>& values, const char* open, const char* close,
                                    std::size_t from) {
    std::string out = open;
    for (std::size_t i = from; i < values.size(); ++i) {
        out += (i > from ? ", " : "") + use(values[i]);
    }
    return out + close;
}

std::string SourcePrinter::expression(const Node* n) {
    const Symbol kind = n->kind();
    const auto annotated = [&](const char* form, const std::string& inside) {
        return form + ("(" + n->output()->type()->annotation_str()) + ", " + inside + ")";
    };
    if (kind == prim::Constant) return constant_expression(n);
    if (const char* open = plain_call(kind)) return operands(n->inputs(), open, ")");
    if (is_implicit_conversion(kind)) return annotated("annotate", use(n->input()));
    if (kind.is("aten::__getitem__")) {
        const std::string& list = use(n->input(0));
        return (is_identifier(list) ? list : "(" + list + ")") + "[" + use(n->input(1)) + "]";
    }
    if (kind == prim::unchecked_cast || kind.is("prim::unchecked_unwrap_optional"))
        return annotated("unchecked_cast", use(n->input()));
    if (kind == prim::tolist) return annotated("annotate", use(n->input(0)) + ".tolist()");
    if (kind == prim::Uninitialized) return "uninitialized(" + n->output()->type()->annotation_str() + ")";
    if (kind == prim::TupleConstruct) {
        return n->output()->type()->name() + operands(n->inputs(), "(", n->inputs().size() == 1 ? ",)" : ")");
    }
    if (kind == prim::TupleIndex) return "(" + use(n->input(0)) + ")[" + use(n->input(1)) + "]";
    if (kind == prim::ListConstruct) return list_expression(n);
    if (kind == prim::DictConstruct) return dict_expression(n);
    if (kind == prim::isinstance) return isinstance_expression(n);
    if (kind == prim::EnumName) return "(" + use(n->input()) + ").name";
    if (kind == prim::EnumValue) return "(" + use(n->input()) + ").value";
    if (kind == prim::GetAttr) {
        if (is_identifier(n->text())) return use(n->input()) + "." + n->text();
        return "getattr(" + use(n->input()) + ", " + quote(n->text()) + ")";
    }
    if (kind == prim::CreateObject) {
        const std::string name = n->output()->type()->annotation_str();
        return name + ".__new__(" + name + ")";
    }
    if (kind == prim::CallFunction || kind == prim::CallMethod) return call(n);
    if (kind.is("aten::_unwrap_optional") && n->input()->type()->kind() == TypeKind::None) {
        const std::string type = Type::Optional(n->output()->type())->annotation_str();
        return "torch._unwrap_optional(annotate(" + type + ", " + use(n->input()) + "))";
    }
    return operator_call(n);
}

std::string SourcePrinter::call(const Node* n) {
    std::string out = use(n->input(0));
    if (n->kind() == prim::CallMethod) out = "(" + out + ")." + n->text();
    out += "(";
    for (std::size_t i = 1; i < n->inputs().size(); ++i) {
        out += use(n->input(i)) + ", ";
    }
    return out + ")";
}

std::string SourcePrinter::operator_call(const Node* n) {
    std::string out = operator_name(n->kind());
    if (!n->op()) return out + operands(n->inputs(), "(", ")");
    const FunctionSchema& schema = n->op()->schema;
    const auto [count, outs] = necessary(schema, n->inputs());
    out += "(";
    const auto add = [&](std::size_t i) {
        if (out.back() != '(') out += ", ";
        if (i < schema.arguments.size() && schema.arguments[i].kwarg_only) out += schema.arguments[i].name + "=";
        out += use(n->input(i));
    };
    for (std::size_t i = 0; i < count; ++i) {
        add(i);
    }
    for (std::size_t i = n->inputs().size() - std::min(outs, n->inputs().size()); i < n->inputs().size(); ++i) {
        if (i >= count) add(i);
    }
    return out + ")";
}

std::string SourcePrinter::list_expression(const Node* n) {
    const TypePtr& type = n->output()->type();
    std::string elements = operands(n->inputs(), "[", "]");
    if (!n->inputs().empty() && members_tell(*type->contained().at(0))) return elements;
    return "annotate(" + type->annotation_str() + ", " + elements + ")";
}

std::string SourcePrinter::dict_expression(const Node* n) {
    const TypePtr& type = n->output()->type();
    std::string items = "{";
    for (std::size_t i = 0; i + 1 < n->inputs().size(); i += 2) {
        items += (i ? ", " : "") + use(n->input(i)) + ": " + use(n->input(i + 1));
    }
    items += "}";
    if (!n->inputs().empty() && members_tell(*type->contained().at(0)) && members_tell(*type->contained().at(1)))
        return items;
    return "annotate(" + type->annotation_str() + ", " + items + ")";
}

std::string SourcePrinter::isinstance_expression(const Node* n) {
    const auto& types = std::get<std::vector<TypePtr>>(n->attribute("types"));
    std::string names;
    for (const TypePtr& t : types) {
        names += (names.empty() ? "" : ", ") + t->annotation_str();
    }
    return "isinstance(" + use(n->input()) + ", " + (types.size() == 1 ? names : "(" + names + ")") + ")";
}

std::string SourcePrinter::constant_expression(const Node* n) {
    if (n->has("function")) {
        Function* function = std::get<Function*>(n->attribute("function"));
        context_.needs(*function);
        return function->qualified_name();
    }
    return constant_text(n->value(), *n->output()->type());
}

std::string SourcePrinter::constant_text(const IValue& value, const Type& type) {
    if (type.kind() == TypeKind::Optional && !value.isNone()) return constant_text(value, *type.contained()[0]);
    if ((value.isTensor() && value.toTensor().defined()) || has_byte_above_127(value))
        return "CONSTANTS.c" + std::to_string(context_.constant(value));
    switch (value.kind()) {
    case IValue::Kind::None:
    case IValue::Kind::Tensor:
        return "None";
    case IValue::Kind::Bool:
        return value.toBool() ? "True" : "False";
    case IValue::Kind::Int:
        return std::to_string(value.toInt());
    case IValue::Kind::Double:
        return float_text(value.toDouble());
    case IValue::Kind::Complex:
        return complex_text(value.toComplexDouble());
    case IValue::Kind::String:
        return quote(value.toStringRef());
    case IValue::Kind::Device:
        return "torch.device(" + quote(value.toDevice().str()) + ")";
    case IValue::Kind::List:
    case IValue::Kind::Tuple: {
        const auto& elements = value.elements();
        const bool is_tuple = value.isTuple();
        std::string out = is_tuple ? type.name() + "(" : "[";
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const std::size_t which = is_tuple ? i : 0;
            const TypePtr element = which < type.contained().size() ? type.contained()[which] : type_of(elements[i]);
            out += (i ? ", " : "") + constant_text(elements[i], *element);
        }
        if (is_tuple) return out + (elements.size() == 1 ? ",)" : ")");
        out += "]";
        const bool told = !elements.empty() && (type.contained().empty() || members_tell(*type.contained()[0]));
        return told ? out : "annotate(" + type.annotation_str() + ", " + out + ")";
    }
    default:
        break;
    }
    if (is_enum(value)) return to_enum(value).type->name() + "." + to_enum(value).name();
    REEL_THROW(NotImplementedError, "code: a constant of type ", type.str(), " has no text");
}

} // namespace reel::jit
