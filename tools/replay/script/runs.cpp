#include "script/runs.hpp"

#include <iostream>
#include <map>
#include <sstream>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>

#include "common/case_file.hpp"
#include "script/notation.hpp"

namespace replay::script {

using namespace reel;

namespace {
/// What the script prints goes to a text while this lives.
class Printed {
public:
    Printed() : before_(std::cout.rdbuf(text_.rdbuf())) {}
    ~Printed() { std::cout.rdbuf(before_); }
    std::string str() const { return text_.str(); }

private:
    std::ostringstream text_;
    std::streambuf* before_;
};

/// The sum of all floating outputs that require grad, real and imaginary parts alike.
Tensor loss_of(const IValue& output) {
    std::vector<Tensor> tensors;
    flatten_tensors(output, tensors);
    Tensor loss;
    for (const Tensor& t : tensors) {
        if (!t.requires_grad() || !isDifferentiableType(t.scalar_type())) continue;
        const Tensor part = isComplexType(t.scalar_type()) ? reel::view_as_real(t).sum() : t.sum();
        loss = loss.defined() ? loss + part.to(loss.scalar_type()) : part;
    }
    return loss;
}
/// The last part of `builtins.ValueError`.
std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }
std::string trimmed(std::string s) {
    while (!s.empty() && (s.back() == ' ' || s.back() == '\n')) s.pop_back();
    return s;
}
} // namespace

void check_gradients(Case& c, const std::string& where, const nn::Module& module, const std::vector<Tensor>& leaves,
                     const IValue& output, const json::object& expected, const Values& values,
                     const Closeness& closeness) {
    const Tensor loss = loss_of(output);
    if (!loss.defined()) return c.fail(where + " gradients", "no output requires grad");
    loss.backward();
    const json::array& inputs = expected.at("inputs").as_array();
    if (inputs.size() != leaves.size())
        return c.fail(where + " gradients", str(leaves.size(), " inputs, expected ", inputs.size()));
    const auto compare = [&](const Tensor& grad, const json::value& want, const std::string& what) {
        const std::string d = difference(grad.defined() ? IValue(grad) : IValue(), want, values, closeness);
        c.check(d.empty(), where + " gradient of " + what, d);
    };
    for (std::size_t i = 0; i < leaves.size(); ++i) compare(leaves[i].grad(), inputs[i], str("input ", i));
    // a tied parameter has several names, of which the case may have put the gradient under any
    const json::object& parameters = expected.at("parameters").as_object();
    std::map<const TensorImpl*, const json::value*> wanted;
    for (const auto& [name, p] : module.parameter_items({}, true, false)) {
        const json::value* want = parameters.if_contains(name);
        const json::value*& known = wanted[p.unsafeGetTensorImpl()];
        if (want && !want->is_null()) known = want;
    }
    for (const auto& p : module.named_parameters()) {
        const json::value* want = wanted[p->unsafeGetTensorImpl()];
        if (want) compare(p->grad(), *want, p.key());
        else c.check(!p->grad().defined(), where + " gradient of " + p.key(), "not expected");
    }
}
void check_state(Case& c, const std::string& where, const nn::StateDict& state, const json::object& changed,
                 const Values& values, const Closeness& closeness) {
    for (const auto& item : changed) {
        const IValue* entry = state.find(std::string(item.key()));
        const std::string d = entry ? difference(*entry, item.value(), values, closeness) : "is not there";
        c.check(d.empty(), where + " state '" + std::string(item.key()) + "'", d);
    }
}
std::vector<Tensor> leaves_of(const Args& args) {
    std::vector<Tensor> tensors, leaves;
    for (const IValue& a : args) flatten_tensors(a, tensors);
    for (const Tensor& t : tensors)
        if (t.requires_grad()) leaves.push_back(t);
    return leaves;
}

std::string error_difference(const std::exception& e, const json::object& expected) {
    const json::value* raised = expected.if_contains("raised_by_code");
    if (!raised || !raised->is_string() || raised->as_string() != "raise") return {};
    const auto* script = dynamic_cast<const jit::ScriptException*>(&e);
    if (!script) return std::string("throws, but not what the code raises: ") + e.what();
    const std::string cls(expected.at("class").as_string()), message(expected.at("message").as_string());
    const std::string kind = script->kind().empty() ? "RuntimeError" : last_part(script->kind());
    if (kind != cls) return "raises " + kind + ", expected " + cls;
    if (trimmed(script->message()) != trimmed(message))
        return "raises `" + script->message() + "`, expected `" + message + "`";
    return {};
}

void check_run(Case& c, const std::string& where, jit::Module module, const json::object& run, const Values& values,
               const Closeness& closeness) {
    const std::string method(run.at("method").as_string());
    if (const auto* mode = run.if_contains("mode")) module.train(mode->as_string() == "train");
    Args args;
    for (const json::value& v : run.at("args").as_array()) args.push_back(read_value(v, values, *module->unit()));
    const std::vector<Tensor> leaves = leaves_of(args);
    if (const auto* seed = run.if_contains("seed"); seed && !seed->is_null())
        manual_seed(seed->to_number<std::uint64_t>());
    const auto* error = run.if_contains("error");
    const auto* outputs = run.if_contains("outputs_of_calls");
    const std::size_t calls = outputs ? outputs->as_array().size() : 1;
    IValue output;
    for (std::size_t i = 0; i < calls; ++i) {
        std::string printed;
        try {
            const jit::Function::LimitScope limits(c.report().options.limits);
            const Printed capture;
            output = module.get_method(method)(args);
            printed = capture.str();
        } catch (const std::exception& e) {
            if (!error) return c.fail(where, e.what());
            const std::string d = error_difference(e, error->as_object());
            return c.check(d.empty(), where, d);
        }
        if (error) return c.fail(where, "runs, expected " + json::serialize(*error));
        if (const auto* want = run.if_contains("printed"))
            c.check_text(without_tensors(printed), without_tensors(std::string(want->as_string())), where + " printed");
        const json::value* want = outputs ? &outputs->as_array()[i] : run.if_contains("output");
        if (want)
            if (const std::string d = difference(output, *want, values, closeness); !d.empty())
                c.fail(where + " output", d);
    }
    if (const auto* gradients = run.if_contains("gradients"); gradients && !gradients->is_null()) {
        try {
            check_gradients(c, where, *module, leaves, output, gradients->as_object(), values, closeness);
        } catch (const std::exception& e) {
            c.fail(where + " gradients", e.what());
        }
    }
    if (const auto* state = run.if_contains("state_after"); state && state->is_object())
        check_state(c, where, module.state_dict(), state->as_object(), values, closeness);
    if (const auto* after = run.if_contains("args_after"); after && after->is_array())
        for (std::size_t i = 0; i < after->as_array().size(); ++i)
            if (const std::string d = difference(args[i], after->as_array()[i], values, closeness); !d.empty())
                c.fail(str(where, " argument ", i, " afterwards"), d);
}

} // namespace replay::script
