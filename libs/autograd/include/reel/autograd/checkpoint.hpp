// Activation checkpointing: forget what a part of the network saved, recompute it in backward (rules E-86 to E-91).
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <reel/autograd/saved_tensor_hooks.hpp>

namespace reel::autograd {

/// Thrown when the recomputation saves other tensors than the forward did (E-89).
class CheckpointError : public Error {
public:
    using Error::Error;
};

struct CheckpointOptions {
    bool preserve_rng_state = true; ///< random ops draw the same numbers again
    bool early_stop = true;         ///< stop recomputing at the last tensor needed (E-87)
    bool determinism_check = true;  ///< compare shapes, dtypes and devices with those of the forward
};

namespace impl {
/// The scope of one checkpointed forward: everything saved inside is dropped and brought back by `recompute`.
class CheckpointScope {
public:
    /// `inputs`: tensors that must not be modified in place before they are used again.
    CheckpointScope(const CheckpointOptions& options, std::function<void()> recompute, const variable_list& inputs);
    ~CheckpointScope();
    CheckpointScope(const CheckpointScope&) = delete;

private:
    std::unique_ptr<SavedTensorsHooksGuard> guard_;
};
void collect_tensors(const Value& v, variable_list& out);
void collect_tensors(const Args& args, variable_list& out);
template <class T> void collect_inputs(const T& a, variable_list& out) {
    if constexpr (std::is_convertible_v<const T&, Tensor>) collect_tensors(Value(Tensor(a)), out);
    else if constexpr (std::is_same_v<T, variable_list>) out.insert(out.end(), a.begin(), a.end());
    else if constexpr (std::is_same_v<T, Value> || std::is_same_v<T, Args>) collect_tensors(a, out);
}
} // namespace impl

/// Runs `fn(args...)` now; in backward, once per pass, runs it again with grad mode on when the first of its saved
/// tensors is needed. Arguments are copied (tensors are handles); one that was modified in place meanwhile is the error
/// of E-39. Hooks inside `fn` fire in both runs. Under no-grad this is a plain call.
template <class F, class... A>
auto checkpoint(const CheckpointOptions& options, F fn, A... args) -> std::invoke_result_t<F&, A&...> {
    variable_list inputs;
    (impl::collect_inputs(args, inputs), ...);
    auto run = std::make_shared<std::function<std::invoke_result_t<F&, A&...>()>>(
        [fn = std::move(fn), ... args = std::move(args)]() mutable { return fn(args...); });
    impl::CheckpointScope scope(
        options, [run] { (*run)(); }, inputs);
    return (*run)();
}
template <class F, class... A>
requires(!std::is_same_v<std::decay_t<F>, CheckpointOptions>) auto checkpoint(F fn, A... args)
    -> std::invoke_result_t<F&, A&...> {
    return checkpoint(CheckpointOptions(), std::move(fn), std::move(args)...);
}

} // namespace reel::autograd
