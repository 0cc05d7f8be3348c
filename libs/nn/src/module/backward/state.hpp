// What one module call remembers for its backward (rules B-10, B-11, B-31, B-44).
#pragma once

#include <optional>
#include <thread>

#include <reel/autograd/detail/spin_lock.hpp>

#include "module/backward/gate.hpp"
#include "module/backward/gradient_slots.hpp"
#include "module/backward/recycled_list.hpp"
#include "module/hooks/tables.hpp"

namespace reel::nn::detail {

/// The backward hooks that a call found (C-3).
struct BackwardHooks {
    Snapshot<BackwardPreHook> pre_global, pre_local;
    Snapshot<BackwardHook> full_global, full_local;
    bool has_pre() const { return pre_global || pre_local; }
    bool has_full() const { return full_global || full_local; }
    explicit operator bool() const { return has_pre() || has_full(); }
};

/// grad_output between the two gates, in one of two forms: values, or tensors where those are all.
struct KeptGradients {
    std::optional<Value> values;
    RecycledList tensors;
};

/// Owned by the two gates of its call, which several threads may run at once (E-76).
class BackwardState : public RefCounted {
public:
    /// `nested`: do tensors inside structures count?
    BackwardState(Module& module, BackwardHooks&& hooks, bool nested);
    static void* operator new(std::size_t n);
    static void operator delete(void* p, std::size_t n) noexcept;
    static void release(BackwardState* s) {
        if (s->drop_ref()) delete s;
    }
    /// Once a graph is used up it keeps neither its module nor the hooks: a hook may hold the graph's own tensors.
    /// Another pass over it finds them as long as they are there.
    void weaken() noexcept;
    /// The hooks, and the module kept alive for as long as they run.
    struct LiveHooks {
        ModulePtr module;
        BackwardHooks hooks;
    };
    /// Undoes `weaken`, as std::weak_ptr's: nothing when the module is gone.
    std::optional<LiveHooks> lock();
    /// Is it the full hooks alone that look at grad_output, and not before the input gate runs?
    bool only_full_hooks_follow();
    /// Can the hooks run without building values?
    bool tensors_suffice() const {
        return all_over_tensors_ && outputs.all_tensors && (!inputs_wrapped || inputs.all_tensors);
    }
    /// Do some hooks run after the parameters have their gradients?
    bool has_late_hooks() const { return has_late_hooks_; }

    /// Will these full hooks run in this pass? Else nobody comes for grad_output.
    bool full_hooks_follow(const BackwardHooks& hooks) const;
    /// Puts grad_output down for the input gate; replaces what this thread put down before.
    void put_grad_output(KeptGradients&& gradients);
    /// Takes it up again, if it is of the running pass.
    std::optional<KeptGradients> take_grad_output();

    Module* const module;
    const bool nested;
    bool inputs_wrapped = false;
    Slots inputs, outputs;
    HookGate* input_gate = nullptr; ///< while it lives

private:
    /// Of one pass: a stale one is never used (B-31).
    struct GradOutput {
        std::int64_t pass = -1;
        std::thread::id thread;
        KeptGradients gradients;
    };
    void drop_grad_output(std::int64_t pass) noexcept;
    bool all_over_tensors_ = true, has_late_hooks_ = false;
    SpinLock lock_;                           ///< over what follows
    SmallVector<GradOutput, 1> grad_outputs_; ///< of one thread, mostly
    ModulePtr keep_alive_;                    // null for modules on the stack
    BackwardHooks hooks_;
    bool managed_, weakened_ = false;
    std::weak_ptr<Module> weak_module_;
    std::weak_ptr<Snapshot<BackwardPreHook>::element_type> weak_pre_global_, weak_pre_local_;
    std::weak_ptr<Snapshot<BackwardHook>::element_type> weak_full_global_, weak_full_local_;
};
using StatePtr = intrusive_ptr<BackwardState>;

} // namespace reel::nn::detail
