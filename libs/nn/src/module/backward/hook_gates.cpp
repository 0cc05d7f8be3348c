// Gates over the inputs and outputs of a module call: when they run which hooks on what.
#include "module/backward/hook_gates.hpp"

#include <algorithm>

#include <reel/autograd/hooks.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/nn/module.hpp>

namespace reel::nn::detail {

using autograd::GradList;
using autograd::HookKind;
using autograd::impl::HookFiring;
using Held = BackwardState::Held;

namespace {

constexpr const char *full_hook = "full backward hook", *pre_hook = "full backward pre-hook";

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
    const std::vector<Value> entries = gradients_in(slots, tuple);
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

/// The number of gradients in what a hook returned; in the reference mode everything with a length has some (B-10).
std::size_t count_in(const BackwardState& s, const char* what, const Value& v) {
    if (v.isSequence()) return v.elements().size();
    if (v.isGenericDict()) return v.toGenericDict().size();
    if (v.isString()) return v.toStringRef().size();
    REEL_CHECK_TYPE(v.isTensor() && v.toTensor().dim() > 0, s.module->name(), ": ", what, " returned a ", v.kind_name(),
                    ", expected a tuple of gradients");
    return std::size_t(v.toTensor().size(0));
}
/// What a hook returned, with the right number of gradients. A single one may come bare, but not in the reference mode.
Value counted(const BackwardState& s, const char* what, Value v, std::size_t expected) {
    if (s.nested && !v.isSequence()) v = Value::tuple({v});
    check_count(*s.module, what, count_in(s, what, v), expected);
    return v;
}
/// Its gradients: those of a bare tensor are its rows.
Value entries_of(const BackwardState& s, const char* what, const Value& v) {
    if (v.isSequence()) return v;
    std::vector<Value> e;
    if (v.isTensor())
        for (const Tensor& row : reel::unbind(v.toTensor())) e.emplace_back(row);
    else if (v.isString())
        for (const char c : v.toStringRef()) e.emplace_back(std::string(1, c));
    else
        REEL_THROW(KeyError, s.module->name(), ": ", what,
                   " returned a dict, which has no gradient 0; return a tuple with one gradient per slot");
    return Value::tuple(std::move(e));
}

/// What a hook over tensors returned; where it saw none for a structure, the structure stays.
Value merged(const variable_list& returned, const Value& before) {
    std::vector<Value> e = tensors_to_tuple(returned).elements();
    for (std::size_t i = 0; i < e.size() && i < before.elements().size(); ++i)
        if (const Value& b = before.elements()[i]; !b.isTensor() && !b.isNone()) e[i] = b;
    return Value::tuple(std::move(e));
}
/// What a hook over slots returned.
Value from_slots(const BackwardState& s, const char* what, const Slots& slots, std::size_t expected,
                 const variable_list& returned) {
    check_count(*s.module, what, returned.size(), expected);
    return gradient_tuple(slots, s.nested, returned);
}
Value run(const BackwardPreHook& hook, const BackwardState& s, const Value& go) {
    if (hook.fn) return hook.fn(*s.module, go);
    if (hook.over_tensors) {
        const auto r = hook.over_tensors(*s.module, tuple_to_tensors(go));
        return r ? merged(*r, go) : Value();
    }
    const GradSlots out = grad_slots(s.outputs, go);
    const auto r = hook.over_slots(*s.module, out);
    return r ? from_slots(s, pre_hook, s.outputs, out.size(), *r) : Value();
}
Value run(const BackwardHook& hook, const BackwardState& s, const Value& gi, const Value& go) {
    if (hook.fn) return hook.fn(*s.module, gi, go);
    if (hook.over_tensors) {
        const auto r = hook.over_tensors(*s.module, tuple_to_tensors(gi), tuple_to_tensors(go));
        return r ? merged(*r, gi) : Value();
    }
    const GradSlots in = grad_slots(s.inputs, gi);
    const auto r = hook.over_slots(*s.module, in, grad_slots(s.outputs, go));
    return r ? from_slots(s, full_hook, s.inputs, in.size(), *r) : Value();
}

/// A list that a hook over tensors gets, taken from and given back to a small store of this thread's.
class LentList {
public:
    explicit LentList(const GradList& grads) {
        take();
        for (const Tensor& g : grads) list.push_back(g);
    }
    explicit LentList(GradList&& grads) {
        take();
        for (Tensor& g : grads) list.push_back(std::move(g));
        grads.clear();
    }
    ~LentList() {
        list.clear();
        if (store.count < Store::size && !store.closed) store.lists[store.count++].swap(list);
    }
    LentList(const LentList&) = delete;
    variable_list list;

private:
    void take() {
        if (store.count > 0) list.swap(store.lists[--store.count]);
    }
    struct Store {
        static constexpr int size = 8;
        variable_list lists[size];
        int count = 0;
        bool closed = false;
        ~Store() { count = 0, closed = true; }
    };
    static thread_local Store store;
};
thread_local LentList::Store LentList::store;

/// Hooks that wait for the parameters: they see what the pass goes on with, and change nothing.
template <class Fire> void run_later(const StatePtr& state, const Held& held, Fire fire) {
    autograd::after_accumulation(state->module->parameters(), [state, held, fire] {
        for_each_hook(held.hooks.full_global, held.hooks.full_local, [&](const auto& record) {
            if (!record.fn.after_parameter_grads) return;
            REEL_CHECK(!fire(*state, record), state->module->name(),
                       ": a full backward hook with after_parameter_grads returned gradients, but those were passed on "
                       "before it ran; return nothing, or register it without that option");
        });
    });
}
void run_later(const StatePtr& state, const Held& held, const Value& gi, const Value& go) {
    run_later(state, held, [gi, go](const BackwardState& s, const auto& record) {
        HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return tensors_of(gi); });
        const Value r = firing.skip() ? Value() : run(record.fn, s, gi, go);
        firing.returned(!r.isNone(), [] { return variable_list(); });
        return !r.isNone();
    });
}
void run_later(const StatePtr& state, const Held& held, const variable_list& gi, const variable_list& go) {
    run_later(state, held, [gi, go](const BackwardState& s, const auto& record) {
        HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return gi; });
        const auto r = firing.skip() ? std::nullopt : record.fn.over_tensors(*s.module, gi, go);
        firing.returned(bool(r), [] { return variable_list(); });
        return bool(r);
    });
}

void warn_at_output(const BackwardState& s, const Held& held) {
    bool early = false; // what waits for the parameters' gradients misses nothing
    for_each_hook(held.hooks.full_global, held.hooks.full_local,
                  [&](const auto& record) { early |= !record.fn.after_parameter_grads; });
    if (early)
        REEL_WARN_ONCE(
            full_hook, " on ", s.module->name(),
            " fires when the gradient of its outputs is known, before the module is differentiated, because no "
            "input requires grad; make an input require grad to see grad_input");
}
void check_nothing_replaced(const BackwardState& s, bool nothing, const Value& returned) {
    REEL_CHECK(nothing, s.module->name(), ": ", full_hook, " returned ", returned.repr(),
               ", but no input of the module requires grad, so there is no gradient to replace; return none");
}
bool is_none(const Value& v) { return v.isNone(); }
/// B-14.
void run_full_hooks_at_output(const StatePtr& state, const Held& held, const Value& go) {
    BackwardState& s = *state;
    const Value no_inputs = Value::tuple(std::vector<Value>(s.inputs.count));
    warn_at_output(s, held);
    for_each_hook(held.hooks.full_global, held.hooks.full_local, [&](const auto& record) {
        if (record.fn.after_parameter_grads) return;
        HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return tensors_of(go); });
        const Value r = firing.skip() ? Value() : run(record.fn, s, no_inputs, go);
        firing.returned(!r.isNone(), [] { return variable_list(); });
        // A number where a gradient would stand is no none either (B-20).
        const bool nothing = r.isNone() || (r.isTuple() && std::ranges::all_of(r.elements(), is_none));
        check_nothing_replaced(s, nothing, r);
    });
    if (s.later) run_later(state, held, no_inputs, go);
}
void run_full_hooks_at_output(const StatePtr& state, const Held& held, const variable_list& go) {
    BackwardState& s = *state;
    const variable_list no_inputs(s.inputs.count);
    warn_at_output(s, held);
    for_each_hook(held.hooks.full_global, held.hooks.full_local, [&](const auto& record) {
        if (record.fn.after_parameter_grads) return;
        HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return go; });
        const auto r = firing.skip() ? std::nullopt : record.fn.over_tensors(*s.module, no_inputs, go);
        firing.returned(bool(r), [] { return variable_list(); });
        if (r)
            check_nothing_replaced(s, std::none_of(r->begin(), r->end(), [](const Tensor& t) { return t.defined(); }),
                                   tensors_to_tuple(*r));
    });
    if (s.later) run_later(state, held, no_inputs, go);
}

class OutputGate final : public HookGate {
public:
    explicit OutputGate(StatePtr state) : state_(std::move(state)) {}
    GradList apply(GradList&& grads) override {
        BackwardState& s = *state_;
        const auto held = s.hold();
        if (!held) return std::move(grads);
        try {
            if (s.plain()) return look_plain(std::move(grads), *held);
            return look(grads, *held);
        } catch (...) {
            s.let_go();
            throw;
        }
    }
    void release_variables() override {
        BackwardState& s = *state_;
        if (!s.input_gate || !autograd::impl::runs_in_this_pass(*s.input_gate)) s.let_go();
    }

private:
    GradList look(const GradList& arrived, const Held& held) {
        BackwardState& s = *state_;
        GradList passed = filled(arrived);
        Value go = gradient_tuple(s.outputs, s.nested, arrived);
        for_each_hook(held.hooks.pre_global, held.hooks.pre_local, [&](const auto& record) {
            HookFiring firing({HookKind::BackwardPre, record.id, s.module}, [&] { return tensors_of(go); });
            Value r = firing.skip() ? Value() : run(record.fn, s, go);
            firing.returned(!r.isNone(), [&] { return tensors_of(r); });
            if (r.isNone()) return;
            go = counted(s, pre_hook, std::move(r), s.outputs.count);
        });
        if (!s.inputs_wrapped) {
            run_full_hooks_at_output(state_, held, go);
        } else if (s.full_hooks_follow(held.hooks)) {
            s.put_grad_output(go, {});
        }
        replace(*s.module, pre_hook, s.outputs, entries_of(s, pre_hook, go), passed);
        return passed;
    }
    GradList look_plain(GradList&& arrived, const Held& held) {
        BackwardState& s = *state_;
        GradList passed(arrived); // B-21
        if (!held.hooks.has_pre() && s.inputs_wrapped) {
            if (s.full_hooks_follow(held.hooks)) s.put_grad_output({}, std::move(arrived));
            return passed;
        }
        LentList lent(arrived);
        variable_list& go = lent.list;
        for_each_hook(held.hooks.pre_global, held.hooks.pre_local, [&](const auto& record) {
            HookFiring firing({HookKind::BackwardPre, record.id, s.module}, [&] { return go; });
            auto r = firing.skip() ? std::nullopt : record.fn.over_tensors(*s.module, go);
            firing.returned(bool(r), [&] { return r ? *r : variable_list(); });
            if (!r) return;
            check_count(*s.module, pre_hook, r->size(), s.outputs.count);
            go = std::move(*r);
        });
        if (!s.inputs_wrapped) run_full_hooks_at_output(state_, held, go);
        if (held.hooks.has_pre()) {
            passed = filled(arrived);
            replace(*s.module, pre_hook, go, passed);
        }
        if (s.full_hooks_follow(held.hooks)) {
            GradList shown;
            shown.assign(go.begin(), go.end());
            s.put_grad_output({}, std::move(shown));
        }
        return passed;
    }
    StatePtr state_;
};

class InputGate final : public HookGate {
public:
    explicit InputGate(StatePtr state) : state_(std::move(state)) {}
    ~InputGate() override { state_->input_gate = nullptr; }
    GradList apply(GradList&& grads) override {
        BackwardState& s = *state_;
        GradList passed = filled(std::move(grads));
        auto go = s.take_grad_output();
        if (!go) return passed; // B-11.1, B-31, B-32
        const auto held = s.hold();
        if (!held) return passed;
        try {
            if (s.plain()) look_plain(passed, std::move(go->tensors), *held);
            else look(passed, go->values, *held);
        } catch (...) {
            s.let_go();
            throw;
        }
        return passed;
    }
    void release_variables() override { state_->let_go(); }

private:
    void look(GradList& passed, const Value& go, const Held& held) {
        BackwardState& s = *state_;
        Value gi = gradient_tuple(s.inputs, s.nested, passed);
        for_each_hook(held.hooks.full_global, held.hooks.full_local, [&](const auto& record) {
            if (record.fn.after_parameter_grads) return;
            HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return tensors_of(gi); });
            Value r = firing.skip() ? Value() : run(record.fn, s, gi, go);
            firing.returned(!r.isNone(), [&] { return tensors_of(r); });
            if (r.isNone()) return;
            gi = counted(s, full_hook, std::move(r), s.inputs.count);
        });
        replace(*s.module, full_hook, s.inputs, entries_of(s, full_hook, gi), passed);
        if (s.later) run_later(state_, held, gi, go);
    }
    void look_plain(GradList& passed, GradList&& grad_output, const Held& held) {
        BackwardState& s = *state_;
        const LentList lent_go(std::move(grad_output));
        LentList lent_gi(passed);
        const variable_list& go = lent_go.list;
        variable_list& gi = lent_gi.list;
        bool replaced = false;
        for_each_hook(held.hooks.full_global, held.hooks.full_local, [&](const auto& record) {
            if (record.fn.after_parameter_grads) return;
            HookFiring firing({HookKind::FullBackward, record.id, s.module}, [&] { return gi; });
            auto r = firing.skip() ? std::nullopt : record.fn.over_tensors(*s.module, gi, go);
            firing.returned(bool(r), [&] { return r ? *r : variable_list(); });
            if (!r) return;
            check_count(*s.module, full_hook, r->size(), s.inputs.count);
            gi = std::move(*r);
            replaced = true;
        });
        if (replaced) replace(*s.module, full_hook, gi, passed);
        if (s.later) run_later(state_, held, gi, go);
    }
    StatePtr state_;
};

} // namespace

intrusive_ptr<HookGate> new_input_gate(const StatePtr& state) { return intrusive_ptr<HookGate>(new InputGate(state)); }
intrusive_ptr<HookGate> new_output_gate(const StatePtr& state) {
    return intrusive_ptr<HookGate>(new OutputGate(state));
}

} // namespace reel::nn::detail
