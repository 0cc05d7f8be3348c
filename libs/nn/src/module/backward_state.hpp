// The backward side of one module call: what its two gates remember and how they run the hooks (rules B-2 to B-32).
#pragma once

#include "module/gate.hpp"
#include "module/module_hooks.hpp"

namespace reel::nn::detail {

/// The tensors among the elements of an argument tuple or a result (B-2, B-6). `shape` holds the elements with their
/// tensors dropped; it stays empty in the common case that every element is a tensor.
struct Slots {
    std::size_t count = 0;
    bool all_tensors = false;
    Args shape;
};

/// What one call remembers for its backward (B-10, B-11). Owned by its two gates.
struct BackwardState : RefCounted {
    Module* module;
    ModulePtr keep_alive; // null for modules on the stack
    Snapshot<BackwardPreHook> pre_global, pre_local;
    Snapshot<BackwardHook> full_global, full_local;
    bool nested = false, has_full = false;
    bool over_tensors = false; ///< every hook takes tensors: where slots are tensors too, no values are built
    Slots inputs, outputs;
    bool inputs_wrapped = false;
    // grad_output of the running pass (B-31: keyed by the pass, so a stale one is never used).
    Value grad_output;
    variable_list grad_output_tensors; ///< in its place on the way without values
    std::int64_t pass = -1;

    static void release(BackwardState* s) {
        if (s->drop_ref()) delete s;
    }
    bool plain() const { return over_tensors && inputs_wrapped && inputs.all_tensors && outputs.all_tensors; }
};
using StatePtr = intrusive_ptr<BackwardState>;

/// Replaces the tensors among `values` by aliases under a gate: N of B-2, which runs the full hooks, or O of B-6, which
/// runs the pre-hooks. Returns null, leaving them alone, where nothing requires grad. `aliases` receives pairs of
/// original and alias.
using AliasList = SmallVector<std::pair<Tensor, Tensor>, 3>;
intrusive_ptr<HookGate> wrap_inputs(Args& values, const StatePtr& state, bool reference, AliasList* aliases);
intrusive_ptr<HookGate> wrap_outputs(Args& values, const StatePtr& state, bool reference);
/// A hook must return as many gradients as there are slots.
void check_count(const Module& m, const char* what, std::size_t got, std::size_t expected);

} // namespace reel::nn::detail
