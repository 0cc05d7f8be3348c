// Activation checkpointing: forget what a part of the network saved, recompute it in backward (rules E-86 to E-91).
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/detail/checkpoint_run.hpp>

namespace reel::autograd {

/// Thrown when the recomputation saves other tensors than the forward did (E-89).
class CheckpointError : public Error {
public:
    using Error::Error;
};

/// Enters something for a run of the function; what it returns leaves it when it is destroyed.
using CheckpointContext = std::function<std::shared_ptr<void>()>;
/// Around the forward, and around each recomputation.
struct CheckpointContexts {
    CheckpointContext forward, recompute;
};

/// How a checkpointed call works. Non-reentrant (E-86): recorded as usual, saved tensors dropped. Reentrant (E-90): one
/// node for everything, whose backward runs the function again on detached inputs and calls backward inside: it needs a
/// tensor argument that requires grad, takes no keyword arguments, knows neither `grad` nor `backward` with inputs.
struct CheckpointOptions {
    bool preserve_rng_state = true; ///< random ops draw the same numbers again
    bool early_stop = true;         ///< stop recomputing at the last tensor needed (E-87)
    bool determinism_check = true;  ///< compare shapes, dtypes and devices with those of the forward
    bool use_reentrant = false;     ///< E-90; early stop and the check then do not apply
    /// Asked once a call for what its two kinds of run happen in. ValueError with the reentrant form.
    std::function<CheckpointContexts()> context_fn = {};
    /// A CheckpointError lists what either run saved, and which operation made it. ValueError with the reentrant form.
    bool debug = false;
};

/// Overrides `early_stop` for the forwards run in this scope (E-87). Thread-local.
class CheckpointEarlyStopGuard {
public:
    explicit CheckpointEarlyStopGuard(bool enabled);
    ~CheckpointEarlyStopGuard();
    CheckpointEarlyStopGuard(const CheckpointEarlyStopGuard&) = delete;

private:
    std::optional<bool> previous_;
};

/// Runs `fn(args...)` now; in backward, once per pass, again with grad mode on, when the first of its saved tensors is
/// needed. Arguments are copied; one modified in place meanwhile is E-39's error. Hooks inside fire in both
/// runs. Under no-grad this is a plain call.
template <class F, class... A>
auto checkpoint(const CheckpointOptions& options, F fn, A... args) -> std::invoke_result_t<F&, A&...> {
    if (options.use_reentrant) {
        if constexpr (std::is_void_v<std::invoke_result_t<F&, A&...>>) {
            impl::reentrant(options, impl::WithoutResult<F>{std::move(fn)}, std::move(args)...);
            return;
        } else return impl::reentrant(options, std::move(fn), std::move(args)...);
    }
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

/// A chain of stages (functions of one tensor, or modules: a `Sequential`) in `segments` parts of
/// floor(n / segments) stages each. The last part takes the rest and is not checkpointed (E-91).
template <class Stages>
Tensor checkpoint_sequential(const CheckpointOptions& options, const Stages& stages, std::int64_t segments,
                             const Tensor& input) {
    // a holder stands for its module
    if constexpr (requires { std::begin(*stages); }) return checkpoint_sequential(options, *stages, segments, input);
    else return impl::in_segments(options, stages, segments, input);
}
template <class Stages> Tensor checkpoint_sequential(const Stages& stages, std::int64_t segments, const Tensor& input) {
    return checkpoint_sequential(CheckpointOptions(), stages, segments, input);
}

} // namespace reel::autograd
