// The call protocol: the exact sequence of rule C-3 and the life of the backward state of one call.
#include <reel/nn/call.hpp>

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/nn/module_paths.hpp>

#include "module/backward_state.hpp"
#include "module/slots.hpp"

namespace reel::nn::detail {

using autograd::HookKind;
using autograd::variable_list;
using autograd::impl::HookFiring;

namespace {

/// For observers.
variable_list tensors_of(const Value& v) {
    std::vector<Tensor> r;
    collect_leaves(v, true, r);
    return r;
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
            check_count(*raw, "legacy backward hook", r.elements().size(), gi.size());
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
        const bool watched = autograd::impl::observed() && autograd::impl::has_observers();
        if (watched) autograd::impl::note_module_entered(&module_, tensors_of(Value::list(args_)));
        try {
            Value result = sequence();
            if (watched) {
                const variable_list outputs = tensors_of(result);
                autograd::impl::note_module_left(&module_, &outputs);
            }
            return result;
        } catch (...) {
            rescue();
            if (watched) autograd::impl::note_module_left(&module_, nullptr);
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
        AliasList aliases;
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
            const auto gate = wrap_inputs(args_, state, reference, reference ? nullptr : &aliases);
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

    void wrap_outputs(const StatePtr& state, bool reference, bool warn) {
        const bool tuple = result_.isTuple();
        const bool single = !tuple;
        if (single && reference && !result_.isTensor()) {
            if (warn)
                REEL_WARN("backward hooks on ", module_.name(), " do not fire for an output of type ",
                          result_.kind_name(), "; return a Tensor or a tuple of Tensors");
        }
        Args outputs = tuple ? result_.elements() : Args{result_};
        const auto gate = detail::wrap_outputs(outputs, state, reference);
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
