// The call protocol: the exact sequence of rule C-3 and the life of the backward state of one call.
#include <reel/nn/call.hpp>

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/nn/module_paths.hpp>

#include "module/gate.hpp"
#include "module/module_hooks.hpp"
#include "module/slots.hpp"

namespace reel::nn::detail {

using autograd::GradList;

namespace {

/// The tensors among the elements of an argument tuple or a result (B-2, B-6). `shape` holds the elements with their
/// tensors dropped; it stays empty in the common case that every element is a tensor.
struct Slots {
    std::size_t count = 0;
    bool all_tensors = false;
    Args shape;
};

/// What one call remembers for its backward (B-10, B-11). Owned by its two gates.
struct BackwardState : RefCounted {
    Module* module;
    ModulePtr keep_alive; // null for modules on the stack
    Snapshot<BackwardPreHook> pre_global, pre_local;
    Snapshot<BackwardHook> full_global, full_local;
    bool nested = false, has_full = false;
    bool over_tensors = false; ///< every hook takes tensors: where slots are tensors too, no values are built
    Slots inputs, outputs;
    bool inputs_wrapped = false;
    // grad_output of the running pass (B-31: keyed by the pass, so a stale one is never used).
    Value grad_output;
    variable_list grad_output_tensors; ///< in its place on the way without values
    std::int64_t pass = -1;

    static void release(BackwardState* s) {
        if (s->drop_ref()) delete s;
    }
    bool plain() const { return over_tensors && inputs_wrapped && inputs.all_tensors && outputs.all_tensors; }
};
using StatePtr = intrusive_ptr<BackwardState>;

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
    REEL_CHECK(current.defined(), m.name(), ": ", what, " hook returned a gradient at position ", i,
               " where there is none to replace");
    REEL_CHECK(t.scalar_type() == current.scalar_type() && t.device().type() == current.device().type(), m.name(), ": ",
               what, " hook changed the type of gradient ", i, " from ", dtype_name(current.scalar_type()), " on ",
               current.device(), " to ", dtype_name(t.scalar_type()), " on ", t.device());
    REEL_CHECK(t.sizes().equals(current.sizes()), m.name(), ": ", what, " hook changed the size of gradient ", i,
               " from ", current.sizes(), " to ", t.sizes());
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
        REEL_CHECK_TYPE(v.isNone() || v.isTensor(), m.name(), ": ", what, " hook returned a ", v.kind_name(),
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

void check_count(const Module& m, const char* what, std::size_t got, std::size_t expected) {
    REEL_CHECK(got == expected, m.name(), ": ", what, " hook returned ", got, " gradients, expected ", expected);
}
void check_count(const Module& m, const char* what, const Value& result, std::size_t expected) {
    check_count(m, what, result.elements().size(), expected);
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
        const Value r = record.fn(*s.module, none_inputs, s.grad_output);
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
            Value r = record.fn(*s.module, go);
            if (r.isNone()) return;
            r = as_tuple(r);
            check_count(*s.module, "full backward pre-", r, s.outputs.count);
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
        replace(*s.module, "full backward pre-", s.outputs, go, passed);
    }

private:
    void look_plain(const GradList& arrived, GradList& passed) {
        BackwardState& s = *state_;
        variable_list go(arrived.begin(), arrived.end());
        for_each_hook(s.pre_global, s.pre_local, [&](const auto& record) {
            auto r = record.fn.over_tensors(*s.module, go);
            if (!r) return;
            check_count(*s.module, "full backward pre-", r->size(), s.outputs.count);
            go = std::move(*r);
        });
        replace(*s.module, "full backward pre-", go, passed);
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
            Value r = record.fn(*s.module, gi, go);
            if (r.isNone()) return;
            r = as_tuple(r);
            check_count(*s.module, "full backward ", r, s.inputs.count);
            gi = std::move(r);
        });
        replace(*s.module, "full backward ", s.inputs, gi, passed);
    }

private:
    void look_plain(GradList& passed) {
        BackwardState& s = *state_;
        const variable_list go = std::exchange(s.grad_output_tensors, {});
        variable_list gi(passed.begin(), passed.end());
        bool replaced = false;
        for_each_hook(s.full_global, s.full_local, [&](const auto& record) {
            auto r = record.fn.over_tensors(*s.module, gi, go);
            if (!r) return;
            check_count(*s.module, "full backward ", r->size(), s.inputs.count);
            gi = std::move(*r);
            replaced = true;
        });
        if (replaced) replace(*s.module, "full backward ", gi, passed);
    }
    StatePtr state_;
};

/// Replaces the leaves of `values` by gated aliases. Returns null, leaving them alone, where nothing requires grad.
template <class Gate>
intrusive_ptr<HookGate> wrap(Args& values, const StatePtr& state, Slots& slots, bool reference,
                             SmallVector<std::pair<Tensor, Tensor>, 3>* aliases) {
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

/// B-40: the tensor whose node legacy hooks attach to.
Tensor first_tensor(Value v, const Module& m) {
    while (!v.isTensor()) {
        if (v.isGenericDict()) {
            const auto& d = v.toGenericDict();
            const auto it = std::find_if(d.begin(), d.end(), [](const auto& kv) { return kv.second.isTensor(); });
            REEL_CHECK_TYPE(it != d.end(), m.name(), ": legacy backward hook: the output dict holds no tensor");
            Value next = it->second;
            v = std::move(next);
        } else {
            REEL_CHECK_TYPE(v.isSequence() && !v.elements().empty(), m.name(),
                            ": legacy backward hook: cannot find a tensor in an output of type ", v.kind_name());
            Value next = v.elements()[0];
            v = std::move(next);
        }
    }
    return v.toTensor();
}

void attach_legacy(Module& m, const Value& result, const Snapshot<BackwardHook>& global,
                   const Snapshot<BackwardHook>& local) {
    const Tensor t = first_tensor(result, m);
    const autograd::NodePtr node = t.defined() ? t.grad_fn() : nullptr;
    if (!node) return;
    const std::weak_ptr<Module> weak = m.weak_from_this();
    const bool managed = !weak.expired();
    for_each_hook(global, local, [&](const auto& record) {
        node->register_posthook([hook = record.fn, weak, managed, raw = &m](
                                    const variable_list& gi, const variable_list& go) -> std::optional<variable_list> {
            const ModulePtr alive = weak.lock(); // B-44
            REEL_CHECK(!managed || alive, "legacy backward hook: its module was destroyed before the backward pass");
            const Value r = hook(*raw, tensors_to_tuple(gi), tensors_to_tuple(go));
            if (r.isNone()) return std::nullopt;
            REEL_CHECK_TYPE(r.isTuple(), raw->name(), ": legacy backward hook must return none or a tuple, got ",
                            r.kind_name());
            check_count(*raw, "legacy backward ", r, gi.size());
            return tuple_to_tensors(r);
        });
    });
}

/// One call in progress: what the rescue of C-27 must still see when something throws.
class Call {
public:
    Call(Module& m, Args args, Kwargs kwargs, ForwardRef forward)
        : module_(m), args_(std::move(args)), kwargs_(std::move(kwargs)), forward_(forward), global_(global_hooks()) {}

    Value run() {
        std::optional<autograd::TapePathScope> path;
        if (const std::string* p = recorded_path(module_)) path.emplace(*p);
        try {
            return sequence();
        } catch (...) {
            rescue();
            throw;
        }
    }

private:
    const CallHooks& local() const {
        static const CallHooks none;
        return module_.hook_tables() ? *module_.hook_tables() : none;
    }

    Value sequence() {
        const bool reference = hooks::reference_mode(), nested = !reference;
        const auto pre_global = snapshot(global_.backward_pre), pre_local = snapshot(local().backward_pre);
        Snapshot<BackwardHook> full_global, full_local, legacy_global, legacy_local;
        (global_.kind == BackwardKind::Legacy ? legacy_global : full_global) = snapshot(global_.backward);
        (local().kind == BackwardKind::Legacy ? legacy_local : full_local) = snapshot(local().backward);
        const bool has_full = full_global || full_local, has_pre = pre_global || pre_local;

        run_pre_hooks();

        StatePtr state;
        SmallVector<std::pair<Tensor, Tensor>, 3> aliases;
        if (has_full || has_pre) {
            state = StatePtr(new BackwardState);
            state->module = &module_;
            state->keep_alive = module_.weak_from_this().lock();
            state->over_tensors = true;
            for_each_hook(pre_global, pre_local,
                          [&](const auto& r) { state->over_tensors = state->over_tensors && r.fn.over_tensors; });
            for_each_hook(full_global, full_local,
                          [&](const auto& r) { state->over_tensors = state->over_tensors && r.fn.over_tensors; });
            state->pre_global = pre_global, state->pre_local = pre_local;
            state->full_global = full_global, state->full_local = full_local;
            state->nested = nested;
            state->has_full = has_full;
            const auto gate = wrap<InputGate>(args_, state, state->inputs, reference, reference ? nullptr : &aliases);
            state->inputs_wrapped = bool(gate);
            if (gate) autograd::announce_node(*gate);
        }
        result_ = forward_(args_, kwargs_);
        // In-place work on a gated alias is work on the caller's tensor: hand its history over.
        for (auto& [original, alias] : aliases)
            if (alias._version() != 0 && alias.impl()->grad_fn_unchecked() && original.grad_fn() &&
                alias.grad_fn()->name() != "BackwardHookGateBackward")
                original.impl()->set_history(alias.grad_fn(), std::uint32_t(alias.output_nr()));
        run_forward_hooks();
        if (state) wrap_outputs(state, reference, has_full || has_pre);
        if (legacy_global || legacy_local) attach_legacy(module_, result_, legacy_global, legacy_local);
        return result_;
    }

    void run_pre_hooks() {
        const auto g = snapshot(global_.forward_pre), l = snapshot(local().forward_pre);
        for_each_hook(g, l, [&](const auto& record) {
            const ForwardPreHook& hook = record.fn;
            Value r = hook.fn(module_, args_, kwargs_);
            if (r.isNone()) return;
            if (hook.with_kwargs) {
                REEL_CHECK(r.isTuple() && r.elements().size() == 2, module_.name(),
                           ": forward pre-hook with keyword arguments must return none or a tuple (args, kwargs), got ",
                           r.repr());
                const Value a = r.elements()[0], k = r.elements()[1];
                args_ = a.isSequence() ? a.elements() : Args{a};
                kwargs_ = k.toGenericDict();
            } else if (r.isTuple()) {
                args_ = r.elements();
            } else {
                args_ = Args{r};
            }
        });
    }

    void run_forward_hooks() {
        const auto g = snapshot(global_.forward), l = snapshot(local().forward);
        for_each_hook(g, l, [&](const auto& record) {
            if (record.fn.always_call) started_.push_back(record.id);
            Value r = record.fn.fn(module_, args_, kwargs_, result_);
            if (!r.isNone()) result_ = std::move(r);
        });
    }

    void wrap_outputs(const StatePtr& state, bool reference, bool warn) {
        const bool tuple = result_.isTuple();
        const bool single = !tuple;
        if (single && reference && !result_.isTensor()) {
            if (warn)
                REEL_WARN("backward hooks on ", module_.name(), " do not fire for an output of type ",
                          result_.kind_name(), "; return a Tensor or a tuple of Tensors");
        }
        Args outputs = tuple ? result_.elements() : Args{result_};
        const auto gate = wrap<OutputGate>(outputs, state, state->outputs, reference, nullptr);
        if (!gate) return;
        result_ = tuple ? Value::tuple(std::move(outputs)) : std::move(outputs[0]);
        autograd::announce_node(*gate);
    }

    /// C-27 to C-29: always-call hooks that have not started run with what there is; their results stay among them.
    void rescue() noexcept {
        const auto g = snapshot(global_.forward), l = snapshot(local().forward);
        for_each_hook(g, l, [&](const auto& record) {
            if (!record.fn.always_call || std::find(started_.begin(), started_.end(), record.id) != started_.end())
                return;
            try {
                Value r = record.fn.fn(module_, args_, kwargs_, result_);
                if (!r.isNone()) result_ = std::move(r);
            } catch (const std::exception& e) {
                REEL_WARN("forward hook on ", module_.name(),
                          " (always_call) failed while forward was already failing: ", e.what());
            } catch (...) {
                REEL_WARN("forward hook on ", module_.name(),
                          " (always_call) failed while forward was already failing");
            }
        });
    }

    Module& module_;
    Args args_;
    Kwargs kwargs_;
    ForwardRef forward_;
    const CallHooks& global_;
    Value result_;
    std::vector<std::uint64_t> started_;
};

} // namespace

Value call_with_hooks(Module& m, Args args, Kwargs kwargs, ForwardRef forward) {
    return Call(m, std::move(args), std::move(kwargs), forward).run();
}

void throw_argument_count(const Module& m, std::size_t expected, std::size_t got) {
    REEL_THROW(TypeError, m.name(), ": forward takes ", expected, " positional arguments, got ", got);
}
void throw_unexpected_kwargs(const Module& m, const Kwargs& kwargs) {
    REEL_THROW(TypeError, m.name(), ": forward got an unexpected keyword argument '",
               kwargs.begin()->first.toStringRef(), "'");
}

} // namespace reel::nn::detail

namespace reel::nn {

Value Module::forward_values(const Args& args, const Kwargs& kwargs) {
    REEL_CHECK_NOT_IMPLEMENTED(
        forward_thunk_, repr_name(),
        ": this module has no forward that can be called with values; "
        "give the class a single non-template forward and hold it by ModuleHolder or register_module, "
        "or override forward_values");
    return forward_thunk_(*this, args, kwargs);
}

Value Module::call_values(const Args& args, const Kwargs& kwargs) {
    if (!(hook_flag_ | detail::global_call_hooks.load(std::memory_order_relaxed))) [[likely]]
        return forward_values(args, kwargs);
    auto forward = [this](const Args& a, const Kwargs& k) { return forward_values(a, k); };
    return detail::call_with_hooks(*this, args, kwargs, detail::ForwardRef(forward));
}

} // namespace reel::nn
