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

using autograd::NodePostHook;

namespace {

/// What one call remembers for its backward (B-10, B-11). Owned by the posthooks of its two gates.
struct BackwardState {
    Module* module;
    ModulePtr keep_alive; // null for modules on the stack
    Snapshot<BackwardPreHook> pre_global, pre_local;
    Snapshot<BackwardHook> full_global, full_local;
    bool nested = false, has_full = false;
    Args inputs, outputs; // structure only: leaves are dropped
    bool inputs_wrapped = false;
    // grad_output of the running pass (B-31: keyed by the pass, so a stale one is never used).
    Value grad_output;
    std::int64_t pass = -1;
};
using StatePtr = std::shared_ptr<BackwardState>;

/// Keeps the shape of arguments without keeping their tensors alive.
Args skeleton(const Args& args, bool nested) {
    Args r;
    for (const Value& v : args) {
        std::vector<Tensor> leaves;
        collect_leaves(v, nested, leaves);
        if (leaves.empty()) {
            r.emplace_back();
            continue;
        }
        for (Tensor& t : leaves) t = Tensor();
        // Leaves become undefined tensors: still of kind Tensor, holding nothing.
        std::size_t next = 0;
        r.push_back(with_leaves(v, nested, leaves, next));
    }
    return r;
}

Value gradient_tuple(const Args& structure, bool nested, const std::vector<Tensor>& grads) {
    std::vector<Value> e;
    std::size_t next = 0;
    for (const Value& v : structure) e.push_back(gradients_for(v, nested, grads, next));
    return Value::tuple(std::move(e));
}

/// B-20: checks replacements against the gate's own outgoing gradients.
variable_list validated(const Module& m, const char* what, const Args& structure, bool nested, const Value& tuple,
                        const variable_list& current) {
    std::vector<Value> entries;
    for (std::size_t i = 0; i < structure.size(); ++i)
        extract_gradients(structure[i], nested, tuple.elements()[i], entries);
    variable_list out(current.size());
    for (std::size_t i = 0; i < current.size(); ++i) {
        const Value& v = entries[i];
        if (v.isNone()) continue;
        REEL_CHECK_TYPE(v.isTensor(), m.name(), ": ", what, " hook returned a ", v.kind_name(), " as gradient ", i,
                        ", expected a Tensor or none");
        const Tensor& t = v.toTensor();
        if (!t.defined()) continue;
        const Tensor& c = current[i];
        REEL_CHECK(c.defined(), m.name(), ": ", what, " hook returned a gradient at position ", i,
                   " where there is none to replace");
        REEL_CHECK(t.scalar_type() == c.scalar_type() && t.device().type() == c.device().type(), m.name(), ": ", what,
                   " hook changed the type of gradient ", i, " from ", dtype_name(c.scalar_type()), " on ", c.device(),
                   " to ", dtype_name(t.scalar_type()), " on ", t.device());
        REEL_CHECK(t.sizes().equals(c.sizes()), m.name(), ": ", what, " hook changed the size of gradient ", i,
                   " from ", c.sizes(), " to ", t.sizes());
        out[i] = t;
    }
    return out;
}

void check_count(const Module& m, const char* what, const Value& result, std::size_t expected) {
    const std::size_t got = result.isSequence() ? result.elements().size() : 1;
    REEL_CHECK(result.isSequence() && got == expected, m.name(), ": ", what, " hook returned ", got,
               " gradients, expected ", expected);
}
/// A single gradient may be returned bare when there is one slot.
Value as_tuple(const Value& v) { return v.isSequence() ? v : Value::tuple({v}); }

void run_full_hooks_at_output(BackwardState& s) {
    Value none_inputs = Value::tuple(std::vector<Value>(s.inputs.size()));
    if (s.has_full)
        REEL_WARN_ONCE(
            "full backward hook on ", s.module->name(),
            " fires when the gradient of its outputs is known, before the module is differentiated, because no "
            "input requires grad; make an input require grad to see grad_input");
    for_each_hook(s.full_global, s.full_local, [&](const auto& record) {
        const Value r = record.fn.fn(*s.module, none_inputs, s.grad_output);
        const bool only_nones = r.isNone() || (r.isTuple() && std::all_of(r.elements().begin(), r.elements().end(),
                                                                          [](const Value& v) { return v.isNone(); }));
        REEL_CHECK(only_nones, s.module->name(), ": full backward hook returned ", r.repr(),
                   ", but no input of the module requires grad, so there is no gradient to replace; return none");
    });
}

NodePostHook output_hook(StatePtr state) {
    return
        [state](const variable_list& grad_inputs, const variable_list& grad_outputs) -> std::optional<variable_list> {
            BackwardState& s = *state;
            Value go = gradient_tuple(s.outputs, s.nested, grad_outputs);
            for_each_hook(s.pre_global, s.pre_local, [&](const auto& record) {
                Value r = record.fn.fn(*s.module, go);
                if (r.isNone()) return;
                r = as_tuple(r);
                check_count(*s.module, "full backward pre-", r, s.outputs.size());
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
            return validated(*s.module, "full backward pre-", s.outputs, s.nested, go, grad_inputs);
        };
}

NodePostHook input_hook(StatePtr state) {
    return [state](const variable_list& grad_inputs, const variable_list&) -> std::optional<variable_list> {
        BackwardState& s = *state;
        if (s.pass != autograd::current_graph_task_id() || s.pass < 0) return std::nullopt; // B-11.1, B-31, B-32
        const Value go = std::exchange(s.grad_output, Value());
        s.pass = -1;
        Value gi = gradient_tuple(s.inputs, s.nested, grad_inputs);
        for_each_hook(s.full_global, s.full_local, [&](const auto& record) {
            Value r = record.fn.fn(*s.module, gi, go);
            if (r.isNone()) return;
            r = as_tuple(r);
            check_count(*s.module, "full backward ", r, s.inputs.size());
            gi = std::move(r);
        });
        return validated(*s.module, "full backward ", s.inputs, s.nested, gi, grad_inputs);
    };
}

/// Replaces the leaves of `values` by gated aliases; remembers the structure.
bool wrap(Args& values, bool nested, bool reference, Args& structure, std::vector<std::pair<Tensor, Tensor>>* aliases,
          intrusive_ptr<HookGate>& gate) {
    std::vector<Tensor> leaves;
    for (const Value& v : values) collect_leaves(v, nested, leaves);
    const std::vector<Tensor> originals = leaves;
    structure = skeleton(values, nested);
    gate = wrap_with_gate(leaves, reference);
    if (!gate) return false;
    std::size_t next = 0;
    for (Value& v : values) v = with_leaves(v, nested, leaves, next);
    if (aliases)
        for (std::size_t i = 0; i < leaves.size(); ++i) aliases->emplace_back(originals[i], leaves[i]);
    return true;
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
        node->register_posthook([fn = record.fn.fn, weak, managed, raw = &m](
                                    const variable_list& gi, const variable_list& go) -> std::optional<variable_list> {
            const ModulePtr alive = weak.lock(); // B-44
            REEL_CHECK(!managed || alive, "legacy backward hook: its module was destroyed before the backward pass");
            const Value r = fn(*raw, tensors_to_tuple(gi), tensors_to_tuple(go));
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
        std::vector<std::pair<Tensor, Tensor>> aliases;
        if (has_full || has_pre) {
            state = std::make_shared<BackwardState>();
            state->module = &module_;
            state->keep_alive = module_.weak_from_this().lock();
            state->pre_global = pre_global, state->pre_local = pre_local;
            state->full_global = full_global, state->full_local = full_local;
            state->nested = nested;
            state->has_full = has_full;
            intrusive_ptr<HookGate> gate;
            state->inputs_wrapped = wrap(args_, nested, reference, state->inputs, reference ? nullptr : &aliases, gate);
            if (gate) {
                gate->register_posthook(input_hook(state));
                autograd::announce_node(*gate);
            }
        }
        result_ = forward_(args_, kwargs_);
        // In-place work on a gated alias is work on the caller's tensor: hand its history over.
        for (auto& [original, alias] : aliases)
            if (alias.impl()->grad_fn_unchecked() && original.grad_fn() && alias._version() != 0 &&
                alias.grad_fn()->name() != "BackwardHookGateBackward")
                original.impl()->set_history(alias.grad_fn(), std::uint32_t(alias.output_nr()));
        run_forward_hooks();
        if (state) wrap_outputs(state, nested, reference, has_full || has_pre);
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

    void wrap_outputs(const StatePtr& state, bool nested, bool reference, bool warn) {
        const bool tuple = result_.isTuple();
        const bool single = !tuple;
        if (single && reference && !result_.isTensor()) {
            if (warn)
                REEL_WARN("backward hooks on ", module_.name(), " do not fire for an output of type ",
                          result_.kind_name(), "; return a Tensor or a tuple of Tensors");
        }
        Args outputs = tuple ? result_.elements() : Args{result_};
        intrusive_ptr<HookGate> gate;
        if (!wrap(outputs, nested, reference, state->outputs, nullptr, gate)) return;
        result_ = tuple ? Value::tuple(std::move(outputs)) : std::move(outputs[0]);
        gate->register_posthook(output_hook(state));
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
