// What a module call carries through its steps: arguments, then a result. There are two carriers with one interface, so
// that the order of the steps is written once (module/call/protocol.hpp): values, and tensors, which become values only
// where a hook looks at values.
#pragma once

#include <reel/nn/call.hpp>
#include <reel/nn/compile.hpp>

#include "module/backward/call_gates.hpp"
#include "module/leaves.hpp"

namespace reel::nn::detail {

/// Arguments and result as hooks over values see and replace them. Before forward has returned the result is none.
struct CallValues {
    Args args;
    Kwargs kwargs;
    Value result;

    Value run(const ForwardPreHook& hook, Module& m) const;
    Value run(const ForwardHook& hook, Module& m) const;
    void wrap_inputs(CallGates& gates);
    void wrap_result(CallGates& gates);
};

/// A call with values.
class ValueCarrier {
public:
    using Result = Value;
    ValueCarrier(Args args, Kwargs kwargs, ForwardRef forward)
        : values_{std::move(args), std::move(kwargs), {}}, forward_(forward) {}

    /// Changes in them count.
    CallValues& values() { return values_; }
    /// For observers.
    variable_list inputs() const { return tensors_of(Value::list(values_.args)); }
    variable_list outputs() const { return tensors_of(values_.result); }

    /// What the hook returns.
    template <class Hook> Value run(const Hook& hook, Module& m) { return values_.run(hook, m); }
    void replace_result(Value r) { values_.result = std::move(r); }

    void wrap_inputs(CallGates& gates) { values_.wrap_inputs(gates); }
    void run_forward(Module&) { values_.result = forward_(values_.args, values_.kwargs); }
    void run_compiled(Module&, CompiledForward& c) { values_.result = c.call(values_.args, values_.kwargs, forward_); }
    void wrap_result(CallGates& gates) { values_.wrap_result(gates); }
    Value take_result(const Module&) { return std::move(values_.result); }

private:
    CallValues values_;
    ForwardRef forward_;
};

/// A call of a forward that takes tensors and returns one.
class TensorCarrier {
public:
    using Result = Tensor;
    TensorCarrier(const Tensor* const* args, const Parameters& parameters, TensorForwardRef forward);

    /// From the first call on these count instead of the tensors.
    CallValues& values();
    variable_list inputs() const;
    variable_list outputs() const;

    Value run(const ForwardPreHook& hook, Module& m) {
        if (values_ || !hook.over_tensor || args_.empty()) return values().run(hook, m);
        return hook.over_tensor(m, args_[0]);
    }
    Value run(const ForwardHook& hook, Module& m) {
        if (values_ || !hook.over_tensors || args_.empty() || !result_.defined()) return values().run(hook, m);
        return hook.over_tensors(m, argument(0), result_);
    }
    void replace_result(Value r) { values().result = std::move(r); }

    void wrap_inputs(CallGates& gates) {
        if (values_) [[unlikely]]
            values_->wrap_inputs(gates);
        else if (gates.wrap_inputs(args_, Slots::of_tensors(args_.size()))) gates_ = &gates;
    }
    /// Errors: ArgumentError where a pre-hook put something in place of the arguments that forward does not take.
    void run_forward(Module& m) {
        if (values_) [[unlikely]]
            values_->result = forward_over_values(m);
        else result_ = forward_(args_.data()); // which may move them away
    }
    void run_compiled(Module& m, CompiledForward& compiled) {
        auto forward = [&](const Args&, const Kwargs&) { return forward_over_values(m); };
        CallValues& v = values();
        v.result = compiled.call(v.args, v.kwargs, ForwardRef(forward));
    }
    void wrap_result(CallGates& gates) {
        if (values_) [[unlikely]]
            values_->wrap_result(gates);
        else if (result_.defined()) gates.wrap_output(result_);
    }
    /// Errors: ArgumentError where a hook put something other than a tensor in place of the result.
    Tensor take_result(const Module& m) { return values_ ? result_of_values(m) : std::move(result_); }

private:
    /// What forward got, also where it moved that away.
    const Tensor& argument(std::size_t i) const;
    Value forward_over_values(Module& m);
    Tensor result_of_values(const Module& m);
    const Tensor* const* given_;
    const CallGates* gates_ = nullptr; ///< over the arguments
    const Parameters& parameters_;
    TensorForwardRef forward_;
    TensorList args_;
    Tensor result_;
    std::optional<CallValues> values_;
};

} // namespace reel::nn::detail
