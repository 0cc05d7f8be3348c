// Fluent option fields: `LinearOptions(2, 3).bias(false)`. An options struct that also lists them, by
// `void fields(OptionVisitor& v)` (reel/nn/option_visitor.hpp), gives its layer constructor arguments by name and its
// printed form.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Declares a field with a setter that changes this very object and a getter: `REEL_ARG(bool, bias) = true;`.
#define REEL_ARG(T, name)                                                                                              \
public:                                                                                                                \
    auto name(const T& new_##name)->decltype(*this) {                                                                  \
        this->name##_ = new_##name;                                                                                    \
        return *this;                                                                                                  \
    }                                                                                                                  \
    auto name(T&& new_##name)->decltype(*this) {                                                                       \
        this->name##_ = std::move(new_##name);                                                                         \
        return *this;                                                                                                  \
    }                                                                                                                  \
    const T& name() const noexcept { return this->name##_; }                                                           \
    T& name() noexcept { return this->name##_; }                                                                       \
                                                                                                                       \
private:                                                                                                               \
    T name##_

/// The same in a base class of options: the setters return the class that was derived.
#define REEL_ARG_OF(Self, T, name)                                                                                     \
public:                                                                                                                \
    Self& name(const T& new_##name) {                                                                                  \
        this->name##_ = new_##name;                                                                                    \
        return static_cast<Self&>(*this);                                                                              \
    }                                                                                                                  \
    const T& name() const noexcept { return this->name##_; }                                                           \
    T& name() noexcept { return this->name##_; }                                                                       \
                                                                                                                       \
private:                                                                                                               \
    T name##_

namespace reel::nn {

class OptionVisitor;

namespace detail {

/// Options of a type that is not known here, with their list.
struct OptionList {
    void* options;
    void (*list)(void* options, OptionVisitor& v);
};
template <class O> OptionList list_of(O& options) {
    return {&options, [](void* o, OptionVisitor& v) { static_cast<O*>(o)->fields(v); }};
}
/// Stands for arguments that the constructor of options requires and that are set afterwards.
struct Unset {
    template <class T>
    requires(
        std::is_arithmetic_v<T> || requires(const T& t) { t.is_single(); } || requires(const T& t) { t.is_integral(); })
    operator T() const {
        return T(0);
    }
    operator std::vector<std::int64_t>() const { return {}; }
};
/// Options as their defaults have them; what has no default is zero.
template <class O> O default_options() {
    const Unset u;
    if constexpr (std::is_default_constructible_v<O>) return O();
    else if constexpr (std::is_constructible_v<O, Unset>) return O(u);
    else if constexpr (std::is_constructible_v<O, Unset, Unset>) return O(u, u);
    else if constexpr (std::is_constructible_v<O, Unset, Unset, Unset>) return O(u, u, u);
    else return O(std::vector<std::int64_t>());
}
/// `in_features=2, out_features=3, bias=True`, by the list.
std::string print_options(const OptionList& options, const OptionList& defaults);
template <class O> std::string printed_options(const O& options) {
    O shown = options, defaults = default_options<O>();
    return print_options(list_of(shown), list_of(defaults));
}

} // namespace detail

} // namespace reel::nn
