// Weight normalisation under PyTorch's older names; utils::parametrizations has the present one.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <reel/nn/functional_call.hpp>

namespace reel::nn::utils {

namespace detail {
void weight_norm(Module& module, const std::string& name, std::optional<std::int64_t> dim);
void remove_weight_norm(Module& module, const std::string& name);
} // namespace detail

/// The parameter `name` becomes the new parameters `<name>_g`, its norm over all dimensions but `dim` (all for
/// nullopt), and `<name>_v`, its direction; the member is made of them before every forward. Returns `module`, a
/// holder, a pointer or the module. Errors: AttributeError for a name that is no parameter, Error for one that is
/// normalised already, IndexError for `dim`.
template <class M>
M&& weight_norm(M&& module, const std::string& name = "weight", std::optional<std::int64_t> dim = 0) {
    detail::weight_norm(nn::detail::module_of(module), name, dim);
    return std::forward<M>(module);
}
/// One parameter again, with the present value. Returns `module`. Errors: ValueError where there is no weight_norm.
template <class M> M&& remove_weight_norm(M&& module, const std::string& name = "weight") {
    detail::remove_weight_norm(nn::detail::module_of(module), name);
    return std::forward<M>(module);
}

} // namespace reel::nn::utils
