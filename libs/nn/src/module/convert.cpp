// Conversions of a whole module: dtype, device, empty memory, deep copies (rules M-16 to M-23, M-50).
#include <algorithm>
#include <map>
#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"
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

bool Module::become_copy_of(const Module&, std::optional<Device>, bool) { return false; }

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
    /// Fills the entry of the same name, with what `make` makes of the tensor that is there now unless it was copied
    /// already.
    const auto fill = [&](detail::EntryKind kind, const std::string& name, const Tensor& from, auto make) {
        if (!from.defined()) return void(put_tensor(name, kind, Tensor()));
        const auto known = memo.tensors.find(from.unsafeGetTensorImpl());
        if (known != memo.tensors.end()) return void(put_tensor(name, kind, known->second));
        const Tensor* made = (kind == detail::EntryKind::Parameter ? parameters_ : buffers_).find(name);
        // What reset() took from options is the other's own: it is no memory to write to.
        const Tensor mine = make(made && !made->is_same(from) ? *made : Tensor());
        put_tensor(name, kind, mine);
        memo.tensors.emplace(from.unsafeGetTensorImpl(), mine);
    };
    /// Can the tensor that reset() made take the data? Those with and without data do not mix.
    const auto fits = [](const Tensor& made, const Tensor& fresh) {
        return made.defined() && made.scalar_type() == fresh.scalar_type() &&
               made.device().is_meta() == fresh.device().is_meta();
    };
    training_ = other.training_;
    non_persistent_ = other.non_persistent_;
    for (const auto& p : other.own_parameters()) {
        REEL_CHECK(!other.computed_member(p.key()).defined(), repr_name(), ": clone: the member of parameter '",
                   p.key(),
                   "' was assigned a computed tensor; only leaves can be copied deeply. Assign it a Parameter first");
        fill(detail::EntryKind::Parameter, p.key(), *p, [&](const Tensor& made) -> Tensor {
            const Tensor fresh = copy(*p);
            if (!fits(made, fresh) || !made.sizes().equals(p->sizes())) return Parameter(fresh, p->requires_grad());
            made.set_data(fresh);
            made.requires_grad_(p->requires_grad());
            return made;
        });
    }
    for (const auto& b : other.own_buffers()) {
        REEL_CHECK(!b->defined() || !b->grad_fn(), repr_name(), ": clone: buffer '", b.key(), "' has a grad_fn (",
                   b->grad_fn()->name(), "); only leaves can be copied deeply");
        fill(detail::EntryKind::Buffer, b.key(), *b, [&](const Tensor& made) {
            const Tensor fresh = memo.plain(*b, device);
            const Tensor mine = fits(made, fresh) ? made : fresh;
            if (fits(made, fresh)) mine.set_data(fresh);
            mine.requires_grad_(b->requires_grad());
            if (b->requires_grad() && b->mutable_grad().defined()) mine.mutable_grad() = copy(b->mutable_grad());
            return mine;
        });
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
    for (const auto& child : other.own_children()) {
        const ModulePtr* known_child = children_.find(child.key());
        ModulePtr fresh = known_child ? *known_child : nullptr;
        if (!*child) {
            fresh = nullptr;
        } else if (const auto known = memo.modules.find(child->get()); known != memo.modules.end()) {
            fresh = known->second;
        } else if (fresh && fresh != *child && typeid(*fresh) == typeid(**child)) {
            memo.modules.emplace(child->get(), fresh);
            // Its options may have changed since it was made: reset() of this module does not know them.
            if (!fresh->become_copy_of(**child, device, keep_hooks)) fresh->copy_from(**child, device, keep_hooks);
        } else { // registered or replaced after construction, or once for all: reset() does not make it
            fresh = (*child)->clone(device, keep_hooks);
            memo.modules.emplace(child->get(), fresh);
        }
        put_child(child.key(), fresh);
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
        call_flags_ |= other.call_flags_ & detail::hooks_flag;
    }
}

} // namespace reel::nn
