// Watching: what happens to gradients on this thread, told to whoever asks. Nobody asking costs one flag test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// A place in the program: taken cheaply, put into words when asked for.
class CallSite {
public:
    CallSite() = default;
    /// The callers of this function.
    static CallSite here();
    explicit CallSite(std::vector<const void*> frames) : frames_(std::move(frames)) {}
    bool known() const { return !frames_.empty(); }
    /// The first frame outside of Reel: `main at net.cpp:12`, without debug information `main in /path/program`; empty
    /// when unknown. Looks up symbols: slow.
    std::string text() const;

private:
    std::vector<const void*> frames_;
};
/// Where the forward op of `node` was called; unknown unless anomaly mode was on.
CallSite creation_site(const Node& node);
/// The leaf of an accumulator; undefined for other nodes.
Tensor leaf_of(const Node& node);

/// Ways in which a value leaves the tape.
enum class CutKind : std::uint8_t {
    Detach,            ///< detach(), detach_()
    Data,              ///< data()
    NoGrad,            ///< an op while grad mode was off
    NotDifferentiable, ///< an op whose result cannot carry a gradient: comparisons, argmax, integer casts
    Number             ///< item()
};
const char* to_string(CutKind kind);

enum class HookKind : std::uint8_t {
    ForwardPre,
    Forward,
    BackwardPre,
    FullBackward,
    LegacyBackward,
    Tensor,
    NodePre,
    NodePost,
    PostAccumulate
};
const char* to_string(HookKind kind);

/// A hook as the machinery knows it. `owner` is the Module, the Node, or the TensorImpl of a leaf; null for the hooks
/// of all modules.
struct HookRef {
    HookKind kind;
    std::uint64_t id = 0;
    const void* owner = nullptr;
    std::uint32_t output_nr = 0; ///< of a tensor hook on a node
};

/// The hooks on `t`: of a leaf those on its gradient and those after accumulation, of another tensor those on its
/// gradient.
std::vector<HookRef> hooks_on(const Tensor& t);

/// Derive, override, and open an ObserverScope. Calls come on the thread of the scope, in order; what an observer
/// itself does is not observed.
class Observer {
public:
    virtual ~Observer();
    /// `input` requires grad and goes into something that the tape does not see.
    virtual void value_cut(CutKind, const char* /*op*/, const Tensor& /*input*/) {}
    /// `leaf`'s gradient is about to be cleared. `by`: `Module.zero_grad`, `Adam.zero_grad`, ...
    virtual void grad_cleared(const Tensor& /*leaf*/, const char* /*by*/, bool /*to_none*/) {}
    virtual void module_entered(const void* /*module*/, const variable_list& /*inputs*/) {}
    /// `outputs` is null when the call threw.
    virtual void module_left(const void* /*module*/, const variable_list* /*outputs*/) {}
    virtual void hook_registered(const HookRef&) {}
    virtual void hook_removed(std::uint64_t /*id*/) {}
    /// A hook is about to run on `tensors`. False: leave it out, as if it had returned nothing.
    virtual bool hook_fires(const HookRef&, const Node* /*running*/, const variable_list& /*tensors*/) { return true; }
    /// It has returned, with another value if `replaced`.
    virtual void hook_returned(const HookRef&, bool /*replaced*/, const variable_list& /*result*/) {}
    /// `node` is about to run on `grads`, which may be replaced.
    virtual void node_runs(Node&, GradList& /*grads*/) {}
    /// It has produced `grads`, one per edge, before they are passed on; they may be replaced.
    virtual void node_ran(Node&, GradList& /*grads*/) {}
    /// `t` is about to be written in place.
    virtual void written(const Tensor& /*t*/, const char* /*op*/) {}
};
/// `observer` watches this thread while the scope lives; so do those of outer scopes.
class ObserverScope {
public:
    explicit ObserverScope(Observer& observer);
    ~ObserverScope();
    ObserverScope(const ObserverScope&) = delete;

private:
    Observer* observer_;
};

namespace impl {
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
} // namespace impl

} // namespace reel::autograd
