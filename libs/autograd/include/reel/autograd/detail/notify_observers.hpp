// What observers are told: called by the tape, modules and optimizers, never by users.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <reel/autograd/observe.hpp>

namespace reel::autograd::impl {

inline bool observed() { return reel::detail::thread_modes.observers != 0; }
// What the machinery reports. Call these behind `observed()`.
void note_cut(CutKind kind, const char* op, const Tensor& input);
void note_grad_cleared(const Tensor& leaf, const char* by, bool to_none);
void note_module_entered(const void* module, const variable_list& inputs);
void note_module_left(const void* module, const variable_list* outputs);
void note_hook_registered(const HookRef& hook);
void note_node_runs(Node& node, GradList& grads);
void note_node_ran(Node& node, GradList& grads);
void note_written(const Tensor& t, const char* op);
/// The same, unless the code at `caller` is Reel's own.
void note_cut_by(const void* caller, CutKind kind, const char* op, const Tensor& input);
/// Does anybody observe, beyond anomaly mode and the like?
bool has_observers();

/// Around one call of a hook; `fire` is how to use it.
class HookFiring {
public:
    /// `tensors()` is called only when somebody observes.
    template <class Tensors> HookFiring(const HookRef& hook, Tensors tensors) {
        if (observed()) [[unlikely]]
            if (has_observers()) begin(hook, tensors());
    }
    /// Must the hook be left out?
    bool skip() const { return skip_; }
    /// Does somebody want to hear what came back?
    bool watched() const { return active_; }
    /// Says what came back. `tensors()` is called only when somebody observes.
    template <class Tensors> void returned(bool replaced, Tensors tensors) {
        if (active_) [[unlikely]]
            end(replaced, tensors());
    }

private:
    void begin(const HookRef& hook, const variable_list& tensors);
    void end(bool replaced, const variable_list& result);
    HookRef hook_{};
    bool active_ = false, skip_ = false;
};

/// What observers are told that a hook returned: nullopt for nothing, else the tensors that replace those it saw.
struct ShowReturned {
    std::optional<variable_list> operator()(const Tensor& r) const {
        return r.defined() ? std::optional(variable_list{r}) : std::nullopt;
    }
    const std::optional<variable_list>& operator()(const std::optional<variable_list>& r) const { return r; }
};

/// One call of one hook, and the only way to make one: observers hear of it first, with the tensors that `see()`
/// lists, and may leave it out, which gives the result of a hook that returned nothing (`{}`); after `call()` they hear
/// what came back, as `show(result)` puts it. `see` and `show` are called only when somebody observes. A `call` without
/// a result is a hook that cannot replace anything.
template <class See, class Call, class Show = ShowReturned>
std::invoke_result_t<Call&> fire(const HookRef& hook, See see, Call call, Show show = {}) {
    using Result = std::invoke_result_t<Call&>;
    HookFiring firing(hook, std::move(see));
    if constexpr (std::is_void_v<Result>) {
        if (!firing.skip()) call();
        firing.returned(false, [] { return variable_list(); });
    } else {
        Result result = firing.skip() ? Result() : call();
        if (firing.watched()) [[unlikely]] {
            const std::optional<variable_list> shown = show(std::as_const(result));
            firing.returned(shown.has_value(), [&] { return shown ? *shown : variable_list(); });
        }
        return result;
    }
}

} // namespace reel::autograd::impl
