// The call protocol: the exact sequence of rule C-3 and the life of the backward state of one call.
#include <reel/nn/call.hpp>

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/self_reporting_hook.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/nn/module_paths.hpp>

#include "module/backward/slots.hpp"
#include "module/backward/state.hpp"
#include "module/call/legacy_warnings.hpp"
#include "module/members.hpp"

namespace reel::nn::detail {

using autograd::HookKind;
using autograd::variable_list;
using autograd::impl::HookFiring;

namespace {

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

GradSlots numbered(const variable_list& grads) {
    GradSlots r;
    for (const Tensor& g : grads) r.push_back({std::to_string(r.size()), g});
    return r;
}
Value run_legacy(const BackwardHook& hook, Module& m, const variable_list& gi, const variable_list& go) {
    if (hook.fn) return hook.fn(m, tensors_to_tuple(gi), tensors_to_tuple(go));
    const auto r = hook.over_tensors ? hook.over_tensors(m, gi, go) : hook.over_slots(m, numbered(gi), numbered(go));
    return r ? tensors_to_tuple(*r) : Value();
}
void attach_legacy(Module& m, const Args& args, const Value& result, const Snapshot<BackwardHook>& global,
                   const Snapshot<BackwardHook>& local) {
    const Tensor t = first_tensor(result, m);
    const autograd::NodePtr node = t.defined() ? t.grad_fn() : nullptr;
    if (!node) return;
    warn_of_legacy_hooks(m, args, result, *node);
    const std::weak_ptr<Module> weak = m.weak_from_this();
    const bool managed = !weak.expired();
    for_each_hook(global, local, [&](const auto& record) {
        node->register_posthook(autograd::impl::SelfReportingHook{
            [hook = record.fn, id = record.id, weak, managed,
             raw = &m](const variable_list& gi, const variable_list& go) -> std::optional<variable_list> {
                const ModulePtr alive = weak.lock(); // B-44
                REEL_CHECK(!managed || alive,
                           "legacy backward hook: its module was destroyed before the backward pass");
                HookFiring firing({HookKind::LegacyBackward, id, raw}, [&] { return gi; });
                const Value r = firing.skip() ? Value() : run_legacy(hook, *raw, gi, go);
                firing.returned(!r.isNone(), [&] { return tensors_of(r); });
                if (r.isNone()) return std::nullopt;
                REEL_CHECK_TYPE(r.isTuple(), raw->name(), ": legacy backward hook must return none or a tuple, got ",
                                r.kind_name());
                check_count(*raw, "legacy backward hook", r.elements().size(), gi.size());
                for (const Value& v : r.elements()) // before the next hook runs
                    REEL_CHECK_TYPE(v.isNone() || v.isTensor(), raw->name(), ": legacy backward hook returned a ",
                                    v.kind_name(), " among its gradients; expected tensors or none");
                return tuple_to_tensors(r);
            }});
    });
}

/// The hooks of one module, or none.
const CallHooks& local_hooks(const Module& m) {
    static const CallHooks none;
    return m.hook_tables() ? *m.hook_tables() : none;
}

/// One call in progress: what the rescue of C-27 must still see when something throws.
class Call {
public:
    Call(Module& m, Args args, Kwargs kwargs, ForwardRef forward)
        : module_(m), args_(std::move(args)), kwargs_(std::move(kwargs)), forward_(forward), global_(global_hooks()) {}

    Value run() {
        std::optional<autograd::TapePathScope> path;
        if (const std::string* p = recorded_path(module_)) path.emplace(*p);
        const bool watched = autograd::impl::observed() && autograd::impl::has_observers();
        if (watched) autograd::impl::note_module_entered(&module_, tensors_of(Value::list(args_)));
        try {
            Value result = sequence();
            if (watched) {
                const variable_list outputs = tensors_of(result);
                autograd::impl::note_module_left(&module_, &outputs);
            }
            return result;
        } catch (ArgumentError& e) {
            e.within(module_);
            rescue();
            if (watched) autograd::impl::note_module_left(&module_, nullptr);
            throw;
        } catch (...) {
            rescue();
            if (watched) autograd::impl::note_module_left(&module_, nullptr);
            throw;
        }
    }

    /// Steps 6 and 7 of C-3 on what a forward over tensors returned.
    Value finish(Value result, const StatePtr& state, bool reference, const AliasList& aliases) {
        result_ = std::move(result);
        run_forward_hooks();
        if (state) wrap_result(state, reference, aliases);
        return result_;
    }
    /// C-27 to C-29: always-call hooks that have not started run with what there is; their results stay among them.
    void rescue() noexcept {
        const auto g = snapshot(global_.forward), l = snapshot(local().forward);
        for_each_hook(g, l, [&](const auto& record) {
            if (!record.fn.always_call || std::find(started_.begin(), started_.end(), record.id) != started_.end())
                return;
            try {
                HookFiring firing({HookKind::Forward, record.id, &module_}, [&] { return tensors_of(result_); });
                Value r = firing.skip() ? Value() : record.fn.fn(module_, args_, kwargs_, result_);
                firing.returned(!r.isNone(), [&] { return tensors_of(r); });
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

private:
    const CallHooks& local() const { return local_hooks(module_); }

    Value sequence() {
        const bool reference = hooks::reference_mode();
        BackwardHooks backward{snapshot(global_.backward_pre), snapshot(local().backward_pre), {}, {}};
        Snapshot<BackwardHook> legacy_global, legacy_local;
        (global_.kind == BackwardKind::Legacy ? legacy_global : backward.full_global) = snapshot(global_.backward);
        (local().kind == BackwardKind::Legacy ? legacy_local : backward.full_local) = snapshot(local().backward);

        run_pre_hooks();

        StatePtr state;
        AliasList aliases;
        if (backward) {
            state = StatePtr(new BackwardState(module_, std::move(backward), !reference));
            state->inputs = slots_of(args_, state->nested);
            wrap(args_, state->nested, [&](TensorList& tensors) {
                wrap_inputs(tensors, state, reference, aliases);
                return state->inputs_wrapped;
            });
        }
        result_ = forward_(args_, kwargs_);
        if (state) hand_back_history(aliases, state->input_gate);
        run_forward_hooks();
        if (state) wrap_result(state, reference, aliases);
        if (legacy_global || legacy_local) attach_legacy(module_, args_, result_, legacy_global, legacy_local);
        return result_;
    }

    /// Lets `put_gate` replace the tensors in `values`; it says whether it did.
    template <class F> static void wrap(Args& values, bool nested, F put_gate) {
        std::vector<Tensor> found;
        for (const Value& v : values) collect_leaves(v, nested, found);
        TensorList leaves{ArrayRef<Tensor>(found)};
        if (!put_gate(leaves)) return;
        std::size_t next = 0;
        for (Value& v : values) v = with_leaves(v, nested, leaves, next);
    }

    void run_pre_hooks() {
        const auto g = snapshot(global_.forward_pre), l = snapshot(local().forward_pre);
        for_each_hook(g, l, [&](const auto& record) {
            const ForwardPreHook& hook = record.fn;
            HookFiring firing({HookKind::ForwardPre, record.id, &module_},
                              [&] { return tensors_of(Value::list(args_)); });
            Value r = firing.skip() ? Value() : hook.fn(module_, args_, kwargs_);
            firing.returned(!r.isNone(), [&] { return tensors_of(r); });
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
            HookFiring firing({HookKind::Forward, record.id, &module_}, [&] { return tensors_of(result_); });
            Value r = firing.skip() ? Value() : record.fn.fn(module_, args_, kwargs_, result_);
            firing.returned(!r.isNone(), [&] { return tensors_of(r); });
            if (!r.isNone()) result_ = std::move(r);
        });
    }

    void wrap_result(const StatePtr& state, bool reference, const AliasList& aliases) {
        const bool tuple = result_.isTuple();
        if (reference && !tuple && !result_.isTensor())
            REEL_WARN("backward hooks on ", module_.name(), " do not fire for an output of type ", result_.kind_name(),
                      "; return a Tensor or a tuple of Tensors");
        Args outputs = tuple ? result_.elements() : Args{result_};
        state->outputs = slots_of(outputs, state->nested);
        bool wrapped = false;
        wrap(outputs, state->nested,
             [&](TensorList& tensors) { return wrapped = wrap_outputs(tensors, state, reference, aliases); });
        if (wrapped) result_ = tuple ? Value::tuple(std::move(outputs)) : std::move(outputs[0]);
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
    const CallScope scope(m);
    return Call(m, std::move(args), std::move(kwargs), forward).run();
}

namespace {
Args to_values(const Tensor* const* args, std::size_t n) {
    Args values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i) values.push_back(pack(*args[i]));
    return values;
}
Tensor call_over_values(Module& m, const Tensor* const* args, const Parameters& p, TensorForwardRef forward) {
    auto through = [&](const Args& a, const Kwargs& k) -> Value {
        Args storage;
        const Args& all = bind_arguments(m, p, a, k, storage);
        TensorList tensors;
        for (std::size_t i = 0; i < p.count; ++i) try {
                tensors.push_back(unpack<Tensor>(all[i]));
            } catch (const TypeError& e) {
                throw_argument(m, p, i, e);
            }
        return pack(forward(tensors.data()));
    };
    const Value r = call_with_hooks(m, to_values(args, p.count), Kwargs(), ForwardRef(through));
    try {
        return unpack<Tensor>(r);
    } catch (const TypeError& e) {
        throw_result(m, e);
    }
}
} // namespace

Tensor call_with_hooks(Module& m, const Tensor* const* args, const Parameters& p, TensorForwardRef forward) {
    const CallScope scope(m);
    // The same sequence without values, for backward hooks alone: what watches or changes values takes the other way.
    const CallHooks &global = global_hooks(), &local = local_hooks(m);
    bool lean = global.kind != BackwardKind::Legacy && local.kind != BackwardKind::Legacy &&
                !(autograd::impl::observed() && autograd::impl::has_observers()) && !recorded_path(m) &&
                !any(global.forward_pre) && !any(local.forward_pre) && !any(global.forward) && !any(local.forward);
    for (std::size_t i = 0; i < p.count; ++i) lean = lean && args[i]->defined();
    if (!lean) return call_over_values(m, args, p, forward);

    const bool reference = hooks::reference_mode();
    BackwardHooks backward{snapshot(global.backward_pre), snapshot(local.backward_pre), snapshot(global.backward),
                           snapshot(local.backward)};
    TensorList tensors;
    for (std::size_t i = 0; i < p.count; ++i) tensors.push_back(*args[i]);
    StatePtr state;
    Tensor result;
    // Forward may have registered forward hooks: those belong to this call (C-4).
    std::optional<Call> late;
    auto no_forward = [](const Args&, const Kwargs&) -> Value { return {}; };
    const auto hooks_came = [&] {
        if (!any(global_hooks().forward) && !any(local_hooks(m).forward)) [[likely]]
            return false;
        Args values;
        for (const Tensor& t : tensors) values.push_back(pack(t));
        late.emplace(m, std::move(values), Kwargs(), ForwardRef(no_forward));
        return true;
    };
    const auto rescue = [&] {
        if (late || hooks_came()) late->rescue();
    };
    try {
        AliasList aliases;
        if (backward) {
            state = StatePtr(new BackwardState(m, std::move(backward), !reference));
            state->inputs.count = p.count;
            state->outputs.count = 1;
            state->inputs.all_tensors = state->outputs.all_tensors = true;
            wrap_inputs(tensors, state, reference, aliases);
        }
        result = forward(tensors.data());
        if (state) hand_back_history(aliases, state->input_gate);
        if (hooks_came()) return unpack<Tensor>(late->finish(pack(result), state, reference, aliases));
        if (state && result.defined()) wrap_output(result, state, reference, aliases);
        return result;
    } catch (ArgumentError& e) {
        e.within(m);
        rescue();
        throw;
    } catch (...) {
        rescue();
        throw;
    }
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
    if (!(call_flags_ | detail::global_call_hooks.load(std::memory_order_relaxed))) [[likely]]
        try {
            return forward_values(args, kwargs);
        } catch (ArgumentError& e) {
            e.within(*this);
            throw;
        }
    auto forward = [this](const Args& a, const Kwargs& k) { return forward_values(a, k); };
    return detail::call_with_hooks(*this, args, kwargs, detail::ForwardRef(forward));
}

} // namespace reel::nn
