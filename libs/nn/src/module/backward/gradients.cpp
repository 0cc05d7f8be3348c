// What hooks may return in place of gradients.
#include "module/backward/gradients.hpp"

#include <algorithm>

#include <reel/autograd/ops/shape/split.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/fire.hpp"

namespace reel::nn::detail {

using autograd::GradList;

namespace {

const char* hook_at(End end) { return end == End::Input ? "full backward hook" : "full backward pre-hook"; }

void check_count(const Module& m, End end, std::size_t got, std::size_t expected) {
    REEL_CHECK(got == expected, m.name(), ": ", hook_at(end), " returned ", got, " gradients, expected ", expected);
}
/// B-20: a replacement must fit the gate's own outgoing gradient.
void check_replacement(const Module& m, End end, std::size_t i, const Tensor& t, const Tensor& current) {
    const char* what = hook_at(end);
    REEL_CHECK(current.defined(), m.name(), ": ", what, " returned a gradient at position ", i,
               " where there is none to replace");
    REEL_CHECK(t.scalar_type() == current.scalar_type() && t.device().type() == current.device().type(), m.name(), ": ",
               what, " changed the type of gradient ", i, " from ", dtype_name(current.scalar_type()), " on ",
               current.device(), " to ", dtype_name(t.scalar_type()), " on ", t.device());
    REEL_CHECK(t.sizes().equals(current.sizes()), m.name(), ": ", what, " changed the size of gradient ", i, " from ",
               current.sizes(), " to ", t.sizes());
}

/// The number of gradients in what a hook returned; in the reference mode everything with a length has some (B-10).
std::size_t count_in(const Module& m, End end, const Value& v) {
    if (v.isSequence()) return v.elements().size();
    if (v.isGenericDict()) return v.toGenericDict().size();
    if (v.isString()) return v.toStringRef().size();
    REEL_CHECK_TYPE(v.isTensor() && v.toTensor().dim() > 0, m.name(), ": ", hook_at(end), " returned a ", v.kind_name(),
                    ", expected a tuple of gradients");
    return std::size_t(v.toTensor().size(0));
}
/// The gradients in what was counted so: those of a bare tensor are its rows.
Value entries_of(const Module& m, End end, const Value& v) {
    if (v.isSequence()) return v;
    std::vector<Value> e;
    if (v.isTensor())
        for (const Tensor& row : reel::unbind(v.toTensor())) e.emplace_back(row);
    else if (v.isString())
        for (const char c : v.toStringRef()) e.emplace_back(std::string(1, c));
    else
        REEL_THROW(KeyError, m.name(), ": ", hook_at(end),
                   " returned a dict, which has no gradient 0; return a tuple with one gradient per slot");
    return Value::tuple(std::move(e));
}

/// Appends what stands in `after` where `before` has tensors; false when it is built otherwise.
bool collect_replaced(const Value& before, const Value& after, variable_list& out) {
    if (before.isTensor()) {
        out.push_back(after.isTensor() ? after.toTensor() : Tensor());
        return after.isTensor() || after.isNone();
    }
    if (!before.isSequence()) return !before.isGenericDict();
    if (!after.isSequence() || after.elements().size() != before.elements().size()) return false;
    for (std::size_t i = 0; i < before.elements().size(); ++i)
        if (!collect_replaced(before.elements()[i], after.elements()[i], out)) return false;
    return true;
}
/// What a hook over tensors returned; where it saw none for a structure, the structure stays.
Value merged(const std::optional<variable_list>& returned, const Value& before) {
    if (!returned) return {};
    std::vector<Value> e = tensors_to_tuple(*returned).elements();
    for (std::size_t i = 0; i < e.size() && i < before.elements().size(); ++i)
        if (const Value& b = before.elements()[i]; !b.isTensor() && !b.isNone()) e[i] = b;
    return Value::tuple(std::move(e));
}
/// What a hook over slots returned, of which there are `expected`.
Value from_slots(const Module& m, End end, const Slots& slots, std::size_t expected,
                 const std::optional<variable_list>& returned) {
    if (!returned) return {};
    check_count(m, end, returned->size(), expected);
    return gradient_tuple(slots, *returned);
}

} // namespace

ValueGradients::ValueGradients(const BackwardState& state, End end, Value tuple)
    : state_(&state), end_(end), tuple_(std::move(tuple)) {}
ValueGradients::ValueGradients(const BackwardState& state, End end, const GradList& grads)
    : ValueGradients(state, end, Value()) {
    tuple_ = gradient_tuple(slots(), grads);
}
ValueGradients::ValueGradients(const BackwardState& state, End end, KeptGradients&& kept)
    : ValueGradients(state, end, std::move(kept.values).value_or(Value())) {}
ValueGradients ValueGradients::absent(const BackwardState& state, End end) {
    ValueGradients r(state, end, Value());
    r.tuple_ = Value::tuple(std::vector<Value>(r.slots().count));
    return r;
}

Value ValueGradients::shown_to(const BackwardPreHook& hook) const {
    Module& m = *state_->module;
    if (hook.fn) return hook.fn(m, tuple_);
    if (hook.over_tensors) return merged(hook.over_tensors(m, tuple_to_tensors(tuple_)), tuple_);
    const GradSlots out = grad_slots(slots(), tuple_);
    return from_slots(m, end_, slots(), out.size(), hook.over_slots(m, out));
}
Value ValueGradients::shown_to(const BackwardHook& hook, const ValueGradients& go) const {
    Module& m = *state_->module;
    if (hook.fn) return hook.fn(m, tuple_, go.tuple_);
    if (hook.over_tensors)
        return merged(hook.over_tensors(m, tuple_to_tensors(tuple_), tuple_to_tensors(go.tuple_)), tuple_);
    const GradSlots in = grad_slots(slots(), tuple_);
    return from_slots(m, end_, slots(), in.size(), hook.over_slots(m, in, grad_slots(go.slots(), go.tuple_)));
}

void ValueGradients::replace(Value r) {
    // A single gradient may come bare, but not in the reference mode.
    if (state_->nested && !r.isSequence()) r = Value::tuple({r});
    check_count(*state_->module, end_, count_in(*state_->module, end_, r), slots().count);
    tuple_ = std::move(r);
    replaced_ = true;
}
void ValueGradients::put_into(GradList& passed) const {
    const Module& m = *state_->module;
    const std::vector<Value> entries = gradients_in(slots(), entries_of(m, end_, tuple_));
    for (std::size_t i = 0; i < passed.size(); ++i) {
        const Value& v = entries[i];
        REEL_CHECK_TYPE(v.isNone() || v.isTensor(), m.name(), ": ", hook_at(end_), " returned a ", v.kind_name(),
                        " as gradient ", i, ", expected a Tensor or none");
        Tensor t = v.isNone() ? Tensor() : v.toTensor();
        if (t.defined()) check_replacement(m, end_, i, t, passed[i]);
        passed[i] = std::move(t);
    }
}
std::optional<variable_list> ValueGradients::returned(const Value& r) const {
    if (!is_given(r)) return std::nullopt;
    variable_list out;
    const bool bare = state_->nested && !r.isSequence();
    return collect_replaced(tuple_, bare ? Value::tuple({r}) : r, out) ? out : tensors_of(r);
}
bool ValueGradients::holds_nothing(const Value& r) {
    // A number where a gradient would stand is no none either (B-20).
    return r.isNone() || (r.isTuple() && std::ranges::all_of(r.elements(), [](const Value& v) { return v.isNone(); }));
}

TensorGradients TensorGradients::absent(const BackwardState& state, End end) {
    return {state, end, (end == End::Input ? state.inputs : state.outputs).count};
}
std::optional<variable_list> TensorGradients::shown_to(const BackwardPreHook& hook) const {
    return hook.over_tensors(*state_->module, seen_.list);
}
std::optional<variable_list> TensorGradients::shown_to(const BackwardHook& hook, const TensorGradients& go) const {
    return hook.over_tensors(*state_->module, seen_.list, go.seen_.list);
}
void TensorGradients::replace(std::optional<variable_list> r) {
    check_count(*state_->module, end_, r->size(), seen_.list.size());
    seen_.list = std::move(*r);
    replaced_ = true;
}
void TensorGradients::put_into(GradList& passed) const {
    const variable_list& tensors = seen_.list;
    for (std::size_t i = 0; i < passed.size(); ++i) {
        if (tensors[i].defined()) check_replacement(*state_->module, end_, i, tensors[i], passed[i]);
        passed[i] = tensors[i];
    }
}
bool TensorGradients::holds_nothing(const Returned& r) {
    return !r || std::ranges::none_of(*r, [](const Tensor& t) { return t.defined(); });
}
Value TensorGradients::as_value(const Returned& r) { return r ? tensors_to_tuple(*r) : Value(); }

} // namespace reel::nn::detail
