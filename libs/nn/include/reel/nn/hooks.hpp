// Module hooks: their forms and options, those of all modules, the reference mode.
#pragma once

#include <utility>

#include <reel/nn/detail/adapt_hooks.hpp>
#include <reel/nn/hook_types.hpp>

namespace reel::nn {

/// Runs before every module's forward, before local hooks (C-16, C-17).
template <class F> RemovableHandle register_module_forward_pre_hook(F fn) {
    return detail::add_global(detail::adapt_forward_pre(std::move(fn)));
}
template <class F> RemovableHandle register_module_forward_hook(F fn, bool always_call = false) {
    return detail::add_global(detail::adapt_forward(std::move(fn), always_call));
}
/// Error for `prepend`: global hooks run in the order of their registration.
template <class F> RemovableHandle register_module_forward_hook(F fn, const ForwardOptions& o) {
    REEL_CHECK(!o.prepend,
               "register_module_forward_hook: global hooks run in the order of their registration, got prepend");
    return register_module_forward_hook(std::move(fn), o.always_call);
}
template <class F> RemovableHandle register_module_full_backward_pre_hook(F fn) {
    return detail::add_global(detail::adapt_backward_pre(std::move(fn)));
}
/// Throws Error when a legacy global hook was registered first (B-39).
template <class F> RemovableHandle register_module_full_backward_hook(F fn, bool after_parameter_grads = false) {
    return detail::add_global(detail::adapt_backward(std::move(fn)), true, after_parameter_grads);
}
template <class F>
[[deprecated("use register_module_full_backward_hook")]] RemovableHandle register_module_backward_hook(F fn) {
    return detail::add_global(detail::adapt_backward(std::move(fn)), false);
}
/// Called as (module, name, value) just before a parameter, buffer or submodule is stored (C-18).
RemovableHandle register_module_parameter_registration_hook(RegistrationHook fn);
RemovableHandle register_module_buffer_registration_hook(RegistrationHook fn);
RemovableHandle register_module_module_registration_hook(RegistrationHook fn);

namespace hooks {
/// PyTorch's behaviour to the letter: containers carry no backward hooks and in-place work under them is refused
/// (B-3, B-4, B-7, B-33 to B-38, B-47). Off by default; process-wide.
void set_reference_mode(bool on);
bool reference_mode();
class ReferenceModeGuard {
public:
    explicit ReferenceModeGuard(bool on = true) : previous_(reference_mode()) { set_reference_mode(on); }
    ~ReferenceModeGuard() { set_reference_mode(previous_); }
    ReferenceModeGuard(const ReferenceModeGuard&) = delete;

private:
    bool previous_;
};
/// Clears the global tables and the sticky global backward kind. For tests.
void reset_global_hooks();
} // namespace hooks

} // namespace reel::nn
