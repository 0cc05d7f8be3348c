// The backward side of one module call: what its two gates remember and how they run the hooks (rules B-2 to B-32).
#pragma once

#include <optional>
#include <thread>

#include <reel/autograd/spin_lock.hpp>

#include "module/gate.hpp"
#include "module/module_hooks.hpp"
#include "module/slots.hpp"

namespace reel::nn::detail {

/// The backward hooks that a call found (C-3).
struct BackwardHooks {
    Snapshot<BackwardPreHook> pre_global, pre_local;
    Snapshot<BackwardHook> full_global, full_local;
    bool has_pre() const { return pre_global || pre_local; }
    bool has_full() const { return full_global || full_local; }
    explicit operator bool() const { return has_pre() || has_full(); }
};

/// grad_output on its way from the output gate to the input gate of one pass (B-31: a stale one is never used).
struct GradOutput {
    std::int64_t pass = -1;
    std::thread::id thread;
    Value values;
    autograd::GradList tensors; ///< in its place on the way without values
};

/// What one call remembers for its backward (B-10, B-11). Owned by its two gates, which several threads may run at
/// once (E-76).
class BackwardState : public RefCounted {
public:
    BackwardState(Module& module, BackwardHooks hooks, bool nested);
    static void* operator new(std::size_t n);
    static void operator delete(void* p, std::size_t n) noexcept;
    static void release(BackwardState* s) {
        if (s->drop_ref()) delete s;
    }
    /// Once a graph is used up it keeps neither its module nor the hooks: a hook may hold the graph's own tensors.
    /// Another pass over it finds them as long as they are there.
    void let_go() noexcept;
    /// The hooks, and the module kept alive for as long as they run.
    struct Held {
        ModulePtr module;
        BackwardHooks hooks;
    };
    /// Undoes `let_go`; nothing when the module is gone.
    std::optional<Held> hold();
    /// Can the hooks run without building values?
    bool plain() const { return over_tensors && outputs.all_tensors && (!inputs_wrapped || inputs.all_tensors); }

    /// Will these full hooks run in this pass? Else nobody comes for grad_output.
    bool full_hooks_follow(const BackwardHooks& hooks) const;
    /// Puts grad_output down for the input gate; replaces what this thread put down before.
    void put_grad_output(Value values, autograd::GradList tensors);
    /// Takes it up again, if it is of the running pass.
    std::optional<GradOutput> take_grad_output();

    Module* module;
    bool nested;
    bool over_tensors = true; ///< every hook takes tensors: where slots are tensors too, no values are built
    bool later = false;       ///< some hooks run after the parameters have their gradients
    bool inputs_wrapped = false;
    Slots inputs, outputs;
    HookGate* input_gate = nullptr; ///< while it lives

private:
    void drop_grad_output(std::int64_t pass) noexcept;
    SpinLock lock_; ///< over what follows
    std::vector<GradOutput> grad_outputs_;
    ModulePtr keep_alive_; // null for modules on the stack
    BackwardHooks hooks_;
    bool managed_, gone_ = false;
    std::weak_ptr<Module> weak_module_;
    std::weak_ptr<Snapshot<BackwardPreHook>::element_type> weak_pre_global_, weak_pre_local_;
    std::weak_ptr<Snapshot<BackwardHook>::element_type> weak_full_global_, weak_full_local_;
};
using StatePtr = intrusive_ptr<BackwardState>;

/// Replaces `tensors`, which are the ones among the arguments, by aliases under N of B-2, which runs the full hooks.
/// Leaves them alone where nothing requires grad. Beyond the reference mode `aliases` receives what was replaced.
void wrap_inputs(TensorList& tensors, const StatePtr& state, bool reference, AliasList& aliases);
/// The same for those of the result: O of B-6, which runs the pre-hooks. Says whether there is a gate. `inputs` is what
/// was replaced among the arguments.
bool wrap_outputs(TensorList& tensors, const StatePtr& state, bool reference, const AliasList& inputs);
bool wrap_output(Tensor& result, const StatePtr& state, bool reference, const AliasList& inputs);
/// In-place work on a gated alias is work on the caller's tensor: hands its history over.
void hand_back_history(const AliasList& aliases, const HookGate* gate);
/// A hook must return as many gradients as there are slots.
void check_count(const Module& m, const char* what, std::size_t got, std::size_t expected);

} // namespace reel::nn::detail
