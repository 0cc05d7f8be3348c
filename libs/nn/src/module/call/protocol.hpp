// The order of a module call with hooks (rule C-3), which stands here and nowhere else.
#pragma once

#include <algorithm>

#include <reel/autograd/tape_view.hpp>
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/module_paths.hpp>
#include <reel/nn/modules/lazy.hpp>

#include "module/call/carriers.hpp"
#include "module/call/legacy_hooks.hpp"
#include "module/hooks/fire.hpp"
#include "module/members.hpp"

namespace reel::nn::detail {

/// One call in progress.
template <class Carrier> class Call {
public:
    template <class... A>
    explicit Call(Module& m, A&&... carried)
        : module_(m), carrier_(std::forward<A>(carried)...), global_(global_hooks()) {}

    typename Carrier::Result run() {
        std::optional<autograd::TapePathScope> path;
        if (looked_for(path_bit)) [[unlikely]]
            if (const std::string* p = recorded_path(module_)) path.emplace(*p);
        const bool watched = autograd::impl::observed() && autograd::impl::has_observers();
        if (watched) autograd::impl::note_module_entered(&module_, carrier_.inputs());
        try {
            run_steps();
        } catch (Error& e) {
            left_call(e, module_);
            failed(watched);
            throw;
        } catch (...) {
            failed(watched);
            throw;
        }
        if (watched) {
            const variable_list outputs = carrier_.outputs();
            autograd::impl::note_module_left(&module_, &outputs);
        }
        return carrier_.take_result(module_);
    }

private:
    // C-4: what is registered during the call counts in it if its snapshot is yet to come.
    void run_steps() {
        if (Entry::has_flag(module_, lazy_flag)) initialize_lazy();
        Snapshots<BackwardPreHook> pre = snapshots(&CallHooks::backward_pre);
        Snapshots<BackwardHook> full = snapshots(&CallHooks::backward), legacy;
        if (full.global && global_.kind == BackwardKind::Legacy) legacy.global.swap(full.global);
        if (full.local && local()->kind == BackwardKind::Legacy) legacy.local.swap(full.local);
        BackwardHooks backward{std::move(pre.global), std::move(pre.local), std::move(full.global),
                               std::move(full.local)};

        if (const auto hooks = snapshots(&CallHooks::forward_pre)) run_forward_pre_hooks(hooks);
        if (backward) carrier_.wrap_inputs(gates_.emplace(module_, std::move(backward)));
        {
            const ComputedScope computed(module_);
            CompiledForward* const compiled =
                Entry::has_flag(module_, compiled_flag) ? compiled_forward(module_) : nullptr;
            if (compiled) carrier_.run_compiled(module_, *compiled);
            else carrier_.run_forward(module_);
        }
        if (gates_) gates_->hand_back_history();
        if (const auto hooks = snapshots(&CallHooks::forward)) run_forward_hooks(hooks);
        if (gates_) carrier_.wrap_result(*gates_);
        if (legacy) attach_legacy_hooks(legacy, module_, carrier_.values());
    }

    void initialize_lazy() {
        auto* const lazy = dynamic_cast<LazyModule*>(&module_);
        const variable_list inputs = carrier_.inputs();
        if (lazy && !inputs.empty() && inputs[0].defined()) lazy->initialize_parameters(inputs[0]);
    }
    /// C-6 to C-9.
    void run_forward_pre_hooks(const Snapshots<ForwardPreHook>& hooks) {
        for_each_hook(hooks.global, hooks.local, [&](const auto& record) {
            const Value r = fire(
                {autograd::HookKind::ForwardPre, record.id, &module_}, [&] { return carrier_.inputs(); },
                [&] { return carrier_.run(record.fn, module_); });
            if (!r.isNone()) replace_arguments(carrier_.values(), r, record.fn.with_kwargs);
        });
    }
    void replace_arguments(CallValues& v, const Value& r, bool with_kwargs) const {
        if (with_kwargs) {
            REEL_CHECK(r.isTuple() && r.elements().size() == 2, module_.name(),
                       ": forward pre-hook with keyword arguments must return none or a tuple (args, kwargs), got ",
                       r.repr());
            const Value a = r.elements()[0], k = r.elements()[1];
            v.args = a.isSequence() ? a.elements() : Args{a};
            v.kwargs = k.toGenericDict();
        } else if (r.isTuple()) {
            v.args = r.elements();
        } else {
            v.args = Args{r};
        }
    }

    /// C-10 to C-13.
    void run_forward_hooks(const Snapshots<ForwardHook>& hooks) {
        for_each_hook(hooks.global, hooks.local, [&](const auto& record) {
            if (record.fn.always_call) started_.push_back(record.id);
            run_forward_hook(record);
        });
    }
    void run_forward_hook(const HookTable<ForwardHook>::Record& record) {
        Value r = fire(
            {autograd::HookKind::Forward, record.id, &module_}, [&] { return carrier_.outputs(); },
            [&] { return carrier_.run(record.fn, module_); });
        if (!r.isNone()) carrier_.replace_result(std::move(r));
    }

    void failed(bool watched) noexcept {
        rescue();
        if (watched) autograd::impl::note_module_left(&module_, nullptr);
    }
    /// C-27 to C-29: always-call hooks that have not started run with what there is; their results stay among them.
    void rescue() noexcept {
        const auto hooks = snapshots(&CallHooks::forward);
        for_each_hook(hooks.global, hooks.local, [&](const auto& record) {
            if (!record.fn.always_call || std::ranges::find(started_, record.id) != started_.end()) return;
            try {
                run_forward_hook(record);
            } catch (const std::exception& e) {
                REEL_WARN("forward hook on ", module_.name(),
                          " (always_call) failed while forward was already failing: ", e.what());
            } catch (...) {
                REEL_WARN("forward hook on ", module_.name(),
                          " (always_call) failed while forward was already failing");
            }
        });
    }

    /// Null where the module has none, yet.
    const CallHooks* local() const { return ModuleAccess::hook_tables(module_); }
    /// The global and the local hooks of one kind, taken together (C-33).
    template <class H> Snapshots<H> snapshots(Table<H> CallHooks::*kind) const {
        const CallHooks* const mine = local();
        return {snapshot(global_.*kind), mine ? snapshot(mine->*kind) : nullptr};
    }

    Module& module_;
    Carrier carrier_;
    const CallHooks& global_;
    std::optional<CallGates> gates_;     ///< where there are backward hooks
    std::vector<std::uint64_t> started_; ///< always-call hooks (C-28)
};

} // namespace reel::nn::detail
