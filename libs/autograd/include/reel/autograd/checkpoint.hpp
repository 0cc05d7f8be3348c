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
    CheckpointScope(const CheckpointOptions& options, std::function<void()> recompute);
    ~CheckpointScope();
    CheckpointScope(const CheckpointScope&) = delete;

private:
    std::unique_ptr<SavedTensorsHooksGuard> guard_;
};
} // namespace impl

/// Runs `fn(args...)` now; in backward, once per pass, runs it again with grad mode on when the first of its saved
/// tensors is needed. Arguments are copied (tensors are handles). Hooks inside `fn` fire in both runs.
template <class F, class... A>
requires(!std::is_same_v<std::decay_t<F>, CheckpointOptions>) auto checkpoint(F fn, A... args)
    -> std::invoke_result_t<F&, A&...>;
template <class F, class... A>
auto checkpoint(const CheckpointOptions& options, F fn, A... args) -> std::invoke_result_t<F&, A&...> {
    auto run = std::make_shared<std::function<std::invoke_result_t<F&, A&...>()>>(
        [fn = std::move(fn), ... args = std::move(args)]() mutable { return fn(args...); });
    impl::CheckpointScope scope(options, [run] { (*run)(); });
    return (*run)();
}
template <class F, class... A>
requires(!std::is_same_v<std::decay_t<F>, CheckpointOptions>) auto checkpoint(F fn, A... args)
    -> std::invoke_result_t<F&, A&...> {
    return checkpoint(CheckpointOptions(), std::move(fn), std::move(args)...);
}

} // namespace reel::autograd
