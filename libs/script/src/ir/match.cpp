#include "match.hpp"

#include <map>

namespace reel::jit {

namespace {

using Variables = std::map<std::string, TypePtr>;

bool has_variables(const Type& t) {
    if (t.kind() == TypeKind::Var) return true;
    for (const TypePtr& c : t.contained()) {
        if (has_variables(*c)) return true;
    }
    return false;
}

bool fits(const TypePtr& given, const TypePtr& wanted, Variables& variables) {
    if (wanted->kind() == TypeKind::Var) {
        TypePtr& bound = variables[wanted->name()];
        if (!bound) bound = given;
        return given->is_subtype_of(*bound);
    }
    if (!has_variables(*wanted)) return given->is_subtype_of(*wanted);
    if (wanted->kind() == TypeKind::Optional && given->kind() == TypeKind::None) return true;
    if (wanted->kind() == TypeKind::Optional && given->kind() != TypeKind::Optional)
        return fits(given, wanted->contained()[0], variables);
    if (given->kind() != wanted->kind() || given->contained().size() != wanted->contained().size()) return false;
    for (std::size_t i = 0; i < given->contained().size(); ++i) {
        if (!fits(given->contained()[i], wanted->contained()[i], variables)) return false;
    }
    return true;
}

bool takes(const FunctionSchema& schema, const Node& node) {
    const std::size_t given = node.inputs().size(), wanted = schema.arguments.size();
    if (schema.is_vararg ? given < wanted : given != wanted) return false;
    Variables variables;
    for (std::size_t i = 0; i < wanted; ++i) {
        if (!fits(node.input(i)->type(), schema.arguments[i].type, variables)) return false;
    }
    return true;
}

} // namespace

const Operator* match_operator(const Node& node) {
    for (const Operator* op : operators(node.kind())) {
        if (takes(op->schema, node)) return op;
    }
    return nullptr;
}

} // namespace reel::jit
