// A parametrization, and how it is inverted.
#pragma once

#include <string>
#include <utility>

#include <reel/nn/detail/module_walk.hpp>
#include <reel/nn/pack.hpp>

namespace reel::nn::utils::parametrize::detail {

/// Calls `right_inverse` of a parametrization of a known class.
using RightInverse = Value (*)(Module&, const Tensor&);
template <class M> constexpr RightInverse right_inverse_of() {
    if constexpr (requires(M & m, const Tensor& t) { m.right_inverse(t); })
        return [](Module& m, const Tensor& t) { return nn::detail::pack(static_cast<M&>(m).right_inverse(t)); };
    else return nullptr;
}
/// A parametrization, and how it is inverted; null where its class cannot.
struct Step {
    ModulePtr module;
    RightInverse inverse;
};
template <class P> Step step(P&& parametrization) {
    auto p = nn::detail::as_typed_ptr(std::forward<P>(parametrization));
    constexpr RightInverse inverse = right_inverse_of<typename decltype(p)::element_type>();
    return {std::move(p), inverse};
}
void register_parametrization(Module& module, const std::string& tensor_name, Step step, bool unsafe);
void remove_parametrizations(Module& module, const std::string& tensor_name, bool leave_parametrized);
bool is_parametrized(const Module& module);
bool is_parametrized(const Module& module, const std::string& tensor_name);

} // namespace reel::nn::utils::parametrize::detail
