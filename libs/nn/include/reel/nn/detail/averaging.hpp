// What averaged models are made of, and running moments that begin anew for them.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include <reel/nn/functional_call.hpp>

namespace reel::nn::utils {
class AveragedModelImpl;

namespace detail {
/// A holder, a pointer to a module, or a module.
template <class M>
concept AveragedFrom = !std::is_convertible_v<M, std::shared_ptr<AveragedModelImpl>> && requires(M & m) {
    { nn::detail::module_of(m) } -> std::convertible_to<Module&>;
};
/// Batch normalisations of `model` start their running moments anew, as means over what follows while it lives; then
/// they, and the model's training flag, are as they were.
class MomentsAnew {
public:
    explicit MomentsAnew(Module& model);
    ~MomentsAnew();
    MomentsAnew(const MomentsAnew&) = delete;
    bool any() const { return !restore_.empty(); }

private:
    Module& model_;
    std::vector<std::function<void()>> restore_;
    bool training_;
};
/// The input of a batch: itself, its `data` (an Example), or the first of a pair.
template <class B> const Tensor& input_of(const B& batch) {
    if constexpr (std::is_convertible_v<const B&, const Tensor&>) return batch;
    else if constexpr (requires { batch.data; }) return batch.data;
    else return std::get<0>(batch);
}

} // namespace detail

} // namespace reel::nn::utils
