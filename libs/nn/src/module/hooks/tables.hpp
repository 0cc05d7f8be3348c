// The hook tables that a module allocates when the first hook is registered.
#pragma once

#include <memory>

#include <reel/nn/compile.hpp>
#include <reel/nn/hooks.hpp>

namespace reel::nn::detail {

/// Which kind of backward hook an owner has committed to; stays after all are removed (B-39).
enum class BackwardKind : std::uint8_t { Unset, Full, Legacy };

template <class H> using Table = std::shared_ptr<HookTable<H>>;
template <class H> using Snapshot = typename HookTable<H>::Snapshot;

/// The four kinds that a call looks at; the global set has the same shape.
struct CallHooks {
    Table<ForwardPreHook> forward_pre;
    Table<ForwardHook> forward;
    Table<BackwardPreHook> backward_pre;
    Table<BackwardHook> backward;
    BackwardKind kind = BackwardKind::Unset;
};

struct ModuleHooks : CallHooks {
    Table<StateDictPreHook> state_dict_pre;
    Table<StateDictPostHook> state_dict_post;
    Table<LoadStateDictPreHook> load_pre;
    Table<LoadStateDictPostHook> load_post;
    std::shared_ptr<CompiledForward> compiled; ///< stands in the place of forward
    const Module* compiled_for = nullptr;      ///< of this module
};

/// Bits of `global_call_hooks`.
inline constexpr unsigned hook_bit = 1, path_bit = 2, taken_bit = 4;
/// Is there any of it, on any thread?
inline bool looked_for(unsigned bit) { return global_call_hooks.load(std::memory_order_relaxed) & bit; }
CallHooks& global_hooks();
struct RegistrationHooks {
    Table<RegistrationHook> parameter, buffer, module;
};
RegistrationHooks& registration_hooks();
/// Runs the registration hooks of one kind on `value` (C-18).
Value run_registration_hooks(const Table<RegistrationHook>& table, Module& m, const std::string& name, Value value);
/// The child to enter under `name` in `m`: `child`, or what the hooks put in its place.
ModulePtr seen_by_registration_hooks(Module& m, const std::string& name, ModulePtr child);

template <class H> [[gnu::always_inline]] inline Snapshot<H> snapshot(const Table<H>& t) {
    return t ? t->snapshot() : nullptr;
}
template <class H> [[gnu::always_inline]] inline bool any(const Table<H>& t) { return t && !t->empty(); }
/// The global and the local hooks of one kind that one round runs.
template <class H> struct Snapshots {
    Snapshot<H> global, local;
    explicit operator bool() const { return global || local; }
};
/// Applies `fn` to every record of two snapshots in order: global, then local (C-16).
template <class S, class F> void for_each_hook(const S& global, const S& local, F fn) {
    for (const S* s : {&global, &local})
        if (*s)
            for (const auto& record : **s) fn(record);
}
void check_backward_kind(BackwardKind& kind, bool full, const char* owner);

} // namespace reel::nn::detail
