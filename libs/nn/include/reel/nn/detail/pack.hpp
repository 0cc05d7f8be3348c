// C++ types to values and back.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/value.hpp>
#include <reel/nn/fields.hpp>

namespace reel::nn::detail {

template <class T> inline constexpr bool is_list = false; // of elements that Value cannot take as they are
template <class E> inline constexpr bool is_list<std::vector<E>> = !std::is_same_v<E, bool>;
template <class E, std::size_t N> inline constexpr bool is_list<std::array<E, N>> = true;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_tuple = false;
template <class... E> inline constexpr bool is_tuple<std::tuple<E...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;
/// std::map and its kind.
template <class T>
concept MapLike = requires(T& m) {
    typename T::mapped_type;
    requires std::is_constructible_v<Value, const typename T::key_type&>;
    m.emplace(std::declval<typename T::key_type>(), std::declval<typename T::mapped_type>());
};
/// OrderedDict.
template <class T>
concept ItemList = requires(T& m) {
    m.begin()->key();
    m.insert(m.begin()->key(), m.begin()->value());
};
template <class T>
concept PlainValue = std::is_constructible_v<Value, const T&> &&
    (!std::is_pointer_v<T> || std::is_same_v<T, const char*>);

[[noreturn]] void throw_field(std::string_view name, const std::string& why);
[[noreturn]] void throw_expected(const std::string& what, const Value& got);
/// The dict that stands for a struct; TypeError names the fields otherwise.
const ValueDict& dict_of_fields(const Value& v, const std::string& names);
const Value& field_of(const ValueDict& dict, std::string_view name);

/// C++ value -> Value. An undefined Tensor is none. Types that neither Value nor the trait knows are boxed.
template <class T> Value pack(T&& v) {
    using D = std::decay_t<T>;
    if constexpr (std::is_same_v<D, Value>) return std::forward<T>(v);
    else if constexpr (std::is_same_v<D, Tensor>) return v.defined() ? Value(std::forward<T>(v)) : Value(); // absent
    else if constexpr (HasFields<D>) {
        ValueDict fields;
        std::size_t i = 0;
        std::apply([&](auto&... f) { (fields.set(Value(Fields<D>::name(i++)), pack(std::as_const(f))), ...); },
                   Fields<D>::members(const_cast<D&>(v))); // only read
        return Value(std::move(fields));
    } else if constexpr (is_optional<D>) return v ? pack(*v) : Value();
    else if constexpr (is_tuple<D>) return std::apply([](const auto&... e) { return Value::tuple({pack(e)...}); }, v);
    else if constexpr (PlainValue<D>) return Value(std::forward<T>(v));
    else if constexpr (MapLike<D>) {
        ValueDict dict;
        for (const auto& [key, value] : v) dict.set(Value(key), pack(value));
        return Value(std::move(dict));
    } else if constexpr (ItemList<D>) {
        ValueDict dict;
        for (const auto& item : v) dict.set(Value(item.key()), pack(item.value()));
        return Value(std::move(dict));
    } else if constexpr (is_list<D>) {
        std::vector<Value> e;
        for (const auto& one : v) e.push_back(pack(one));
        return Value::list(std::move(e));
    } else return Value::box<D>(std::forward<T>(v));
}

template <class T> T unpack(const Value& v);
template <class Tuple> Tuple unpack_tuple(const Value& v) {
    const auto& e = v.elements();
    constexpr std::size_t n = std::tuple_size_v<Tuple>;
    if (e.size() != n) throw_expected("a tuple of " + std::to_string(n) + " values", v);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Tuple(unpack<std::tuple_element_t<I, Tuple>>(e[I])...);
    }
    (std::make_index_sequence<n>());
}
template <class T> T unpack_fields(const Value& v) {
    static_assert(std::is_default_constructible_v<T>, "a struct that goes through module calls by its fields must be "
                                                      "default constructible");
    if (const T* whole = v.try_get<T>()) return *whole;
    T r{};
    std::size_t at = 0;
    std::apply(
        [&](auto&... f) {
            std::string names;
            for (std::size_t i = 0; i < sizeof...(f); ++i) names += (i ? ", " : "") + std::string(Fields<T>::name(i));
            const ValueDict& dict = dict_of_fields(v, names);
            try {
                ((f = unpack<std::decay_t<decltype(f)>>(field_of(dict, Fields<T>::name(at))), ++at), ...);
            } catch (const TypeError& e) {
                throw_field(Fields<T>::name(at), e.msg());
            }
        },
        Fields<T>::members(r));
    return r;
}
/// The way back. TypeError says what was expected and what came.
template <class T> T unpack(const Value& v) {
    if constexpr (std::is_same_v<T, Tensor>) return v.isNone() ? Tensor() : v.toTensor();
    else if constexpr (std::is_same_v<T, Value>) return v;
    else if constexpr (HasFields<T>) return unpack_fields<T>(v);
    else if constexpr (is_optional<T>) {
        if (v.isNone()) return std::nullopt;
        return unpack<typename T::value_type>(v);
    } else if constexpr (is_tuple<T>) return unpack_tuple<T>(v);
    else if constexpr (std::is_same_v<T, const char*>) return v.toStringRef().c_str(); // lives as long as `v`
    else if constexpr (std::is_same_v<T, std::string_view>) return std::string_view(v.toStringRef());
    else if constexpr (std::is_same_v<T, std::nullopt_t>) return std::nullopt;
    else if constexpr (std::is_same_v<T, std::nullptr_t>) return nullptr;
    else if constexpr (PlainValue<T>) return v.to<T>();
    else if constexpr (MapLike<T>) {
        T r;
        for (const auto& [key, value] : v.toGenericDict())
            r.emplace(key.template to<typename T::key_type>(), unpack<typename T::mapped_type>(value));
        return r;
    } else if constexpr (ItemList<T>) {
        T r;
        for (const auto& [key, value] : v.toGenericDict())
            r.insert(key.template to<std::decay_t<decltype(r.begin()->key())>>(),
                     unpack<std::decay_t<decltype(r.begin()->value())>>(value));
        return r;
    } else if constexpr (is_list<T>) {
        const auto& e = v.elements();
        T r{};
        if constexpr (requires { r.reserve(e.size()); }) {
            r.reserve(e.size());
            for (const Value& one : e) r.push_back(unpack<typename T::value_type>(one));
        } else {
            if (e.size() != r.size()) throw_expected("a list of " + std::to_string(r.size()) + " values", v);
            for (std::size_t i = 0; i < r.size(); ++i) r[i] = unpack<typename T::value_type>(e[i]);
        }
        return r;
    } else return v.get<T>();
}

} // namespace reel::nn::detail
