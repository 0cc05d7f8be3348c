// Custom functions and checkpointed calls of a scenario.
#include "hooks/interp.hpp"

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/function.hpp>

namespace replay {

using namespace reel;
using reel::autograd::variable_list;

namespace {

std::vector<std::string> names(const json::object& o, std::string_view field) {
    std::vector<std::string> r;
    if (const json::value* list = o.if_contains(field))
        for (const auto& n : list->as_array()) r.emplace_back(n.as_string());
    return r;
}
/// The tensors that `names` stand for in the forward scope.
variable_list tensors_of(const std::vector<std::string>& wanted, const Frame& f) {
    variable_list r;
    for (const std::string& n : wanted) {
        const auto it = f.names.find(n);
        r.push_back(it != f.names.end() && it->second.isTensor() ? it->second.toTensor() : Tensor());
    }
    return r;
}

} // namespace

Value apply_function(Interp& interp, const std::string& name, const Args& args) {
    const json::object& d = interp.scenario.at("functions").as_object().at(name).as_object();
    const std::vector<std::string> inputs = names(d, "inputs"), save = names(d, "save");
    std::vector<std::optional<Tensor>> arguments;
    std::vector<Value> needs;
    std::vector<std::pair<std::string, Value>> plain; // the inputs that are not tensors
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Value v = i < args.size() ? args[i] : Value();
        if (v.isTensor()) arguments.emplace_back(v.toTensor());
        else {
            arguments.emplace_back(std::nullopt);
            plain.emplace_back(inputs[i], v);
        }
        needs.emplace_back(v.isTensor() && v.toTensor().requires_grad());
    }
    Value result;
    autograd::impl::FunctionRules rules;
    rules.name = name;
    rules.once_differentiable = flag(d, "once", false);
    rules.forward = [&](autograd::AutogradContext* ctx) {
        Frame f;
        for (std::size_t i = 0; i < inputs.size() && i < args.size(); ++i) f.names[inputs[i]] = args[i];
        result = interp.run_body(d.at("forward").as_array(), f);
        ctx->set_materialize_grads(flag(d, "materialize", true));
        ctx->save_for_backward(tensors_of(save, f));
        ctx->mark_dirty(tensors_of(names(d, "dirty"), f));
        ctx->mark_non_differentiable(tensors_of(names(d, "nondiff"), f));
        variable_list out;
        if (!result.isTuple()) out.push_back(result.isTensor() ? result.toTensor() : Tensor());
        else
            for (const Value& v : result.elements()) out.push_back(v.isTensor() ? v.toTensor() : Tensor());
        return out;
    };
    rules.backward = [&interp, &d, save, needs, plain, n = inputs.size()](autograd::AutogradContext* ctx,
                                                                          variable_list grads) {
        Frame f;
        for (const auto& [key, value] : plain) f.names[key] = value;
        const variable_list saved = save.empty() ? variable_list() : ctx->get_saved_variables();
        for (std::size_t i = 0; i < saved.size(); ++i) f.names[save[i]] = none_if_undefined(saved[i]);
        std::vector<Value> g;
        for (const Tensor& t : grads) g.push_back(none_if_undefined(t));
        f.names["grads"] = Value::tuple(std::move(g));
        f.names["needs"] = Value::tuple(needs);
        const Value r = interp.run_body(d.at("backward").as_array(), f);
        variable_list out;
        for (const Value& v : r.isTuple() ? r.elements() : std::vector<Value>{r}) {
            REEL_CHECK(v.isNone() || v.isTensor(), "backward of a Function returned a ", v.kind_name(),
                       " among its gradients");
            out.push_back(v.isTensor() ? v.toTensor() : Tensor());
        }
        return out;
    };
    const variable_list outputs = autograd::impl::apply_function(std::move(rules), arguments);
    if (!result.isTuple()) return result.isTensor() ? Value(outputs[0]) : result;
    std::vector<Value> e = result.elements();
    for (std::size_t i = 0; i < e.size(); ++i)
        if (e[i].isTensor()) e[i] = Value(outputs[i]);
    return Value::tuple(std::move(e));
}

Value checkpointed_call(Module& m, const Args& args, const Kwargs& kwargs, bool early_stop) {
    autograd::CheckpointOptions options;
    options.early_stop = early_stop;
    return autograd::checkpoint(
        options, [module = m.shared_from_this(), kwargs](const Args& a) { return module->call_values(a, kwargs); },
        args);
}

} // namespace replay
