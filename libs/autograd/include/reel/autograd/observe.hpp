// Watching: what happens to gradients on this thread, told to whoever asks. Nobody asking costs one flag test.
#pragma once

#include <cstdint>
#include <string>
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

} // namespace reel::autograd
