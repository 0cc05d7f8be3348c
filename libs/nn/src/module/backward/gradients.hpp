// The gradients at one end of a module call, as its backward hooks see and replace them (rules B-10 to B-20). There are
// two carriers with one interface, so that what happens to gradients is written once: values, which every hook can
// look at, and tensors, where all hooks take those and nothing else is among the arguments or in the result.
#pragma once

#include "module/backward/state.hpp"
#include "module/leaves.hpp"

namespace reel::nn::detail {

/// grad_input, which full hooks replace, or grad_output, which pre-hooks replace.
enum class End : std::uint8_t { Input, Output };

/// A tuple with an entry for each argument or result: gradients in place of tensors, none elsewhere.
class ValueGradients {
public:
    using Returned = Value; ///< what a hook returns, none for nothing
    /// One gradient per tensor.
    ValueGradients(const BackwardState& state, End end, const autograd::GradList& grads);
    ValueGradients(const BackwardState& state, End end, KeptGradients&& kept);
    /// Where there are no gradients, none stands everywhere (B-14).
    static ValueGradients absent(const BackwardState& state, End end);

    /// For observers.
    variable_list tensors() const { return tensors_of(tuple_); }
    /// These are grad_output.
    Returned shown_to(const BackwardPreHook& hook) const;
    /// These are grad_input.
    Returned shown_to(const BackwardHook& hook, const ValueGradients& grad_output) const;
    /// A hook returned others: from here on those count.
    void replace(Returned r);
    /// May they differ from those that came? Hooks can write into lists and dicts, too.
    bool changed() const { return replaced_ || !slots().all_tensors; }
    /// Passes them on instead of `passed`, to which they must fit (B-20).
    void put_into(autograd::GradList& passed) const;
    KeptGradients keep() && { return {std::move(tuple_), {}}; }

    /// For observers: what came back in place of `tensors()`, undefined for none; nothing where nothing did.
    std::optional<variable_list> returned(const Returned& r) const;

    /// Is there no gradient in `r`, and nothing that stands for one?
    static bool holds_nothing(const Returned& r);
    static Value as_value(const Returned& r) { return r; }

private:
    ValueGradients(const BackwardState& state, End end, Value tuple);
    const Slots& slots() const { return end_ == End::Input ? state_->inputs : state_->outputs; }
    const BackwardState* state_;
    End end_;
    bool replaced_ = false;
    Value tuple_;
};

/// The gradients alone, one per tensor.
class TensorGradients {
public:
    using Returned = std::optional<variable_list>;
    /// `grads` is const or to be moved from.
    template <class Grads>
    TensorGradients(const BackwardState& state, End end, Grads&& grads)
        : state_(&state), end_(end), seen_(std::forward<Grads>(grads)) {}
    TensorGradients(const BackwardState& state, End end, KeptGradients&& kept)
        : state_(&state), end_(end), seen_(std::move(kept.tensors)) {}
    static TensorGradients absent(const BackwardState& state, End end);

    variable_list tensors() const { return seen_.list; }
    Returned shown_to(const BackwardPreHook& hook) const;
    Returned shown_to(const BackwardHook& hook, const TensorGradients& grad_output) const;
    void replace(Returned r);
    bool changed() const { return replaced_; }
    void put_into(autograd::GradList& passed) const;
    KeptGradients keep() && { return {std::nullopt, std::move(seen_)}; }
    static const Returned& returned(const Returned& r) { return r; }

    static bool holds_nothing(const Returned& r);
    static Value as_value(const Returned& r);

private:
    const BackwardState* state_;
    End end_;
    bool replaced_ = false;
    RecycledList seen_;
};

} // namespace reel::nn::detail
