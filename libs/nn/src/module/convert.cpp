// Conversions of a whole module: dtype, device, empty memory (rules M-16 to M-23).

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/nn/detail/rnn_base.hpp>
#include <reel/nn/module.hpp>

#include "module/members.hpp"

namespace reel::nn {

namespace {
/// The same tensor with the data of `fresh`: whoever holds it follows (M-17, M-18). False where that cannot be.
bool swap_data(const Tensor& t, const Tensor& fresh) {
    if (fresh.is_same(t)) return true;
    if (t.grad_fn() || fresh.device().is_meta() != t.device().is_meta()) return false;
    t.set_data(fresh);
    return true;
}
} // namespace

void Module::convert_parameter(const std::string& name, const std::function<Tensor(const Tensor&)>& fn) {
    const Tensor p = parameters_[name], old_grad = p.mutable_grad();
    Tensor fresh, grad;
    {
        NoGradGuard guard;
        fresh = fn(p);
        if (old_grad.defined()) grad = fn(old_grad);
    }
    Tensor target = p;
    const bool same = swap_data(p, fresh);
    if (!same) {
        check_replaceable(name);
        target = Parameter(fresh, p.requires_grad());
        put_tensor(name, detail::EntryKind::Parameter, target);
    }
    if (!grad.defined()) return;
    if (same && !grad.is_same(old_grad)) old_grad.set_data(grad);
    target.mutable_grad() = same ? old_grad : grad;
}

void Module::convert(const std::function<Tensor(const Tensor&)>& fn, bool recurse) {
    if (recurse)
        for (const auto& child : named_children()) (*child)->convert(fn, true);
    follow_members();
    for (const std::string& name : parameters_.keys())
        if (parameters_[name].defined()) convert_parameter(name, fn);
    for (const std::string& name : buffers_.keys()) {
        const Tensor b = buffers_[name];
        if (!b.defined()) continue;
        const Tensor fresh = fn(b);
        if (swap_data(b, fresh)) continue;
        check_replaceable(name);
        put_tensor(name, detail::EntryKind::Buffer, fresh);
    }
    if (auto* const flat = dynamic_cast<detail::FlatParameters*>(this)) flat->flatten_parameters();
}

void Module::to(ScalarType dtype, bool non_blocking) {
    REEL_CHECK_TYPE(isDifferentiableType(dtype), repr_name(), ": to: expected a floating or complex dtype, got ",
                    dtype_name(dtype));
    if (isComplexType(dtype))
        REEL_WARN("converting ", repr_name(), " to ", dtype_name(dtype), ": complex modules are an experiment");
    convert([&](const Tensor& t) { return isDifferentiableType(t.scalar_type()) ? t.to(dtype, non_blocking) : t; });
}
void Module::to(Device device, bool non_blocking) {
    convert([&](const Tensor& t) { return t.to(TensorOptions(device), non_blocking); });
}
void Module::to(Device device, ScalarType dtype, bool non_blocking) {
    REEL_CHECK_TYPE(isDifferentiableType(dtype), repr_name(), ": to: expected a floating or complex dtype, got ",
                    dtype_name(dtype));
    convert([&](const Tensor& t) {
        return isDifferentiableType(t.scalar_type()) ? t.to(device, dtype, non_blocking)
                                                     : t.to(TensorOptions(device), non_blocking);
    });
}
void Module::to(MemoryFormat memory_format) {
    convert([&](const Tensor& t) {
        return t.dim() == 4 || t.dim() == 5 ? t.to(TensorOptions(t.device()), false, false, memory_format) : t;
    });
}
void Module::to_floating(ScalarType dtype) {
    convert([&](const Tensor& t) { return t.is_floating_point() ? t.to(dtype) : t; });
}
void Module::type(ScalarType dtype) {
    convert([&](const Tensor& t) { return t.to(dtype); });
}
void Module::to_empty(Device device, bool recurse) {
    convert([&](const Tensor& t) { return reel::empty_like(t, TensorOptions(device)); }, recurse);
}

} // namespace reel::nn
