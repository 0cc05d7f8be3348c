// A value that remembers the C++ type that it was made of.
#pragma once

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <reel/nn/detail/pack.hpp>

namespace reel::nn {

/// What hooks, `AnyModule::any_forward` and default arguments of forward speak: a Value that also knows the exact type
/// it was made of. `AnyValue(5)` holds an int: `get<int>()` is 5, `get<long>()` is a TypeError that names both.
/// One made of a Value, such as a module's result, holds what the Value does and converts as `nn::from_value`.
class AnyValue : public Value {
public:
    AnyValue() = default;
    AnyValue(Value value) : Value(std::move(value)) {}
    template <class T>
    requires(!std::is_base_of_v<Value, std::decay_t<T>>) explicit(!std::is_convertible_v<T, Value>) AnyValue(T&& object)
        : Value(detail::pack(std::as_const(object))),
          object_(std::make_shared<const std::decay_t<T>>(std::forward<T>(object))), type_(&typeid(std::decay_t<T>)) {}

    /// The object if it was of exactly this type, else null.
    template <class T> const T* try_get() const {
        if (type_) return *type_ == typeid(T) ? static_cast<const T*>(object_.get()) : nullptr;
        if constexpr (std::is_same_v<T, Tensor>) return isTensor() ? &toTensor() : nullptr;
        else return Value::try_get<T>();
    }
    /// Errors: TypeError for another type than that of the object.
    template <class T> T get() const {
        if (!type_) return detail::unpack<T>(*this);
        if (const T* object = try_get<T>()) return *object;
        throw_type(typeid(T));
    }
    static AnyValue from_value(const Value& value) { return value; }
    const std::type_info& type_info() const { return type_ ? *type_ : Value::type_info(); }

private:
    [[noreturn]] void throw_type(const std::type_info& wanted) const;
    std::shared_ptr<const void> object_;
    const std::type_info* type_ = nullptr;
};

} // namespace reel::nn
