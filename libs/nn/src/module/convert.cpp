// Conversions of a whole module: dtype, device, empty memory, deep copies (rules M-16 to M-23, M-50).
#include <algorithm>
#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/nn/module.hpp>

#include "module/module_hooks.hpp"

namespace reel::nn {

void Module::convert(const std::function<Tensor(const Tensor&)>& fn, bool recurse) {
    if (recurse)
        for (const auto& child : named_children()) (*child)->convert(fn, true);
    for (auto& p : parameters_) {
        if (!p->defined()) continue;
        Tensor fresh, grad;
        {
            NoGradGuard guard;
            fresh = fn(*p);
            if (p->mutable_grad().defined()) grad = fn(p->mutable_grad());
        }
        const bool compatible = fresh.device().is_meta() == p->device().is_meta();
        Tensor old_grad = p->mutable_grad();
        if (compatible) p->set_data(fresh);
        else {
            const Tensor replacement = Parameter(fresh, p->requires_grad());
            *p = replacement;
        }
        if (grad.defined()) {
            if (compatible) old_grad.set_data(grad);
            p->mutable_grad() = compatible ? old_grad : grad;
        }
    }
    for (auto& b : buffers_)
        if (b->defined()) *b = fn(*b);
}

void Module::to(ScalarType dtype, bool non_blocking) {
    REEL_CHECK_TYPE(isDifferentiableType(dtype), repr_name(), ": to: expected a floating or complex dtype, got ", dtype_name(dtype));
    if (isComplexType(dtype)) REEL_WARN("converting ", repr_name(), " to ", dtype_name(dtype), ": complex modules are an experiment");
    convert([&](const Tensor& t) { return isDifferentiableType(t.scalar_type()) ? t.to(dtype, non_blocking) : t; });
}
void Module::to(Device device, bool non_blocking) {
    convert([&](const Tensor& t) { return t.to(TensorOptions(device), non_blocking); });
}
void Module::to(Device device, ScalarType dtype, bool non_blocking) {
    REEL_CHECK_TYPE(isDifferentiableType(dtype), repr_name(), ": to: expected a floating or complex dtype, got ", dtype_name(dtype));
    convert([&](const Tensor& t) {
        return isDifferentiableType(t.scalar_type()) ? t.to(device, dtype, non_blocking) : t.to(TensorOptions(device), non_blocking);
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

ModulePtr Module::clone(std::optional<Device>, bool) const {
    REEL_THROW(Error, repr_name(), ": clone is not implemented for plain Module; derive from Cloneable<", repr_name(), "> and give it reset()");
}

void Module::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    NoGradGuard guard;
    const auto copy = [&](const Tensor& t) {
        Tensor c = reel::clone(t.detach());
        return device ? c.to(TensorOptions(*device)) : c;
    };
    training_ = other.training_;
    for (const auto& p : other.parameters_) {
        Tensor* mine = parameters_.find(p.key());
        REEL_CHECK(mine, repr_name(), ": clone: parameter '", p.key(), "' is not registered by reset()");
        if (!p->defined()) *mine = Tensor();
        else if (mine->defined() && mine->scalar_type() == p->scalar_type() && mine->sizes().equals(p->sizes())) {
            mine->set_data(copy(*p));
            mine->requires_grad_(p->requires_grad());
        } else *mine = Parameter(copy(*p), p->requires_grad());
    }
    for (const auto& b : other.buffers_) {
        Tensor* mine = buffers_.find(b.key());
        REEL_CHECK(mine, repr_name(), ": clone: buffer '", b.key(), "' is not registered by reset()");
        if (b->defined() && mine->defined()) mine->set_data(copy(*b));
        else *mine = b->defined() ? copy(*b) : Tensor();
    }
    for (const auto& child : other.children_) {
        if (!*child) continue;
        ModulePtr* mine = children_.find(child.key());
        REEL_CHECK(mine && *mine, repr_name(), ": clone: submodule '", child.key(), "' is not registered by reset()");
        (*mine)->copy_from(**child, device, keep_hooks);
    }
    if (keep_hooks && other.hooks_) {
        detail::ModuleHooks& mine = ensure_hooks();
        const auto take = [](auto& to, const auto& from) {
            if (!from) return;
            to = std::make_shared<std::decay_t<decltype(*from)>>();
            to->copy_from(*from);
        };
        take(mine.forward_pre, other.hooks_->forward_pre);
        take(mine.forward, other.hooks_->forward);
        take(mine.backward_pre, other.hooks_->backward_pre);
        take(mine.backward, other.hooks_->backward);
        take(mine.state_dict_pre, other.hooks_->state_dict_pre);
        take(mine.state_dict_post, other.hooks_->state_dict_post);
        take(mine.load_pre, other.hooks_->load_pre);
        take(mine.load_post, other.hooks_->load_post);
        mine.kind = other.hooks_->kind;
        hook_flag_ = other.hook_flag_;
    }
}

} // namespace reel::nn
