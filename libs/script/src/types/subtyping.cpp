// What fits where (rule SC-33).
#include <algorithm>

#include <reel/script/function.hpp>

namespace reel::jit {

namespace {

// Every enum fits the operators that compare any two of them.
constexpr std::string_view any_enum = "AnyEnumType";

bool has_methods_of(const ClassType& type, const InterfaceType& wanted) {
    return std::all_of(wanted.methods().begin(), wanted.methods().end(), [&](const FunctionSchema& asked) {
        jit::Function* method = type.find_method(asked.name);
        if (!method) return false;
        const FunctionSchema& given = method->schema();
        if (given.arguments.size() != asked.arguments.size() + 1 || given.returns.size() != asked.returns.size())
            return false;
        for (std::size_t i = 0; i < asked.arguments.size(); ++i) {
            if (given.arguments[i + 1].name != asked.arguments[i].name) return false;
            if (!asked.arguments[i].type->is_subtype_of(*given.arguments[i + 1].type)) return false;
        }
        return std::equal(given.returns.begin(), given.returns.end(), asked.returns.begin(),
                          [](const Argument& g, const Argument& a) { return g.type->is_subtype_of(*a.type); });
    });
}

bool tuple_fits(const TupleType& from, const TupleType& to) {
    if (to.is_named() && to.name() != from.name()) return false;
    return from.contained().size() == to.contained().size() &&
           std::equal(from.contained().begin(), from.contained().end(), to.contained().begin(),
                      [](const TypePtr& a, const TypePtr& b) { return a->is_subtype_of(*b); });
}

} // namespace

bool Type::is_subtype_of(const Type& other) const {
    if (other.kind_ == TypeKind::Any || equals(other)) return true;
    const auto fits = [&](const TypePtr& member) { return member->is_subtype_of(other); };
    if (kind_ == TypeKind::Union) return std::all_of(contained_.begin(), contained_.end(), fits);
    if (kind_ == TypeKind::Optional) return fits(contained_[0]) && fits(None());
    switch (other.kind_) {
    case TypeKind::Optional:
        return kind_ == TypeKind::None || is_subtype_of(*other.contained_[0]);
    case TypeKind::Union:
        return std::any_of(other.contained_.begin(), other.contained_.end(),
                           [&](const TypePtr& member) { return is_subtype_of(*member); });
    case TypeKind::AnyList:
        return kind_ == TypeKind::List;
    case TypeKind::AnyTuple:
        return kind_ == TypeKind::Tuple;
    case TypeKind::Number:
        return kind_ == TypeKind::Int || kind_ == TypeKind::Float || kind_ == TypeKind::Complex;
    case TypeKind::Tuple:
        return kind_ == TypeKind::Tuple &&
               tuple_fits(static_cast<const TupleType&>(*this), static_cast<const TupleType&>(other));
    case TypeKind::Enum:
        return kind_ == TypeKind::Enum && other.name() == any_enum;
    case TypeKind::Interface:
        return kind_ == TypeKind::Class &&
               has_methods_of(static_cast<const ClassType&>(*this), static_cast<const InterfaceType&>(other));
    default:
        return false;
    }
}

std::optional<TypePtr> unify(const TypePtr& a, const TypePtr& b) {
    if (a->kind() == TypeKind::Tensor && b->kind() == TypeKind::Tensor) {
        return a->str() == b->str() ? a : Type::Tensor();
    }
    if (a->is_subtype_of(*b)) return b;
    if (b->is_subtype_of(*a)) return a;
    if (a->kind() == TypeKind::None) return Type::Optional(b);
    if (b->kind() == TypeKind::None) return Type::Optional(a);
    const bool optional = a->kind() == TypeKind::Optional || b->kind() == TypeKind::Optional;
    if (optional) {
        const auto inner = [](const TypePtr& t) { return t->kind() == TypeKind::Optional ? t->contained()[0] : t; };
        std::optional<TypePtr> element = unify(inner(a), inner(b));
        if (!element) return std::nullopt;
        return Type::Optional(*element);
    }
    if (a->kind() == TypeKind::Future && b->kind() == TypeKind::Future) {
        std::optional<TypePtr> element = unify(a->contained()[0], b->contained()[0]);
        if (!element) return std::nullopt;
        return Type::Future(*element);
    }
    if (a->kind() == TypeKind::Tuple && b->kind() == TypeKind::Tuple &&
        a->contained().size() == b->contained().size()) {
        std::vector<TypePtr> elements;
        for (std::size_t i = 0; i < a->contained().size(); ++i) {
            std::optional<TypePtr> element = unify(a->contained()[i], b->contained()[i]);
            if (!element) return std::nullopt;
            elements.push_back(*element);
        }
        return Type::Tuple(std::move(elements));
    }
    return std::nullopt;
}

} // namespace reel::jit
