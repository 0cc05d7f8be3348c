// Modules whose calls are compiled.
#include <reel/nn/compile.hpp>

#include <atomic>

#include <reel/nn/detail/module_access.hpp>

#include "module/hooks/tables.hpp"
#include "module/members.hpp"

namespace reel::nn {

namespace {
std::atomic<ForwardCompiler> compiler{nullptr};

bool has_hooks(const Module& m) {
    const detail::ModuleHooks* const h = detail::ModuleAccess::hook_tables(m);
    return h && (detail::any(h->forward_pre) || detail::any(h->forward) || detail::any(h->backward_pre) ||
                 detail::any(h->backward));
}
/// Are there members that each call computes, or that the first one makes?
bool makes_members(const Module& m) {
    if (detail::Entry::has_flag(m, detail::computed_flag | detail::lazy_flag)) return true;
    for (const auto& child : m.own_children())
        if (*child && makes_members(**child)) return true;
    return false;
}
bool child_has_hooks(const Module& m) {
    for (const auto& child : m.own_children())
        if (*child && (has_hooks(**child) || child_has_hooks(**child))) return true;
    return false;
}
std::uintptr_t number_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
void tensors_state(const OrderedDict<std::string, Tensor>& tensors, std::vector<std::uintptr_t>& into) {
    for (const auto& item : tensors) {
        const Tensor& t = *item;
        into.push_back(number_of(t.impl().get()));
        if (!t.defined()) continue;
        into.push_back(number_of(t.storage().get()));
        into.push_back(t.requires_grad());
    }
}
} // namespace

void set_forward_compiler(ForwardCompiler c) { compiler.store(c); }

CompiledForward* compiled_forward(const Module& module) {
    const detail::ModuleHooks* const h = detail::ModuleAccess::hook_tables(module);
    return h && h->compiled_for == &module ? h->compiled.get() : nullptr;
}

const char* forward_obstacle(const Module& module) {
    if (detail::global_call_hooks.load(std::memory_order_relaxed)) return "there are hooks on all modules";
    if (makes_members(module)) return "there are computed or lazy members";
    return child_has_hooks(module) ? "there are hooks on a submodule" : nullptr;
}

void forward_state(const Module& module, std::vector<std::uintptr_t>& into) {
    into.push_back(number_of(&module));
    into.push_back(module.is_training());
    tensors_state(module.own_parameters(), into);
    tensors_state(module.own_buffers(), into);
    for (const auto& child : module.own_children())
        if (*child) forward_state(**child, into);
}

void Module::compile() {
    const ForwardCompiler make = compiler.load();
    REEL_CHECK_NOT_IMPLEMENTED(make, name(),
                               ".compile: no library that compiles is in this program; link reel_script, and include "
                               "<reel/script/compiled_function.hpp>");
    detail::ModuleHooks& hooks = ensure_hooks();
    hooks.compiled = make(*this);
    hooks.compiled_for = this;
    call_flags_ |= detail::compiled_flag;
}

} // namespace reel::nn
