// Options of a type that is not known, by their list.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace reel::nn {
class OptionVisitor;
} // namespace reel::nn

namespace reel::nn::detail {

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
    template <class T>
    requires requires { typename T::ContainedType; }
    operator T() const { return T(nullptr); }
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

} // namespace reel::nn::detail
