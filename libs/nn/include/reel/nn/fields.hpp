// Structs of tensors as arguments and results of modules: how a struct shows its fields.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace reel::nn {

/// The trait: `members(s)` ties the fields of `s`, `name(i)` is what field `i` is called. A type that has one goes
/// through module calls field by field: hooks see a dict of the fields, gradients have a place for every tensor in it.
/// Such a type must be default constructible and copyable, and be no more than its fields. `REEL_FIELDS` inside a
/// struct is the short way; specialize this for types that cannot be edited; reel/nn/describe.hpp knows Boost.Describe.
template <class T> struct Fields {};

namespace detail {
/// Part `i` of "a, b, c".
constexpr std::string_view nth_name(std::string_view names, std::size_t i) {
    for (;; --i) {
        const std::size_t comma = names.find(',');
        if (i == 0) return names.substr(0, comma);
        if (comma == std::string_view::npos) return {};
        names.remove_prefix(comma + 1);
        while (!names.empty() && (names.front() == ' ' || names.front() == '\n')) names.remove_prefix(1);
    }
}
} // namespace detail

template <class T>
requires requires { T::reel_field_names; }
struct Fields<T> {
    static auto members(T& s) { return s.reel_fields(); }
    static constexpr std::string_view name(std::size_t i) { return detail::nth_name(T::reel_field_names, i); }
};

template <class T>
concept HasFields = requires(T& s) {
    Fields<T>::members(s);
    { Fields<T>::name(std::size_t()) } -> std::convertible_to<std::string_view>;
};

} // namespace reel::nn

/// Inside a struct: `struct Batch { Tensor image, label; REEL_FIELDS(image, label) };`. It stays an aggregate.
#define REEL_FIELDS(...)                                                                                               \
    static constexpr const char* reel_field_names = #__VA_ARGS__;                                                      \
    auto reel_fields() { return std::tie(__VA_ARGS__); }
