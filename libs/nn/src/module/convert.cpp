// Conversions of a whole module: dtype, device, empty memory, deep copies (rules M-16 to M-23, M-50).
#include <algorithm>
#include <map>
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
    std::map<std::pair<const Storage*, ScalarType>, Tensor> storages; ///< each as one row
    std::unordered_map<const Module*, ModulePtr> modules;

    /// The values of a tensor that is no parameter in memory of their own, laid out as they were. Tensors over one
    /// storage get one storage again.
    Tensor plain(const Tensor& t, std::optional<Device> device) {
        const auto moved = [&](const Tensor& c) { return device ? c.to(TensorOptions(*device)) : c; };
        if (!t.has_storage()) return moved(reel::clone(t.detach()));
        Tensor& row = storages[{t.storage().get(), t.scalar_type()}];
        if (!row.defined()) {
            const std::int64_t all[] = {std::int64_t(t.storage()->nbytes() / elementSize(t.scalar_type()))},
                               one[] = {1};
            row = moved(reel::clone(reel::as_strided(t.detach(), all, one, 0)));
        }
        Tensor copy = reel::empty({0}, TensorOptions(row.device()).dtype(row.scalar_type()));
        copy.set_data(reel::as_strided(row, t.sizes(), t.strides(), t.storage_offset())); // no view itself
        return copy;
    }
};
/// `v` with new lists, tuples and dicts, and `copy` of every tensor in them. What is boxed stays shared.
Value deep_copy(const Value& v, const std::function<Tensor(const Tensor&)>& copy) {
    if (v.isTensor()) return v.toTensor().defined() ? Value(copy(v.toTensor())) : v;
    if (v.isSequence()) {
        std::vector<Value> all;
        for (const Value& e : v.elements()) all.push_back(deep_copy(e, copy));
        return v.isList() ? Value::list(std::move(all)) : Value::tuple(std::move(all));
    }
    if (!v.isGenericDict()) return v;
    ValueDict dict;
    for (const auto& [key, value] : v.toGenericDict()) dict.set(key, deep_copy(value, copy));
    return Value(std::move(dict));
}
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
    /// Can the tensor that reset() made take the data? Those with and without data do not mix.
    const auto fits = [](const Tensor& made, const Tensor& fresh) {
        return made.defined() && made.scalar_type() == fresh.scalar_type() &&
               made.device().is_meta() == fresh.device().is_meta();
    };
    Tensor* mine = nullptr;
    training_ = other.training_;
    non_persistent_ = other.non_persistent_;
    for (const auto& p : other.parameters_) {
        if (!open(parameters_, p.key(), *p, mine)) continue;
        const Tensor fresh = copy(*p);
        if (fits(*mine, fresh) && mine->sizes().equals(p->sizes())) {
            mine->set_data(fresh);
            mine->requires_grad_(p->requires_grad());
        } else *mine = Parameter(fresh, p->requires_grad());
        memo.tensors.emplace(p->unsafeGetTensorImpl(), *mine);
    }
    for (const auto& b : other.buffers_) {
        REEL_CHECK(!b->defined() || !b->grad_fn(), repr_name(), ": clone: buffer '", b.key(), "' has a grad_fn (",
                   b->grad_fn()->name(), "); only leaves can be copied deeply");
        if (!open(buffers_, b.key(), *b, mine)) continue;
        const bool rg = b->requires_grad();
        const Tensor fresh = memo.plain(*b, device);
        if (fits(*mine, fresh)) mine->set_data(fresh);
        else *mine = fresh;
        mine->requires_grad_(rg);
        if (rg && b->mutable_grad().defined()) mine->mutable_grad() = copy(b->mutable_grad());
        memo.tensors.emplace(b->unsafeGetTensorImpl(), *mine);
    }
    const auto copy_attribute = [&](const std::string& name, const Tensor& t) {
        const auto [known, fresh] = memo.tensors.emplace(t.unsafeGetTensorImpl(), Tensor());
        if (!fresh) return known->second;
        REEL_CHECK(!t.grad_fn(), repr_name(), ": clone: attribute '", name, "' has a grad_fn (", t.grad_fn()->name(),
                   "); only leaves can be copied deeply");
        Tensor& mine_too = known->second = memo.plain(t, device);
        mine_too.requires_grad_(t.requires_grad());
        if (t.requires_grad() && t.mutable_grad().defined()) mine_too.mutable_grad() = copy(t.mutable_grad());
        return mine_too;
    };
    attributes_ = ValueDict();
    for (const auto& [key, value] : other.attributes_)
        attributes_.set(key, deep_copy(value, [&, k = &key](const Tensor& t) {
                            return copy_attribute(k->isString() ? k->toStringRef() : k->repr(), t);
                        }));
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
