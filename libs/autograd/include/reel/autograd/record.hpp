// How an op puts itself on the tape: one call that makes the node, its edges and what it saves.
#pragma once

#include <array>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/op_block.hpp>
#include <reel/autograd/saved_variable.hpp>

namespace reel::autograd {

/// What a backward rule sees: arriving gradients, saved tensors, and which results are wanted.
class RuleContext {
public:
    RuleContext(Node& node, GradList& grads, ArrayRef<SavedVariable> saved)
        : node_(node), grads_(grads), saved_(saved) {}
    /// Gradient of output `i` as it arrived; may be undefined when the op has several outputs.
    const Tensor& grad(std::size_t i = 0) const { return grads_[i]; }
    /// The same with zeros in place of an undefined one (E-59).
    Tensor grad_or_zeros(std::size_t i) const {
        return grads_[i].defined() ? grads_[i] : node_.input_metadata(i).zeros();
    }
    std::size_t num_grads() const { return grads_.size(); }
    /// Saved tensor `i`, in the order in which `record` was given them; undefined if it was undefined then.
    Tensor saved(std::size_t i) const { return saved_[i].unpack(&node_); }
    std::size_t num_saved() const { return saved_.size(); }
    /// Is the gradient of input `i` wanted? Rules skip what nobody needs (E-22).
    bool needs(std::size_t i) const { return node_.should_compute_output(i); }
    Node& node() const { return node_; }

private:
    Node& node_;
    GradList& grads_;
    ArrayRef<SavedVariable> saved_;
};

/// Base of the nodes that `record` makes. What one saves lies behind it in the same block of memory.
class RuleNode : public Node {
public:
    /// How many tensors a node will save.
    struct Saved {
        std::size_t count;
    };
    static void* operator new(std::size_t n, Saved saved);
    static void operator delete(void* p, Saved) noexcept; ///< where the constructor throws
    static void operator delete(void* p, std::size_t n) noexcept;
    ~RuleNode() override;
    std::string name() const override;
    void release_variables() override;
    std::vector<Tensor> saved_tensors() const override;
    const char* op() const { return op_; }
    Work work() const override { return work_; }

protected:
    /// `n_bytes`: of the whole node without what it saves.
    RuleNode(RecordedOp op, std::size_t n_bytes, Saved saved);
    ArrayRef<SavedVariable> saved() const { return {saved_begin(), n_saved_}; }
    void destroy() noexcept override;

private:
    friend struct RecordAccess;
    SavedVariable* saved_begin() const {
        return reinterpret_cast<SavedVariable*>(reinterpret_cast<std::uintptr_t>(this) + saved_at_);
    }
    std::uint32_t n_saved_;
    const char* op_;
    std::uint16_t saved_at_;
    Work work_;
};

using Inputs = std::initializer_list<std::reference_wrapper<const Tensor>>;

namespace recording {
template <class Rule> class RuleNodeOf final : public RuleNode {
public:
    RuleNodeOf(RecordedOp op, Rule rule, Saved saved)
        : RuleNode(op, sizeof(RuleNodeOf), saved), rule_(std::move(rule)) {
        static_assert(sizeof(RuleNodeOf) <= UINT16_MAX && sizeof(RuleNodeOf) % alignof(SavedVariable) == 0);
    }
    GradList apply(GradList&& grads) override {
        RuleContext context(*this, grads, saved());
        return rule_(context);
    }

private:
    Rule rule_;
};
/// Edges, output slots, saved tensors, creation hooks; sets the outputs' history. Not inlined into every op.
void attach(RuleNode* node, ArrayRef<Tensor> inputs, ArrayRef<const Tensor*> outputs, ArrayRef<Tensor> saved);
void attach(RuleNode* node, Inputs inputs, const Tensor& output, Inputs saved);
bool any_requires_grad(ArrayRef<Tensor> inputs);
/// Tells observers that `op` over `inputs` stays off the tape, because grad mode is off or its result is not
/// differentiable.
[[gnu::cold]] void not_recorded(const char* op, Inputs inputs);
[[gnu::cold]] void not_recorded(const char* op, TensorList inputs);
} // namespace recording

/// True when an op over these inputs must record: grad mode on and some input requires grad.
template <class... T> bool needs_recording(const T&... inputs) {
    if (!GradMode::is_enabled()) return false;
    const auto one = [](const Tensor& t) { return t.defined() && t.impl()->requires_grad(); };
    return (one(inputs) || ...);
}
inline bool needs_recording(TensorList inputs) {
    return GradMode::is_enabled() && recording::any_requires_grad(inputs);
}

/// Records an op with one output. `op` is the op's name (static storage), with what its backward spends where that is
/// not one for each element (`{"mm", Work::kProduct}`), `inputs` its tensor operands in schema order
/// (undefined ones get no edge), `saved` what the rule reads (tensors that the rule does not need must not be listed;
/// the output itself may be). `rule` is `GradList(RuleContext&)`, one entry per input, written in tensor ops so that it
/// can be differentiated again. It is only called with a defined gradient. No-op unless recording is needed and
/// the output can carry a gradient. Views, multi-output ops: see the overloads.
template <class Rule> void record(RecordedOp op, Inputs inputs, const Tensor& output, Inputs saved, Rule rule);
/// Operands given as a list (`cat`, `stack`), or several outputs.
template <class Rule> void record(RecordedOp op, TensorList inputs, TensorList outputs, TensorList saved, Rule rule);

/// The same for an op that is to make `output`; tells observers when `op` stays off the tape.
template <class... T> bool needs_recording_of(const char* op, const Tensor& output, const T&... inputs) {
    if (GradMode::is_enabled() && isDifferentiableType(output.scalar_type())) return needs_recording(inputs...);
    if (reel::detail::thread_modes.observers) [[unlikely]]
        recording::not_recorded(op, Inputs{inputs...});
    return false;
}

template <class Rule> void record(RecordedOp op, Inputs inputs, const Tensor& output, Inputs saved, Rule rule) {
    static_assert(std::is_invocable_r_v<GradList, Rule&, RuleContext&>, "a rule is GradList(RuleContext&)");
    if (!GradMode::is_enabled() || !isDifferentiableType(output.scalar_type())) {
        if (reel::detail::thread_modes.observers) [[unlikely]]
            recording::not_recorded(op.name, inputs);
        return;
    }
    bool any = false;
    for (const Tensor& t : inputs) any |= t.defined() && t.impl()->requires_grad();
    if (!any) return;
    const RuleNode::Saved room{saved.size()};
    recording::attach(new (room) recording::RuleNodeOf<Rule>(op, std::move(rule), room), inputs, output, saved);
}

template <class Rule> void record(RecordedOp op, TensorList inputs, TensorList outputs, TensorList saved, Rule rule) {
    static_assert(std::is_invocable_r_v<GradList, Rule&, RuleContext&>, "a rule is GradList(RuleContext&)");
    if (!needs_recording(inputs)) {
        if (reel::detail::thread_modes.observers) [[unlikely]]
            recording::not_recorded(op.name, inputs);
        return;
    }
    SmallVector<const Tensor*, 4> outs;
    for (const Tensor& t : outputs) outs.push_back(&t);
    const RuleNode::Saved room{saved.size()};
    recording::attach(new (room) recording::RuleNodeOf<Rule>(op, std::move(rule), room), inputs, outs, saved);
}

} // namespace reel::autograd
