// Where legacy hooks are attached, and what they will miss there.
#include "module/call/legacy_hooks.hpp"

#include <algorithm>
#include <unordered_set>

#include <reel/autograd/detail/self_reporting_hook.hpp>
#include <reel/autograd/node.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/fire.hpp"

namespace reel::nn::detail {

namespace {
using Nodes = std::unordered_set<const autograd::Node*>;

bool all_tensors(const std::vector<Value>& values) {
    return std::all_of(values.begin(), values.end(), [](const Value& v) { return v.isTensor(); });
}
Nodes makers(const std::vector<Value>& tensors) {
    Nodes r;
    for (const Value& v : tensors)
        if (const Tensor t = v.toTensor(); t.defined())
            if (const autograd::NodePtr fn = t.grad_fn()) r.insert(fn.get());
    return r;
}
void warn_of(const Module& m, const char* what, const char* missing) {
    REEL_WARN_DEPRECATION(m.name(), ": a non-full backward hook runs although ", what, "; it will miss some of ",
                          missing, ". Use register_full_backward_hook");
}

/// B-43: warns when hooks on `node` alone, which made the first tensor of `result`, cannot see the module's gradients
/// whole: structures around tensors, several nodes behind the results, several nodes between arguments and results. The
/// last is a heuristic, which also warns of one operation on a leaf.
void warn_of_legacy_hooks(const Module& m, const Args& args, const Value& result, const autograd::Node& node) {
    const bool one = result.isTensor();
    if (!one && !(result.isTuple() && all_tensors(result.elements())))
        return warn_of(m, "the module returns neither a tensor nor a tuple of tensors", "grad_output");
    if (!all_tensors(args)) return warn_of(m, "not all of the module's arguments are tensors", "grad_input");
    const Nodes out = one ? makers({result}) : makers(result.elements());
    if (out.size() > 1) return warn_of(m, "several nodes made the module's results", "grad_output");
    Nodes behind;
    for (std::uint32_t i = 0; i < node.num_outputs(); ++i) behind.insert(node.next_edge(i).function.get());
    if (behind != makers(args))
        warn_of(m, "several nodes lie between the module's arguments and its result", "grad_input");
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

/// One such hook on its node.
class LegacyHook {
public:
    LegacyHook(const HookTable<BackwardHook>::Record& record, Module& m)
        : hook_(record.fn), id_(record.id), module_(&m), alive_(m.weak_from_this()), managed_(!alive_.expired()) {}
    std::optional<variable_list> operator()(const variable_list& gi, const variable_list& go) const {
        const ModulePtr alive = alive_.lock(); // B-44
        REEL_CHECK(!managed_ || alive, "legacy backward hook: its module was destroyed before the backward pass");
        const Value r = fire(
            {autograd::HookKind::LegacyBackward, id_, module_}, [&] { return gi; },
            [&] { return run_legacy(hook_, *module_, gi, go); });
        if (r.isNone()) return std::nullopt;
        check_returned(r, gi.size()); // before the next hook runs
        return tuple_to_tensors(r);
    }

private:
    void check_returned(const Value& r, std::size_t expected) const {
        REEL_CHECK_TYPE(r.isTuple(), module_->name(), ": legacy backward hook must return none or a tuple, got ",
                        r.kind_name());
        REEL_CHECK(r.elements().size() == expected, module_->name(), ": legacy backward hook returned ",
                   r.elements().size(), " gradients, expected ", expected);
        for (const Value& v : r.elements())
            REEL_CHECK_TYPE(v.isNone() || v.isTensor(), module_->name(), ": legacy backward hook returned a ",
                            v.kind_name(), " among its gradients; expected tensors or none");
    }
    BackwardHook hook_;
    std::uint64_t id_;
    Module* module_;
    std::weak_ptr<Module> alive_;
    bool managed_; ///< by a shared_ptr: then it must live
};
} // namespace

void attach_legacy_hooks(const Snapshots<BackwardHook>& hooks, Module& m, const CallValues& call) {
    const Tensor t = first_tensor(call.result, m);
    const autograd::NodePtr node = t.defined() ? t.grad_fn() : nullptr;
    if (!node) return;
    warn_of_legacy_hooks(m, call.args, call.result, *node);
    for_each_hook(hooks.global, hooks.local, [&](const auto& record) {
        node->register_posthook(autograd::impl::SelfReportingHook{LegacyHook(record, m)});
    });
}

} // namespace reel::nn::detail
