// Arguments of ops that C++ may not convert without a word: a number into a bool, a bool into a number.
#pragma once

#include <optional>
#include <type_traits>

namespace reel::detail {

/// What would become a bool where one is expected: numbers, pointers, unscoped enumerations.
template <class T>
concept ToBool = std::is_scalar_v<T> && !std::is_same_v<T, bool> && std::is_convertible_v<T, bool>;
/// A bool where a number is expected, which would become 0 or 1.
template <class T>
concept OnlyBool = std::is_same_v<T, bool>;
/// An integer, where a bool would be as good a match as a list of dims.
template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
/// May stand for a `T`: a bool for a bool, a number for a number, an object for what it converts to.
template <class From, class T>
concept FitsExactly = std::is_convertible_v<From, T> &&
    (std::is_class_v<From> || std::is_same_v<From, bool> == std::is_same_v<T, bool>)&&!std::is_pointer_v<From>;

/// A parameter of type `T`, bool or number, of an op that has one schema. (Where there are several, overloads that are
/// deleted refuse the same; they would keep a function's name from being passed on.)
template <class T> class Exact {
public:
    template <class From>
    requires FitsExactly<From, T>
    constexpr Exact(From value) : value_(static_cast<T>(value)) {}
    constexpr operator T() const { return value_; }

private:
    T value_;
};

/// The same for a parameter that may be absent.
template <class T> class OptionalExact {
public:
    constexpr OptionalExact() = default;
    constexpr OptionalExact(std::nullopt_t) {}
    template <class From>
    requires FitsExactly<From, T>
    constexpr OptionalExact(From value) : value_(static_cast<T>(value)) {}
    template <class From>
    requires FitsExactly<From, T>
    constexpr OptionalExact(const std::optional<From>& value) : value_(value) {}
    constexpr operator std::optional<T>() const { return value_; }

private:
    std::optional<T> value_;
};

} // namespace reel::detail
