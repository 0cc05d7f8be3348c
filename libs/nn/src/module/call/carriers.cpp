// How values are made of tensors, and tensors of values.
#include "module/call/carriers.hpp"

#include <reel/nn/detail/adapt_hooks.hpp>

namespace reel::nn::detail {

namespace {
/// The tensors that carry gates.
TensorList gated_leaves(const Args& elements, const CallGates& gates) {
    std::vector<Tensor> found;
    for (const Value& v : elements) collect_leaves(v, gates.nested(), found);
    return TensorList(ArrayRef<Tensor>(found));
}
void put_leaves(Args& elements, const CallGates& gates, const TensorList& leaves) {
    std::size_t next = 0;
    for (Value& v : elements) v = with_leaves(v, gates.nested(), leaves, next);
}
/// For hooks over it.
const Tensor& first_tensor(const Args& args, const char* kind) {
    REEL_CHECK_TYPE(!args.empty() && args[0].isTensor(), kind, " over a tensor: the module's first argument is ",
                    args.empty() ? "absent" : args[0].kind_name(), ", not a Tensor; take (Module&, Args) instead");
    return args[0].toTensor();
}
} // namespace

Value CallValues::run(const ForwardPreHook& hook, Module& m) const {
    return hook.over_tensor ? hook.over_tensor(m, first_tensor(args, "forward pre-hook")) : hook.fn(m, args, kwargs);
}
Value CallValues::run(const ForwardHook& hook, Module& m) const {
    if (!hook.over_tensors) return hook.fn(m, args, kwargs, result);
    const Tensor& input = first_tensor(args, "forward hook");
    return hook.over_tensors(m, input, output_tensor(result, hook.always_call));
}
void CallValues::wrap_inputs(CallGates& gates) {
    TensorList leaves = gated_leaves(args, gates);
    if (gates.wrap_inputs(leaves, slots_of(args, gates.nested()))) put_leaves(args, gates, leaves);
}
void CallValues::wrap_result(CallGates& gates) {
    const bool tuple = result.isTuple();
    if (!gates.nested() && !tuple && !result.isTensor())
        REEL_WARN("backward hooks on ", gates.module().name(), " do not fire for an output of type ",
                  result.kind_name(), "; return a Tensor or a tuple of Tensors");
    Args elements = tuple ? result.elements() : Args{result};
    TensorList leaves = gated_leaves(elements, gates);
    if (!gates.wrap_outputs(leaves, slots_of(elements, gates.nested()))) return;
    put_leaves(elements, gates, leaves);
    result = tuple ? Value::tuple(std::move(elements)) : std::move(elements[0]);
}

TensorCarrier::TensorCarrier(const Tensor* const* args, const Parameters& parameters, TensorForwardRef forward)
    : given_(args), parameters_(parameters), forward_(forward) {
    bool all_there = true;
    for (std::size_t i = 0; i < parameters.count; ++i) {
        args_.push_back(*args[i]);
        all_there = all_there && args[i]->defined();
    }
    if (!all_there) values(); // to hooks an absent tensor is none
}

const Tensor& TensorCarrier::argument(std::size_t i) const {
    if (args_[i].defined()) return args_[i];
    return gates_ ? gates_->input(i) : *given_[i];
}
CallValues& TensorCarrier::values() {
    if (values_) return *values_;
    CallValues& v = values_.emplace();
    v.args.reserve(args_.size());
    for (std::size_t i = 0; i < args_.size(); ++i)
        if (args_[i].defined()) v.args.emplace_back(std::move(args_[i]));
        else v.args.push_back(pack(argument(i)));
    if (result_.defined()) v.result = Value(std::move(result_));
    return v;
}
variable_list TensorCarrier::inputs() const {
    return values_ ? tensors_of(Value::list(values_->args)) : variable_list(args_.begin(), args_.end());
}
variable_list TensorCarrier::outputs() const {
    if (values_) return tensors_of(values_->result);
    return result_.defined() ? variable_list{result_} : variable_list();
}

Value TensorCarrier::forward_over_values(Module& m) {
    Args storage;
    const Args& all = bind_arguments(m, parameters_, values_->args, values_->kwargs, storage);
    TensorList given;
    for (std::size_t i = 0; i < parameters_.count; ++i) try {
            given.push_back(unpack<Tensor>(all[i]));
        } catch (const TypeError& e) {
            throw_argument(m, parameters_, i, e);
        }
    return pack(forward_(given.data()));
}
Tensor TensorCarrier::result_of_values(const Module& m) try {
    return values_->result.isTensor() ? std::move(values_->result).toTensor() : unpack<Tensor>(values_->result);
} catch (const TypeError& e) {
    throw_result(m, e);
}

} // namespace reel::nn::detail
