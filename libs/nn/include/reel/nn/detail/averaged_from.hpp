// What an averaged model is made of.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>

#include <reel/nn/functional_call.hpp>

namespace reel::nn::utils {
class AveragedModelImpl;

namespace detail {
/// A holder, a pointer to a module, or a module.
template <class M>
concept AveragedFrom = !std::is_convertible_v<M, std::shared_ptr<AveragedModelImpl>> && requires(M & m) {
    { nn::detail::module_of(m) } -> std::convertible_to<Module&>;
};
} // namespace detail

} // namespace reel::nn::utils
