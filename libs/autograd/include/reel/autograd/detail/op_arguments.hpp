// Types of a function as a schema names them, and arguments bound to them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <reel/autograd/op.hpp>

namespace reel::ops::detail {

/// The schema type that a C++ type stands for, by its spelling in schemas; null for types that no schema has.
template <class T> constexpr const char* schema_type() {
    if constexpr (std::is_same_v<T, Tensor>) return "Tensor";
    else if constexpr (std::is_same_v<T, std::optional<Tensor>>) return "Tensor?";
    else if constexpr (std::is_same_v<T, std::vector<Tensor>> || std::is_same_v<T, TensorList>) return "Tensor[]";
    else if constexpr (std::is_same_v<T, bool>) return "bool";
    else if constexpr (std::is_integral_v<T>) return "int";
    else if constexpr (std::is_floating_point_v<T>) return "float";
    else if constexpr (std::is_same_v<T, Scalar>) return "Scalar";
    else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) return "str";
    else if constexpr (std::is_same_v<T, ScalarType>) return "Dtype";
    else if constexpr (std::is_same_v<T, Device>) return "Device";
    else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, IntArrayRef>) return "int[]";
    else if constexpr (std::is_same_v<T, std::vector<double>>) return "float[]";
    else if constexpr (std::is_same_v<T, std::optional<bool>>) return "bool?";
    else if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) return "int?";
    else if constexpr (std::is_same_v<T, std::optional<double>>) return "float?";
    else if constexpr (std::is_same_v<T, std::optional<Scalar>>) return "Scalar?";
    else if constexpr (std::is_same_v<T, std::optional<std::string>>) return "str?";
    else if constexpr (std::is_same_v<T, std::optional<ScalarType>>) return "Dtype?";
    else if constexpr (std::is_same_v<T, std::optional<Device>>) return "Device?";
    else return nullptr;
}
/// What holds an argument of type `T` during the call: references and views need an owner.
template <class T> struct Held { using type = T; };
template <> struct Held<TensorList> { using type = std::vector<Tensor>; };
template <> struct Held<IntArrayRef> { using type = std::vector<std::int64_t>; };
template <> struct Held<std::string_view> { using type = std::string; };

/// A number in the place of a tensor is a 0-dim one that promotes as the number.
Tensor bound_tensor(const Value& v);
Device bound_device(const Value& v);
template <class T> typename Held<T>::type bound_argument(const Value& v) {
    using H = typename Held<T>::type;
    if constexpr (std::is_same_v<H, Tensor>) return bound_tensor(v);
    else if constexpr (std::is_same_v<H, std::optional<Tensor>>) return v.isNone() ? H() : H(bound_tensor(v));
    else if constexpr (std::is_same_v<H, Device>) return bound_device(v);
    else if constexpr (std::is_same_v<H, std::optional<Device>>) return v.isNone() ? H() : H(bound_device(v));
    else if constexpr (requires { typename H::value_type; } && std::is_constructible_v<H, std::nullopt_t>)
        return v.toOptional<typename H::value_type>();
    else return v.to<H>();
}

template <class F> struct SignatureOf : SignatureOf<decltype(&F::operator())> {};
template <class R, class... A> struct SignatureOf<R (*)(A...)> {
    using Result = R;
    using Arguments = std::tuple<std::decay_t<A>...>;
};
template <class R, class C, class... A> struct SignatureOf<R (C::*)(A...) const> : SignatureOf<R (*)(A...)> {};
template <class R, class C, class... A> struct SignatureOf<R (C::*)(A...)> : SignatureOf<R (*)(A...)> {};
template <class F>
concept HasOneSignature = std::is_pointer_v<F> || requires {
    &F::operator();
};

/// Parses, compares with the types of the function, and registers.
const Op& define(std::string_view schema, std::span<const char* const> argument_types,
                 std::function<Value(std::span<const Value>)> body);

} // namespace reel::ops::detail
