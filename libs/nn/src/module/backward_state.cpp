// Gates over the inputs and outputs of a module call.
#include "module/backward_state.hpp"

#include <algorithm>

#include <reel/autograd/hooks.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/nn/module.hpp>

#include "module/slots.hpp"

namespace reel::nn::detail {

using autograd::GradList;
using autograd::HookKind;
using autograd::variable_list;
using autograd::impl::HookFiring;

void check_count(const Module& m, const char* what, std::size_t got, std::size_t expected) {
    REEL_CHECK(got == expected, m.name(), ": ", what, " returned ", got, " gradients, expected ", expected);
}

namespace {

/// For observers.
variable_list tensors_of(const Value& v) {
    std::vector<Tensor> r;
    collect_leaves(v, true, r);
    return r;
}
bool all_tensors(const Args& args) {
    return std::all_of(args.begin(), args.end(), [](const Value& v) { return v.isTensor(); });
}

/// Keeps the shape of arguments without keeping their tensors alive.
Slots slots_of(const Args& args, bool nested) {
    Slots slots{args.size(), all_tensors(args), {}};
    if (slots.all_tensors) return slots;
    for (const Value& v : args) {
        std::vector<Tensor> leaves;
        collect_leaves(v, nested, leaves);
        if (leaves.empty()) {
            slots.shape.emplace_back();
            continue;
        }
        for (Tensor& t : leaves) t = Tensor();
        // Leaves become undefined tensors: still of kind Tensor, holding nothing.
        std::size_t next = 0;
        slots.shape.push_back(with_leaves(v, nested, leaves, next));
    }
    return slots;
}

Value gradient_tuple(const Slots& slots, bool nested, const GradList& grads) {
    std::vector<Value> e;
    e.reserve(slots.count);
    std::size_t next = 0;
    if (slots.all_tensors)
        for (const Tensor& g : grads) e.push_back(g.defined() ? Value(g) : Value());
    else
        for (const Value& v : slots.shape) e.push_back(gradients_for(v, nested, grads, next));
    return Value::tuple(std::move(e));
}

/// B-20: a replacement must fit the gate's own outgoing gradient.
void check_replacement(const Module& m, const char* what, std::size_t i, const Tensor& t, const Tensor& current) {
    REEL_CHECK(current.defined(), m.name(), ": ", what, " returned a gradient at position ", i,
               " where there is none to replace");
    REEL_CHECK(t.scalar_type() == current.scalar_type() && t.device().type() == current.device().type(), m.name(), ": ",
               what, " changed the type of gradient ", i, " from ", dtype_name(current.scalar_type()), " on ",
               current.device(), " to ", dtype_name(t.scalar_type()), " on ", t.device());
    REEL_CHECK(t.sizes().equals(current.sizes()), m.name(), ": ", what, " changed the size of gradient ", i, " from ",
               current.sizes(), " to ", t.sizes());
}
/// Passes on `tuple` in place of the gate's gradients.
void replace(const Module& m, const char* what, const Slots& slots, const Value& tuple, GradList& passed) {
    std::vector<Value> entries;
    if (slots.all_tensors) entries = tuple.elements();
    else
        for (std::size_t i = 0; i < slots.count; ++i)
            extract_gradients(slots.shape[i], true, tuple.elements()[i], entries);
    for (std::size_t i = 0; i < passed.size(); ++i) {
        const Value& v = entries[i];
        REEL_CHECK_TYPE(v.isNone() || v.isTensor(), m.name(), ": ", what, " returned a ", v.kind_name(),
                        " as gradient ", i, ", expected a Tensor or none");
        Tensor t = v.isNone() ? Tensor() : v.toTensor();
        if (t.defined()) check_replacement(m, what, i, t, passed[i]);
        passed[i] = std::move(t);
    }
}
void replace(const Module& m, const char* what, const variable_list& tensors, GradList& passed) {
    for (std::size_t i = 0; i < passed.size(); ++i) {
        if (tensors[i].defined()) check_replacement(m, what, i, tensors[i], passed[i]);
        passed[i] = tensors[i];
    }
}

/// A single gradient may be returned bare when there is one slot.
Value as_tuple(const Value& v) { return v.isSequence() ? v : Value::tuple({v}); }

void run_full_hooks_at_output(BackwardState& s) {
    Value none_inputs = Value::tuple(std::vector<Value>(s.inputs.count));
    if (s.has_full)
        REEL_WARN_ONCE(
            "full backward hook on ", s.module->name(),
            " fires when the gradient of its outputs is known, before the module is differentiated, because no "
            "input requires grad; make an input require grad to see grad_input");
    for_each_hook(s.full_global, s.full_local, [&](const auto& record) {
        HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return tensors_of(s.grad_output); });
        const Value r = firing.skip() ? Value() : record.fn(*s.module, none_inputs, s.grad_output);
        firing.returned(!r.isNone(), [] { return variable_list(); });
        const bool only_nones = r.isNone() || (r.isTuple() && std::all_of(r.elements().begin(), r.elements().end(),
                                                                          [](const Value& v) { return v.isNone(); }));
        REEL_CHECK(only_nones, s.module->name(), ": full backward hook returned ", r.repr(),
                   ", but no input of the module requires grad, so there is no gradient to replace; return none");
    });
}

/// O of B-6: runs the pre-hooks and keeps grad_output for the other gate.
class OutputGate final : public HookGate {
public:
    explicit OutputGate(StatePtr state) : state_(std::move(state)) {}

protected:
    void look(const GradList& arrived, GradList& passed) override {
        BackwardState& s = *state_;
        if (s.plain()) return look_plain(arrived, passed);
        Value go = gradient_tuple(s.outputs, s.nested, arrived);
        for_each_hook(s.pre_global, s.pre_local, [&](const auto& record) {
            HookFiring firing({HookKind::BackwardPre, record.id, s.module}, [&] { return tensors_of(go); });
            Value r = firing.skip() ? Value() : record.fn(*s.module, go);
            firing.returned(!r.isNone(), [&] { return tensors_of(r); });
            if (r.isNone()) return;
            r = as_tuple(r);
            check_count(*s.module, "full backward pre-hook", r.elements().size(), s.outputs.count);
            go = std::move(r);
        });
        s.grad_output = go;
        s.pass = autograd::current_graph_task_id();
        if (!s.inputs_wrapped) {
            struct Forget {
                BackwardState& s;
                ~Forget() { s.grad_output = Value(), s.pass = -1; }
            } forget{s};
            run_full_hooks_at_output(s);
        }
        replace(*s.module, "full backward pre-hook", s.outputs, go, passed);
    }

private:
    void look_plain(const GradList& arrived, GradList& passed) {
        BackwardState& s = *state_;
        variable_list go(arrived.begin(), arrived.end());
        for_each_hook(s.pre_global, s.pre_local, [&](const auto& record) {
            HookFiring firing({HookKind::BackwardPre, record.id, s.module}, [&] { return go; });
            auto r = firing.skip() ? std::nullopt : record.fn.over_tensors(*s.module, go);
            firing.returned(bool(r), [&] { return r ? *r : variable_list(); });
            if (!r) return;
            check_count(*s.module, "full backward pre-hook", r->size(), s.outputs.count);
            go = std::move(*r);
        });
        replace(*s.module, "full backward pre-hook", go, passed);
        s.grad_output_tensors = std::move(go);
        s.pass = autograd::current_graph_task_id();
    }
    StatePtr state_;
};

/// N of B-2: runs the full hooks.
class InputGate final : public HookGate {
public:
    explicit InputGate(StatePtr state) : state_(std::move(state)) {}

protected:
    void look(const GradList&, GradList& passed) override {
        BackwardState& s = *state_;
        if (s.pass != autograd::current_graph_task_id() || s.pass < 0) return; // B-11.1, B-31, B-32
        s.pass = -1;
        if (s.plain()) return look_plain(passed);
        const Value go = std::exchange(s.grad_output, Value());
        Value gi = gradient_tuple(s.inputs, s.nested, passed);
        for_each_hook(s.full_global, s.full_local, [&](const auto& record) {
            HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return tensors_of(gi); });
            Value r = firing.skip() ? Value() : record.fn(*s.module, gi, go);
            firing.returned(!r.isNone(), [&] { return tensors_of(r); });
            if (r.isNone()) return;
            r = as_tuple(r);
            check_count(*s.module, "full backward hook", r.elements().size(), s.inputs.count);
            gi = std::move(r);
        });
        replace(*s.module, "full backward hook", s.inputs, gi, passed);
    }

private:
    void look_plain(GradList& passed) {
        BackwardState& s = *state_;
        const variable_list go = std::exchange(s.grad_output_tensors, {});
        variable_list gi(passed.begin(), passed.end());
        bool replaced = false;
        for_each_hook(s.full_global, s.full_local, [&](const auto& record) {
            HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return gi; });
            auto r = firing.skip() ? std::nullopt : record.fn.over_tensors(*s.module, gi, go);
            firing.returned(bool(r), [&] { return r ? *r : variable_list(); });
            if (!r) return;
            check_count(*s.module, "full backward hook", r->size(), s.inputs.count);
            gi = std::move(*r);
            replaced = true;
        });
        if (replaced) replace(*s.module, "full backward hook", gi, passed);
    }
    StatePtr state_;
};

/// Replaces the leaves of `values` by gated aliases. Returns null, leaving them alone, where nothing requires grad.
template <class Gate>
intrusive_ptr<HookGate> wrap(Args& values, const StatePtr& state, Slots& slots, bool reference, AliasList* aliases) {
    const bool nested = state->nested;
    slots = slots_of(values, nested);
    TensorList leaves;
    if (slots.all_tensors)
        for (const Value& v : values) leaves.push_back(v.toTensor());
    else {
        std::vector<Tensor> found;
        for (const Value& v : values) collect_leaves(v, nested, found);
        leaves = ArrayRef<Tensor>(found);
    }
    if (!wants_gate(leaves)) return nullptr;
    const TensorList originals = leaves;
    intrusive_ptr<HookGate> gate(new Gate(state));
    wrap_with_gate(gate, leaves, reference);
    std::size_t next = 0;
    for (Value& v : values) v = with_leaves(v, nested, leaves, next);
    if (aliases)
        for (std::size_t i = 0; i < leaves.size(); ++i) aliases->emplace_back(originals[i], leaves[i]);
    return gate;
}

} // namespace

intrusive_ptr<HookGate> wrap_inputs(Args& values, const StatePtr& state, bool reference, AliasList* aliases) {
    return wrap<InputGate>(values, state, state->inputs, reference, aliases);
}
intrusive_ptr<HookGate> wrap_outputs(Args& values, const StatePtr& state, bool reference) {
    return wrap<OutputGate>(values, state, state->outputs, reference, nullptr);
}

} // namespace reel::nn::detail
