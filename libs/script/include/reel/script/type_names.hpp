// The types of scripts under libtorch's names: `FloatType::get()`, `ListType::create(IntType::get())`.
#pragma once

#include <reel/script/type.hpp>

namespace reel::jit {

#define REEL_SCRIPT_TYPE_NAME(Name, Of)                                                                                \
    struct Name {                                                                                                      \
        static const TypePtr& get() { return Type::Of(); }                                                             \
    };
REEL_SCRIPT_TYPE_NAME(IntType, Int)
REEL_SCRIPT_TYPE_NAME(FloatType, Float)
REEL_SCRIPT_TYPE_NAME(BoolType, Bool)
REEL_SCRIPT_TYPE_NAME(ComplexType, Complex)
REEL_SCRIPT_TYPE_NAME(NumberType, Number)
REEL_SCRIPT_TYPE_NAME(StringType, String)
REEL_SCRIPT_TYPE_NAME(NoneType, None)
REEL_SCRIPT_TYPE_NAME(AnyType, Any)
REEL_SCRIPT_TYPE_NAME(DeviceObjType, Device)
#undef REEL_SCRIPT_TYPE_NAME

struct ListType {
    static TypePtr create(TypePtr element) { return Type::List(std::move(element)); }
    static TypePtr ofTensors() { return Type::List(Type::Tensor()); }
    static TypePtr ofInts() { return Type::List(Type::Int()); }
    static TypePtr ofFloats() { return Type::List(Type::Float()); }
    static TypePtr ofBools() { return Type::List(Type::Bool()); }
    static TypePtr ofStrings() { return Type::List(Type::String()); }
};
struct DictType {
    static TypePtr create(TypePtr key, TypePtr value) { return Type::Dict(std::move(key), std::move(value)); }
};
struct OptionalType {
    static TypePtr create(TypePtr element) { return Type::Optional(std::move(element)); }
};

} // namespace reel::jit
