// The types of values at run time.
#include <algorithm>

#include <reel/autograd/generator.hpp>
#include <reel/script/object.hpp>

namespace reel::jit {

namespace {

// The one type of all elements; Tensor where there is none, as for a list written `[]` (rule SC-37).
TypePtr common_type(const std::vector<IValue>& elements) {
    if (elements.empty()) return Type::Tensor();
    TypePtr type = type_of(elements[0]);
    for (std::size_t i = 1; i < elements.size(); ++i) {
        TypePtr next = type_of(elements[i]);
        if (next->equals(*type)) continue;
        type = unify(type, next).value_or(Type::Any());
    }
    return type;
}

TypePtr dict_type(const ValueDict& dict) {
    if (dict.empty()) return Type::Dict(Type::String(), Type::Tensor());
    std::vector<IValue> keys, values;
    for (const auto& [key, value] : dict) {
        keys.push_back(key);
        values.push_back(value);
    }
    return Type::Dict(common_type(keys), common_type(values));
}

bool all_are(const std::vector<IValue>& values, const Type& type) {
    return std::all_of(values.begin(), values.end(), [&](const IValue& v) { return is_instance(v, type); });
}

bool tuple_is(const IValue& value, const Type& type) {
    if (!value.isTuple() || value.elements().size() != type.contained().size()) return false;
    return std::equal(value.elements().begin(), value.elements().end(), type.contained().begin(),
                      [](const IValue& v, const TypePtr& t) { return is_instance(v, *t); });
}

bool dict_is(const IValue& value, const Type& type) {
    if (!value.isGenericDict()) return false;
    const ValueDict& dict = value.toGenericDict();
    return std::all_of(dict.begin(), dict.end(), [&](const ValueDict::Item& item) {
        return is_instance(item.first, *type.contained()[0]) && is_instance(item.second, *type.contained()[1]);
    });
}

} // namespace

TypePtr type_of(const IValue& value) {
    switch (value.kind()) {
    case IValue::Kind::None:
        return Type::None();
    case IValue::Kind::Tensor:
        return Type::Tensor();
    case IValue::Kind::Bool:
        return Type::Bool();
    case IValue::Kind::Int:
    case IValue::Kind::Dtype:
        return Type::Int();
    case IValue::Kind::Double:
        return Type::Float();
    case IValue::Kind::Complex:
        return Type::Complex();
    case IValue::Kind::String:
        return Type::String();
    case IValue::Kind::Device:
        return Type::Device();
    case IValue::Kind::List:
        return Type::List(common_type(value.elements()));
    case IValue::Kind::Dict:
        return dict_type(value.toGenericDict());
    case IValue::Kind::Tuple: {
        std::vector<TypePtr> types;
        for (const IValue& e : value.elements()) {
            types.push_back(type_of(e));
        }
        return Type::Tuple(std::move(types));
    }
    case IValue::Kind::Boxed:
        break;
    }
    if (is_object(value)) return to_object(value)->type();
    if (is_enum(value)) return to_enum(value).type;
    if (is_future(value)) return Type::Future(to_future(value).type);
    if (value.try_get<reel::Generator>()) return Type::Generator();
    return Type::Any();
}

bool is_instance(const IValue& value, const Type& type) {
    switch (type.kind()) {
    case TypeKind::Any:
    case TypeKind::Var:
        return true;
    case TypeKind::Tensor:
        return value.isTensor();
    case TypeKind::Int:
        return value.isInt() || value.isDtype();
    case TypeKind::Float:
        return value.isDouble();
    case TypeKind::Bool:
        return value.isBool();
    case TypeKind::Complex:
        return value.isComplexDouble();
    case TypeKind::Number:
        return value.isScalar();
    case TypeKind::String:
        return value.isString();
    case TypeKind::None:
        return value.isNone();
    case TypeKind::Device:
        return value.isDevice();
    case TypeKind::List:
        return value.isList() && all_are(value.elements(), *type.contained()[0]);
    case TypeKind::AnyList:
        return value.isList();
    case TypeKind::AnyTuple:
        return value.isTuple();
    case TypeKind::Dict:
        return dict_is(value, type);
    case TypeKind::Tuple:
        return tuple_is(value, type);
    case TypeKind::Optional:
        return value.isNone() || is_instance(value, *type.contained()[0]);
    case TypeKind::Union:
        return std::any_of(type.contained().begin(), type.contained().end(),
                           [&](const TypePtr& member) { return is_instance(value, *member); });
    case TypeKind::Future:
        return is_future(value) && to_future(value).type->is_subtype_of(*type.contained()[0]);
    case TypeKind::Class:
    case TypeKind::Interface:
        return is_object(value) && to_object(value)->type()->is_subtype_of(type);
    case TypeKind::Enum:
        return is_enum(value) && to_enum(value).type->is_subtype_of(type);
    case TypeKind::Generator:
        return value.try_get<reel::Generator>() != nullptr;
    case TypeKind::Stream:
    case TypeKind::Function:
        return false;
    }
    return false;
}

} // namespace reel::jit
