// Operators of expressions.
#include <map>

#include "emitter.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

namespace {

struct Spelled {
    const char* op;
    const char* magic; ///< the method of script classes
};

const std::map<std::string_view, Spelled> binary_operators = {
    {"+", {"aten::add", "__add__"}},
    {"-", {"aten::sub", "__sub__"}},
    {"*", {"aten::mul", "__mul__"}},
    {"/", {"aten::div", "__truediv__"}},
    {"//", {"aten::floordiv", "__floordiv__"}},
    {"%", {"aten::remainder", "__mod__"}},
    {"**", {"aten::pow", "__pow__"}},
    {"@", {"aten::matmul", "__matmul__"}},
    {"&", {"aten::__and__", "__and__"}},
    {"|", {"aten::__or__", "__or__"}},
    {"^", {"aten::__xor__", "__xor__"}},
    {"<<", {"aten::__lshift__", "__lshift__"}},
    {">>", {"aten::__rshift__", "__rshift__"}},
    {"==", {"aten::eq", "__eq__"}},
    {"!=", {"aten::ne", "__ne__"}},
    {"<", {"aten::lt", "__lt__"}},
    {">", {"aten::gt", "__gt__"}},
    {"<=", {"aten::le", "__le__"}},
    {">=", {"aten::ge", "__ge__"}},
    {"is", {"aten::__is__", "__is__"}},
    {"is not", {"aten::__isnot__", "__isnot__"}},
    {"in", {"aten::__contains__", "__contains__"}},
};

/// Operators of two numbers that have no overload for a complex one and another kind, and whose overload for any two
/// says `float`: both become complex.
void make_both_complex(Graph& graph, const SourceRange& range, Value*& left, Value*& right) {
    const auto is = [](const Value* v, TypeKind kind) { return v->type()->kind() == kind; };
    const auto is_real = [&](const Value* v) {
        return is(v, TypeKind::Int) || is(v, TypeKind::Float) || is(v, TypeKind::Bool);
    };
    for (auto [one, other] : {std::pair(&left, right), std::pair(&right, left)})
        if (is_real(*one) && is(other, TypeKind::Complex))
            *one = call_operator(graph, range, "aten::Complex", {{*one}, {}});
}

} // namespace

Value* Emitter::unary(const Expr& e) {
    if (e.text == "not") return condition(e).value;
    if (e.text == "-" && e[0].kind == ExprKind::Number) return number(e[0], true);
    Value* operand = value(e[0]);
    if (operand->type()->kind() == TypeKind::Class)
        return call_method(operand, e.text == "-" ? "__neg__" : "__invert__", {}, at(e));
    if (const IValue* known = constant_of(operand); known && e.text == "-") {
        if (known->isInt()) return constant(std::int64_t(0 - std::uint64_t(known->toInt())), at(e));
        if (known->isDouble()) return constant(-known->toDouble(), at(e));
    }
    return call_overloads({e.text == "-" ? "aten::neg" : "aten::bitwise_not"}, {{operand}, {}}, at(e));
}

Value* Emitter::binary(const Expr& e) {
    const bool is_check = e.text == "is" || e.text == "is not";
    if (is_check || e.text == "not in") return condition(e).value;
    const Spelled& spelled = binary_operators.at(e.text);
    Value* left = value(e[0]);
    Value* right = value(e[1]);
    if (e.text == "in") std::swap(left, right);
    const TypeKind kind = left->type()->kind();
    if (kind == TypeKind::Class) return call_method(left, spelled.magic, {{right}, {}}, at(e));
    if (kind == TypeKind::String && e.text == "%")
        return call_operator(graph_, at(e), "aten::percentFormat", {{left, right}, {}});
    if (kind == TypeKind::Tuple && right->type()->kind() == TypeKind::Tuple && e.text == "+") {
        std::vector<Value*> parts = unpack_tuple(graph_, left);
        for (Value* part : unpack_tuple(graph_, right)) parts.push_back(part);
        return build_tuple(graph_, std::move(parts));
    }
    if (e.text == "/") make_both_complex(graph_, at(e), left, right);
    return call_overloads({spelled.op}, {{left, right}, {}}, at(e));
}

Value* Emitter::augmented(const syntax::Stmt& s, Value* left) {
    const bool in_place = left->type()->kind() == TypeKind::Tensor || left->type()->kind() == TypeKind::List;
    return augmented(s, left, value(*s.value), in_place);
}

Value* Emitter::augmented(const syntax::Stmt& s, Value* left, Value* right, bool in_place) {
    if (left->type()->kind() == TypeKind::Class) {
        std::string magic = binary_operators.at(s.text).magic;
        const std::string own = "__i" + magic.substr(2);
        return call_method(left, has_attribute(*left->type(), own) ? own : magic, {{right}, {}}, at(s));
    }
    std::string op = binary_operators.at(s.text).op;
    if (s.text == "%") op = "aten::fmod"; // rule SC-42
    if (s.text == "/") make_both_complex(graph_, at(s), left, right);
    const bool arithmetic = s.text == "+" || s.text == "-" || s.text == "*" || s.text == "/" || s.text == "%";
    if (in_place && arithmetic) op += "_";
    else if (in_place && (s.text == "&" || s.text == "|" || s.text == "^"))
        op = s.text == "&" ? "aten::bitwise_and" : s.text == "|" ? "aten::bitwise_or" : "aten::bitwise_xor";
    else if (in_place && (s.text == "<<" || s.text == ">>"))
        op = s.text == "<<" ? "aten::__ilshift__" : "aten::__irshift__";
    return call_overloads({Symbol(op)}, {{left, right}, {}}, at(s));
}

} // namespace reel::jit::emit
