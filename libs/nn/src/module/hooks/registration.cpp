// Registration of module hooks, local and global.
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/hooks.hpp>

#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/nn/hook_list.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"
#include "module/members.hpp"

namespace reel::nn {

using autograd::HookKind;

namespace {
std::atomic<bool> reference_mode_on{false};
} // namespace

namespace hooks {
void set_reference_mode(bool on) { reference_mode_on.store(on, std::memory_order_relaxed); }
bool reference_mode() { return reference_mode_on.load(std::memory_order_relaxed); }
void reset_global_hooks() {
    detail::global_hooks() = {};
    detail::registration_hooks() = {};
    detail::global_call_hooks.fetch_and(~detail::hook_bit, std::memory_order_relaxed);
}
} // namespace hooks

namespace hooks {
namespace {
template <class H>
void list(const detail::Table<H>& table, HookKind kind, const void* owner, std::vector<autograd::HookRef>& out) {
    if (const auto records = detail::snapshot(table))
        for (const auto& r : *records) out.push_back({kind, r.id, owner});
}
std::vector<autograd::HookRef> list_of(const detail::CallHooks& h, const void* owner) {
    std::vector<autograd::HookRef> out;
    list(h.forward_pre, HookKind::ForwardPre, owner, out);
    list(h.forward, HookKind::Forward, owner, out);
    list(h.backward_pre, HookKind::BackwardPre, owner, out);
    list(h.backward, h.kind == detail::BackwardKind::Legacy ? HookKind::LegacyBackward : HookKind::FullBackward, owner,
         out);
    return out;
}
} // namespace
std::vector<autograd::HookRef> registered_on(const Module& m) {
    const detail::ModuleHooks* const hooks = detail::ModuleAccess::hook_tables(m);
    return hooks ? list_of(*hooks, &m) : std::vector<autograd::HookRef>();
}
std::vector<autograd::HookRef> registered_globally() { return list_of(detail::global_hooks(), nullptr); }
} // namespace hooks

namespace detail {

std::atomic<unsigned> global_call_hooks{0};

CallHooks& global_hooks() {
    static CallHooks hooks;
    return hooks;
}
RegistrationHooks& registration_hooks() {
    static RegistrationHooks hooks;
    return hooks;
}

void check_backward_kind(BackwardKind& kind, bool full, const char* owner) {
    const BackwardKind wanted = full ? BackwardKind::Full : BackwardKind::Legacy;
    REEL_CHECK(kind == BackwardKind::Unset || kind == wanted, owner, ": cannot register a ",
               full ? "full" : "legacy (non-full)", " backward hook, because a ", full ? "legacy (non-full)" : "full",
               " one was registered before; the two kinds cannot be mixed. Use full backward hooks throughout.");
    kind = wanted;
}

namespace {
template <class H> RemovableHandle add_to_global(Table<H> CallHooks::*table, HookKind kind, H h) {
    RemovableHandle handle = add_hook(global_hooks().*table, std::move(h));
    if (autograd::impl::observed()) autograd::impl::note_hook_registered({kind, handle.id(), nullptr});
    global_call_hooks.fetch_or(hook_bit, std::memory_order_release);
    return handle;
}
} // namespace

RemovableHandle add_global(ForwardPreHook h) {
    return add_to_global(&CallHooks::forward_pre, HookKind::ForwardPre, std::move(h));
}
RemovableHandle add_global(ForwardHook h) {
    return add_to_global(&CallHooks::forward, HookKind::Forward, std::move(h));
}
RemovableHandle add_global(BackwardPreHook h) {
    return add_to_global(&CallHooks::backward_pre, HookKind::BackwardPre, std::move(h));
}
RemovableHandle add_global(BackwardHook h, bool full, bool after_parameter_grads) {
    h.after_parameter_grads = after_parameter_grads;
    if (!full)
        REEL_WARN_DEPRECATION("register_module_backward_hook sees only a module's last operation; "
                              "use register_module_full_backward_hook");
    check_backward_kind(global_hooks().kind, full, "global module hooks");
    return add_to_global(&CallHooks::backward, full ? HookKind::FullBackward : HookKind::LegacyBackward, std::move(h));
}

Value run_registration_hooks(const Table<RegistrationHook>& table, Module& m, const std::string& name, Value value) {
    if (const auto hooks = snapshot(table))
        for (const auto& record : *hooks) {
            Value replaced = record.fn(m, name, value);
            if (!replaced.isNone()) value = std::move(replaced);
        }
    return value;
}
ModulePtr seen_by_registration_hooks(Module& m, const std::string& name, ModulePtr child) {
    const auto& hooks = registration_hooks().module;
    if (!hooks) return child;
    const Value v = run_registration_hooks(hooks, m, name, child ? Value::box(child) : Value());
    return v.isNone() ? nullptr : v.get<ModulePtr>();
}

Value tensors_to_tuple(const variable_list& tensors) {
    std::vector<Value> e;
    e.reserve(tensors.size());
    for (const Tensor& t : tensors) e.push_back(t.defined() ? Value(t) : Value());
    return Value::tuple(std::move(e));
}
variable_list tuple_to_tensors(const Value& tuple) {
    variable_list r;
    for (const Value& v : tuple.elements()) r.push_back(v.isTensor() ? v.toTensor() : Tensor());
    return r;
}
Value args_result(const std::optional<Args>& args) { return args ? Value::tuple(*args) : Value(); }
variable_list all_tensors(const Args& args, const char* kind) {
    variable_list r;
    for (std::size_t i = 0; i < args.size(); ++i) {
        REEL_CHECK_TYPE(args[i].isTensor(), kind, " over a span of tensors: value ", i, " is ", args[i].kind_name(),
                        ", not a Tensor; take (Module&, Args) instead");
        r.push_back(args[i].toTensor());
    }
    return r;
}
Value tensors_result(const std::optional<variable_list>& tensors, bool tuple) {
    if (!tensors) return {};
    return !tuple && tensors->size() == 1 ? Value((*tensors)[0]) : tensors_to_tuple(*tensors);
}
const Tensor& single_gradient(const Module& m, const variable_list& gradients) {
    REEL_CHECK_TYPE(gradients.size() == 1, m.name(),
                    ": a backward hook over a Tensor needs one input and one output, got ", gradients.size(),
                    "; take spans of tensors instead");
    return gradients[0];
}

} // namespace detail

RemovableHandle register_module_parameter_registration_hook(RegistrationHook fn) {
    return add_hook(detail::registration_hooks().parameter, std::move(fn));
}
RemovableHandle register_module_buffer_registration_hook(RegistrationHook fn) {
    return add_hook(detail::registration_hooks().buffer, std::move(fn));
}
RemovableHandle register_module_module_registration_hook(RegistrationHook fn) {
    return add_hook(detail::registration_hooks().module, std::move(fn));
}

detail::ModuleHooks& Module::ensure_hooks() {
    if (!hooks_) hooks_ = std::make_shared<detail::ModuleHooks>();
    return *hooks_;
}
namespace {
RemovableHandle announced(HookKind kind, RemovableHandle handle, const Module* owner) {
    if (autograd::impl::observed()) autograd::impl::note_hook_registered({kind, handle.id(), owner});
    return handle;
}
} // namespace
RemovableHandle Module::add(ForwardPreHook h, bool prepend) {
    call_flags_ |= detail::hooks_flag;
    return announced(HookKind::ForwardPre, add_hook(ensure_hooks().forward_pre, std::move(h), prepend), this);
}
RemovableHandle Module::add(ForwardHook h, bool prepend) {
    call_flags_ |= detail::hooks_flag;
    return announced(HookKind::Forward, add_hook(ensure_hooks().forward, std::move(h), prepend), this);
}
RemovableHandle Module::add(BackwardPreHook h, bool prepend) {
    call_flags_ |= detail::hooks_flag;
    return announced(HookKind::BackwardPre, add_hook(ensure_hooks().backward_pre, std::move(h), prepend), this);
}
RemovableHandle Module::add(BackwardHook h, bool prepend, bool full, bool after_parameter_grads) {
    h.after_parameter_grads = after_parameter_grads;
    if (!full)
        REEL_WARN_DEPRECATION(
            "register_backward_hook sees only a module's last operation; use register_full_backward_hook");
    detail::check_backward_kind(ensure_hooks().kind, full, name().c_str());
    call_flags_ |= detail::hooks_flag;
    return announced(full ? HookKind::FullBackward : HookKind::LegacyBackward,
                     add_hook(hooks_->backward, std::move(h), prepend), this);
}
RemovableHandle Module::register_state_dict_pre_hook(StateDictPreHook fn) {
    return add_hook(ensure_hooks().state_dict_pre, std::move(fn));
}
RemovableHandle Module::register_state_dict_post_hook(StateDictPostHook fn) {
    return add_hook(ensure_hooks().state_dict_post, std::move(fn));
}
RemovableHandle Module::register_load_state_dict_pre_hook(LoadStateDictPreHook fn) {
    return add_hook(ensure_hooks().load_pre, std::move(fn));
}
RemovableHandle Module::register_load_state_dict_post_hook(LoadStateDictPostHook fn) {
    return add_hook(ensure_hooks().load_post, std::move(fn));
}

} // namespace reel::nn
