// Registering and removing hooks of every kind.
#include "hooks/interp.hpp"

#include <reel/autograd/hooks.hpp>
#include <reel/nn/detail/module_access.hpp>

namespace replay {

using namespace reel;
using reel::autograd::variable_list;

namespace {

Value tuple_of(const variable_list& grads) {
    std::vector<Value> e;
    for (const Tensor& g : grads) e.push_back(none_if_undefined(g));
    return Value::tuple(std::move(e));
}
/// The event's form of a node's gradients: trailing nones are left out.
json::value trimmed(Interp& i, const Value& tuple) {
    std::vector<Value> e = tuple.elements();
    while (!e.empty() && e.back().isNone()) e.pop_back();
    return i.to_json(Value::tuple(std::move(e)));
}
std::optional<variable_list> node_result(const Value& v, const variable_list& before) {
    if (v.isNone()) return std::nullopt;
    REEL_CHECK_TYPE(v.isTuple(), "node hook must return none or a tuple, got ", v.kind_name());
    // Their number comes before what they are (T-22).
    REEL_CHECK(v.elements().size() == before.size(), "node hook returned ", v.elements().size(),
               " gradients, expected ", before.size());
    variable_list r;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Value& e = v.elements()[i];
        REEL_CHECK(e.isNone() || before[i].defined(), "node hook replaced an absent gradient");
        REEL_CHECK_TYPE(e.isNone() || e.isTensor(), "node hook returned a ", e.kind_name(), " among its gradients");
        r.push_back(e.isTensor() ? e.toTensor() : Tensor());
    }
    return r;
}

nn::ForwardPreHook forward_pre(Interp& i, const std::string& label, bool with_kwargs) {
    return {[&i, label, with_kwargs](Module& m, const Args& args, const Kwargs& kwargs) {
                const Value a = Value::tuple(args);
                std::vector<std::pair<std::string, Value>> names{{"args", a}};
                json::array event{i.to_json(a)};
                if (with_kwargs) {
                    names.emplace_back("kwargs", Value(kwargs));
                    event.push_back(i.to_json(names.back().second));
                }
                return i.fire(label, &m, std::move(names), std::move(event));
            },
            with_kwargs};
}
nn::ForwardHook forward(Interp& i, const std::string& label, bool with_kwargs, bool always_call) {
    return {[&i, label, with_kwargs](Module& m, const Args& args, const Kwargs& kwargs, const Value& out) {
                const Value a = Value::tuple(args);
                std::vector<std::pair<std::string, Value>> names{{"args", a}};
                json::array event{i.to_json(a)};
                if (with_kwargs) {
                    names.emplace_back("kwargs", Value(kwargs));
                    event.push_back(i.to_json(names.back().second));
                }
                names.emplace_back("out", out);
                event.push_back(i.to_json(out));
                return i.fire(label, &m, std::move(names), std::move(event));
            },
            with_kwargs, always_call};
}
nn::BackwardPreHook backward_pre(Interp& i, const std::string& label) {
    return {[&i, label](Module& m, const Value& go) {
        return i.fire(label, &m, {{"grad_output", go}}, {i.to_json(go)});
    }};
}
nn::BackwardHook backward(Interp& i, const std::string& label, bool full) {
    return {[&i, label, full](Module& m, const Value& gi, const Value& go) {
        return i.fire(label, &m, {{"grad_input", gi}, {"grad_output", go}},
                      {full ? i.to_json(gi) : trimmed(i, gi), i.to_json(go)});
    }};
}
nn::RegistrationHook registration(Interp& i, const std::string& label) {
    return [&i, label](Module& m, const std::string& name, const Value& value) {
        return i.fire(label, &m, {{"name", Value(name)}, {"value", value}}, {json::string(name), i.to_json(value)});
    };
}

RemovableHandle on_module(Interp& i, Frame& f, const json::object& ins, const std::string& kind,
                          const std::string& label) {
    const bool prepend = flag(ins, "prepend", false), with_kwargs = flag(ins, "with_kwargs", false),
               always = flag(ins, "always_call", false);
    if (flag(ins, "global", false)) {
        if (kind == "forward_pre") return nn::detail::add_global(forward_pre(i, label, with_kwargs));
        if (kind == "forward") return nn::detail::add_global(forward(i, label, with_kwargs, always));
        if (kind == "full_backward_pre") return nn::detail::add_global(backward_pre(i, label));
        if (kind == "full_backward") return nn::detail::add_global(backward(i, label, true), true);
        if (kind == "backward") return nn::detail::add_global(backward(i, label, false), false);
        if (kind == "parameter_registration")
            return nn::register_module_parameter_registration_hook(registration(i, label));
        if (kind == "buffer_registration") return nn::register_module_buffer_registration_hook(registration(i, label));
        if (kind == "module_registration") return nn::register_module_module_registration_hook(registration(i, label));
        i.give_up("global " + kind);
    }
    const ModulePtr m = i.module(ins, f);
    using Access = nn::detail::ModuleAccess;
    if (kind == "forward_pre") return Access::add(*m, forward_pre(i, label, with_kwargs), prepend);
    if (kind == "forward") return Access::add(*m, forward(i, label, with_kwargs, always), prepend);
    if (kind == "full_backward_pre") return Access::add(*m, backward_pre(i, label), prepend);
    if (kind == "full_backward") return Access::add(*m, backward(i, label, true), prepend, true);
    if (kind == "backward") return Access::add(*m, backward(i, label, false), prepend, false);
    if (kind.find("state_dict") != std::string::npos) return register_state_hook(i, kind, label, m);
    i.give_up("hook kind " + kind);
}

RemovableHandle on_tensor(Interp& i, Frame& f, const json::object& ins, const std::string& kind,
                          const std::string& label) {
    const Tensor t = i.tensor_operand(ins.at("on"), f);
    if (kind == "tensor")
        return t.register_hook([&i, label](const Tensor& g) -> Tensor {
            const Value v = none_if_undefined(g), r = i.fire(label, nullptr, {{"grad", v}}, {i.to_json(v)});
            REEL_CHECK(r.isNone() || g.defined(), "tensor hook replaced an absent gradient"); // T-3: before its type
            REEL_CHECK_TYPE(r.isNone() || r.isTensor(), "tensor hook must return none or a Tensor, got ",
                            r.kind_name());
            return r.isTensor() ? r.toTensor() : Tensor();
        });
    if (kind == "post_accumulate")
        return autograd::register_post_accumulate_grad_hook_returning(t, [&i, label](const Tensor& leaf) -> Tensor {
            const Value v(leaf), g = none_if_undefined(leaf.mutable_grad());
            const Value r = i.fire(label, nullptr, {{"tensor", v}}, {i.to_json(v), i.to_json(g)});
            REEL_CHECK_TYPE(r.isNone() || r.isTensor(), "post-accumulate-grad hook must return none, got ",
                            r.kind_name());
            return r.isTensor() ? r.toTensor() : Tensor();
        });
    if (!t.requires_grad()) throw Skip{};
    const autograd::NodePtr node = autograd::gradient_edge(t).function;
    if (!node) throw Skip{};
    if (node->is_accumulator()) i.kept_nodes.push_back(node);
    if (kind == "node_pre")
        return node->register_prehook([&i, label](const variable_list& go) {
            const Value v = tuple_of(go);
            return node_result(i.fire(label, nullptr, {{"grad_output", v}}, {i.to_json(v)}), go);
        });
    if (kind == "node_post")
        return node->register_posthook([&i, label](const variable_list& gi, const variable_list& go) {
            const Value in = tuple_of(gi), out = tuple_of(go);
            return node_result(
                i.fire(label, nullptr, {{"grad_input", in}, {"grad_output", out}}, {trimmed(i, in), i.to_json(out)}),
                gi);
        });
    i.give_up("hook kind " + kind);
}

RemovableHandle on_several(Interp& i, Frame& f, const json::object& ins, const std::string& label) {
    variable_list tensors;
    for (const auto& t : ins.at("tensors").as_array()) tensors.push_back(i.tensor_operand(t, f));
    const std::string mode = text(ins, "mode", "all");
    if (mode == "any")
        return autograd::register_multi_grad_hook_any(tensors, [&i, label](const Tensor& g) {
            const Value v = none_if_undefined(g);
            i.fire(label, nullptr, {{"grads", v}}, {i.to_json(v)});
        });
    REEL_CHECK_VALUE(mode == "all", "register_multi_grad_hook: mode must be all or any, got ", mode);
    return autograd::register_multi_grad_hook(tensors, [&i, label](const variable_list& grads) {
        const Value v = Value::list(tuple_of(grads).elements());
        i.fire(label, nullptr, {{"grads", v}}, {i.to_json(v)});
    });
}

} // namespace

void add_hook_instructions(InstructionTable& t) {
    t["register"] = [](Interp& i, Frame& f, const json::object& ins) {
        const std::string kind = text(ins, "kind"), label = text(ins, "hook");
        const RemovableHandle h = kind == "multi"      ? on_several(i, f, ins, label)
                                  : ins.contains("on") ? on_tensor(i, f, ins, kind, label)
                                                       : on_module(i, f, ins, kind, label);
        i.handles[text(ins, "handle", label.c_str())] = h;
        return Value();
    };
    t["remove"] = [](Interp& i, Frame&, const json::object& ins) {
        const auto it = i.handles.find(text(ins, "handle"));
        if (it == i.handles.end()) throw Skip{};
        it->second.remove();
        return Value();
    };
    t["handle_order"] = [](Interp& i, Frame&, const json::object& ins) {
        bool increasing = true;
        std::uint64_t last = 0;
        for (const auto& name : ins.at("handles").as_array()) {
            const auto it = i.handles.find(std::string(name.as_string()));
            if (it == i.handles.end()) throw Skip{};
            increasing = increasing && it->second.id() > last;
            last = it->second.id();
        }
        return Value(increasing);
    };
}

} // namespace replay
