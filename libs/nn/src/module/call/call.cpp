// The ways into a module call.
#include <reel/nn/call.hpp>
#include <reel/nn/detail/module_calls.hpp>

#include "module/call/protocol.hpp"
#include "module/members.hpp"

namespace reel::nn::detail {

namespace {
ModuleCallMode* mode_of_calls() { return looked_for(taken_bit) ? module_call_mode() : nullptr; }
} // namespace

Value call_with_hooks(Module& m, Args args, Kwargs kwargs, ForwardRef forward) {
    const CallScope scope(m);
    ModuleCallMode* const mode = mode_of_calls();
    if (!mode) return Call<ValueCarrier>(m, std::move(args), std::move(kwargs), forward).run();
    auto taken = [&](const Args& a, const Kwargs& k) { return mode->take(m, a, k, forward); };
    return Call<ValueCarrier>(m, std::move(args), std::move(kwargs), ForwardRef(taken)).run();
}
Tensor call_with_hooks(Module& m, const Tensor* const* args, const Parameters& p, TensorForwardRef forward) {
    const CallScope scope(m);
    ModuleCallMode* const mode = mode_of_calls();
    if (!mode) return Call<TensorCarrier>(m, args, p, forward).run();
    auto run = [&](const Args& a, const Kwargs&) -> Value {
        std::vector<Tensor> tensors;
        for (const Value& v : a) tensors.push_back(v.toTensor());
        return forward(tensors.data());
    };
    auto taken = [&](const Tensor* a) -> Tensor {
        Args values;
        for (std::size_t i = 0; i < p.count; ++i) values.emplace_back(a[i]);
        return mode->take(m, values, {}, ForwardRef(run)).toTensor();
    };
    return Call<TensorCarrier>(m, args, p, TensorForwardRef(taken)).run();
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
        } catch (Error& e) {
            detail::left_call(e, *this);
            throw;
        }
    auto forward = [this](const Args& a, const Kwargs& k) { return forward_values(a, k); };
    return detail::call_with_hooks(*this, args, kwargs, detail::ForwardRef(forward));
}

} // namespace reel::nn
