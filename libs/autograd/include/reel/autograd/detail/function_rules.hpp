// Arguments and results of custom functions as lists of tensors, and what puts them onto the tape.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {
class AutogradContext;
} // namespace reel::autograd

namespace reel::autograd::impl {

struct FunctionRules {
    std::string name; ///< of the class, as errors and `Node::name` show it
    std::function<variable_list(AutogradContext*)> forward;
    /// Empty when the class has none: then using it is a NotImplementedError (E-82).
    std::function<variable_list(AutogradContext*, variable_list)> backward;
    bool once_differentiable = false;
    /// Forward mode: a tangent per argument in, one per output out. Empty when the class has none.
    std::function<variable_list(AutogradContext*, variable_list)> jvp = {};
};
/// Runs forward and puts the node on the tape. One entry per argument: a tensor, or nothing for other kinds. Undefined
/// outputs stand for results that are not tensors.
variable_list apply_function(FunctionRules rules, const std::vector<std::optional<Tensor>>& arguments);
/// `MyFunction` from a type.
std::string function_name(const std::type_info& type);

template <class T> inline constexpr bool is_tuple = false;
template <class... E> inline constexpr bool is_tuple<std::tuple<E...>> = true;

template <class T> void add_argument(std::vector<std::optional<Tensor>>& out, const T& a) {
    if constexpr (std::is_convertible_v<const T&, Tensor>) out.emplace_back(Tensor(a));
    else if constexpr (std::is_convertible_v<const T&, TensorList>) {
        for (const Tensor& t : TensorList(a)) out.emplace_back(t);
    } else if constexpr (std::is_same_v<T, std::optional<Tensor>>) out.emplace_back(a.value_or(Tensor()));
    else out.emplace_back(std::nullopt);
}
template <class T> void collect_results(variable_list& out, const T& r) {
    if constexpr (std::is_same_v<T, Tensor>) out.push_back(r);
    else if constexpr (std::is_same_v<T, variable_list>) out.insert(out.end(), r.begin(), r.end());
    else out.emplace_back();
}
template <class... E> void collect_results(variable_list& out, const std::tuple<E...>& r) {
    std::apply([&](const auto&... e) { (collect_results(out, e), ...); }, r);
}
template <class T> void replace_results(T& r, const variable_list& from, std::size_t& next) {
    if constexpr (std::is_same_v<T, Tensor>) r = from[next++];
    else if constexpr (std::is_same_v<T, variable_list>) {
        for (Tensor& t : r) t = from[next++];
    } else ++next;
}
template <class... E> void replace_results(std::tuple<E...>& r, const variable_list& from, std::size_t& next) {
    std::apply([&](auto&... e) { (replace_results(e, from, next), ...); }, r);
}

} // namespace reel::autograd::impl
