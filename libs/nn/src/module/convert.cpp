// Conversions of a whole module: dtype, device, empty memory, deep copies (rules M-16 to M-23, M-50).
#include <algorithm>
#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
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
        if (fresh.is_same(*p)) {
        } else if (compatible) p->set_data(fresh);
        else {
            const Tensor replacement = Parameter(fresh, p->requires_grad());
            *p = replacement;
        }
        if (grad.defined()) {
            if (compatible && !grad.is_same(old_grad)) old_grad.set_data(grad);
            p->mutable_grad() = compatible ? old_grad : grad;
        }
    }
    for (auto& b : buffers_)
        if (b->defined()) *b = fn(*b);
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

ModulePtr Module::clone(std::optional<Device>, bool) const {
    REEL_THROW(Error, repr_name(), ": clone is not implemented for plain Module; derive from Cloneable<", repr_name(),
               "> and give it reset()");
}

namespace {
/// What one deep copy has already copied: ties inside the tree are kept (M-50).
struct CopyMemo {
    std::unordered_map<const TensorImpl*, Tensor> tensors;
    std::unordered_map<const Module*, ModulePtr> modules;
};
thread_local CopyMemo* current_copy = nullptr;
struct CopyScope {
    CopyMemo own;
    const bool outermost = current_copy == nullptr;
    CopyScope() {
        if (outermost) current_copy = &own;
    }
    ~CopyScope() {
        if (outermost) current_copy = nullptr;
    }
};
} // namespace

void Module::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    NoGradGuard guard;
    const CopyScope scope;
    CopyMemo& memo = *current_copy;
    const auto copy = [&](const Tensor& t) {
        Tensor c = reel::clone(t.detach());
        return device ? c.to(TensorOptions(*device)) : c;
    };
    /// The entry of the same name, to be filled; false when it is settled already.
    const auto open = [&](OrderedDict<std::string, Tensor>& table, const std::string& name, const Tensor& from,
                          Tensor*& mine) {
        mine = &table.insert_or_assign(name, table.contains(name) ? table[name] : Tensor());
        if (!from.defined()) return *mine = Tensor(), false;
        const auto known = memo.tensors.find(from.unsafeGetTensorImpl());
        if (known != memo.tensors.end()) return *mine = known->second, false;
        return true;
    };
    Tensor* mine = nullptr;
    training_ = other.training_;
    non_persistent_ = other.non_persistent_;
    attributes_ = other.attributes_;
    for (const auto& p : other.parameters_) {
        if (!open(parameters_, p.key(), *p, mine)) continue;
        if (mine->defined() && mine->scalar_type() == p->scalar_type() && mine->sizes().equals(p->sizes())) {
            mine->set_data(copy(*p));
            mine->requires_grad_(p->requires_grad());
        } else *mine = Parameter(copy(*p), p->requires_grad());
        memo.tensors.emplace(p->unsafeGetTensorImpl(), *mine);
    }
    for (const auto& b : other.buffers_) {
        REEL_CHECK(!b->defined() || !b->grad_fn(), repr_name(), ": clone: buffer '", b.key(), "' has a grad_fn (",
                   b->grad_fn()->name(), "); only leaves can be copied deeply");
        if (!open(buffers_, b.key(), *b, mine)) continue;
        const bool rg = b->requires_grad();
        if (mine->defined() && mine->scalar_type() == b->scalar_type()) mine->set_data(copy(*b));
        else *mine = copy(*b);
        mine->requires_grad_(rg);
        if (rg && b->mutable_grad().defined()) mine->mutable_grad() = copy(b->mutable_grad());
        memo.tensors.emplace(b->unsafeGetTensorImpl(), *mine);
    }
    for (const auto& child : other.children_) {
        const ModulePtr* known_child = children_.find(child.key());
        ModulePtr fresh = known_child ? *known_child : nullptr;
        if (!*child) {
            fresh = nullptr;
        } else if (const auto known = memo.modules.find(child->get()); known != memo.modules.end()) {
            fresh = known->second;
        } else if (fresh && typeid(*fresh) == typeid(**child)) {
            memo.modules.emplace(child->get(), fresh);
            fresh->copy_from(**child, device, keep_hooks);
        } else { // registered or replaced after construction: reset() does not know it
            fresh = (*child)->clone(device, keep_hooks);
            memo.modules.emplace(child->get(), fresh);
        }
        children_.insert_or_assign(child.key(), fresh);
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
