// The trace as a whole: run, make methods, look whether they give the same again.
#include <reel/script/trace.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/nn/module.hpp>

#include "trace/tracer.hpp"

namespace reel::jit {

namespace {
using trace_impl::Tracer;

/// Stands for the module that a traced function is not.
class FunctionModule : public nn::Module {
public:
    FunctionModule() : nn::Module("Function") {}
};

void flatten(const IValue& v, std::vector<Tensor>& out) {
    if (v.isTensor()) out.push_back(v.toTensor());
    else if (v.isSequence())
        for (const IValue& e : v.elements()) flatten(e, out);
    else if (v.isGenericDict())
        for (const auto& [key, value] : v.toGenericDict()) flatten(value, out);
}
/// Rule SC-83.
void check_trace(const Module& traced, const Args& inputs, const IValue& expected) {
    std::vector<Tensor> want, got;
    flatten(expected, want);
    const Module copy = traced.clone(); // running it must not change the buffers
    Args again;
    for (const IValue& v : inputs) again.push_back(v.isTensor() ? IValue(v.toTensor().clone()) : v);
    flatten(copy.forward(std::move(again)), got);
    for (std::size_t i = 0; i < want.size(); ++i)
        if (i >= got.size() || want[i].sizes() != got[i].sizes() ||
            !allclose(want[i].detach(), got[i].detach().to(want[i].scalar_type()), 1e-5, 1e-5, true))
            REEL_WARN("jit::trace: result ", i,
                      " of the trace differs from the result of what was traced; does it "
                      "draw random numbers, or does it depend on values that the trace holds fixed?");
}

Module run(const nn::Module& root, const std::function<IValue(Tracer&, const Args&)>& forward, const Args& inputs,
           const TraceOptions& options) {
    REEL_CHECK(!tracing::is_tracing(), "jit::trace: a trace is running on this thread");
    Tracer tracer(root);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        tracer.add_input(inputs[i], i < options.input_names.size() ? options.input_names[i] : std::string());
    IValue result;
    {
        const trace_impl::Tracing scope(tracer);
        result = forward(tracer, inputs);
        tracer.add_output(result, options.strict);
    }
    const Module out = trace_impl::make_modules(root, options.class_name);
    trace_impl::make_methods(tracer.graph(), out);
    if (options.check) check_trace(out, inputs, result);
    return out;
}
} // namespace

Module trace(const nn::ModulePtr& module, const Args& inputs, const TraceOptions& options) {
    REEL_CHECK_VALUE(module, "jit::trace: the module is null");
    return run(
        *module, [&](Tracer& t, const Args& a) { return t.module(*module, a); }, inputs, options);
}
Module trace(const nn::ModulePtr& module, const TracedFunction& forward, const Args& inputs,
             const TraceOptions& options) {
    REEL_CHECK_VALUE(module, "jit::trace: the module is null");
    return run(
        *module, [&](Tracer&, const Args& a) { return forward(a); }, inputs, options);
}
Module trace(const TracedFunction& function, const Args& inputs, const TraceOptions& options) {
    const auto root = std::make_shared<FunctionModule>();
    return run(
        *root, [&](Tracer&, const Args& a) { return function(a); }, inputs, options);
}

} // namespace reel::jit
