// Spectral normalisation under PyTorch's older names; utils::parametrizations has the present one.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <reel/nn/functional_call.hpp>

namespace reel::nn::utils {

namespace detail {
void spectral_norm(Module& module, const std::string& name, std::int64_t n_power_iterations, double eps,
                   std::optional<std::int64_t> dim);
void remove_spectral_norm(Module& module, const std::string& name);
} // namespace detail

/// Before every forward the member `name` is the parameter, `<name>_orig` now, divided by its largest singular value,
/// which the buffers `<name>_u` and `<name>_v` estimate: `n_power_iterations` steps of the power method a call while
/// training. `dim` is the dimension of outputs: 1 for transposed convolutions, 0 for others. Returns `module`, a
/// holder, a pointer or the module. Errors: AttributeError for a name that is no parameter, Error for one that is
/// normalised already, ValueError for no iterations, IndexError for `dim`.
template <class M>
M&& spectral_norm(M&& module, const std::string& name = "weight", std::int64_t n_power_iterations = 1,
                  double eps = 1e-12, std::optional<std::int64_t> dim = std::nullopt) {
    detail::spectral_norm(nn::detail::module_of(module), name, n_power_iterations, eps, dim);
    return std::forward<M>(module);
}
/// A new parameter with the present value. Returns `module`. Errors: ValueError where there is no spectral_norm.
template <class M> M&& remove_spectral_norm(M&& module, const std::string& name = "weight") {
    detail::remove_spectral_norm(nn::detail::module_of(module), name);
    return std::forward<M>(module);
}

} // namespace reel::nn::utils
