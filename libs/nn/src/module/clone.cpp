// Deep copies of a whole module (rule M-50).
#include <map>
#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"
#include "module/members.hpp"

namespace reel::nn {

ModulePtr Module::clone(const std::optional<Device>& device) const { return clone(device, true); }
ModulePtr Module::clone(std::optional<Device>, bool) const {
    REEL_THROW(Error, repr_name(), ": clone is not implemented for plain Module; derive from Cloneable<", repr_name(),
               "> and give it reset()");
}

bool Module::become_copy_of(const Module&, std::optional<Device>, bool) { return false; }

namespace {
Tensor copy_of(const Tensor& t, std::optional<Device> device) {
    const Tensor c = reel::clone(t.detach());
    return device ? c.to(TensorOptions(*device)) : c;
}
/// Can the tensor that reset() made take the data? Those with and without data do not mix.
bool fits(const Tensor& made, const Tensor& fresh) {
    return made.defined() && made.scalar_type() == fresh.scalar_type() &&
           made.device().is_meta() == fresh.device().is_meta();
}
/// `to`, which is a copy of `from`, requires grad as that does and has a copy of its gradient.
void copy_grad(const Tensor& from, const Tensor& to, std::optional<Device> device) {
    to.requires_grad_(from.requires_grad());
    if (from.requires_grad() && from.mutable_grad().defined()) to.mutable_grad() = copy_of(from.mutable_grad(), device);
}
/// A parameter like `p`: `made` with its data, where that can be.
Tensor copy_parameter(const Tensor& made, const Tensor& p, std::optional<Device> device) {
    const Tensor fresh = copy_of(p, device);
    if (!fits(made, fresh) || !made.sizes().equals(p.sizes())) return Parameter(fresh, p.requires_grad());
    made.set_data(fresh);
    made.requires_grad_(p.requires_grad());
    return made;
}

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
        Tensor copy = row.new_empty({0});
        copy.set_data(reel::as_strided(row, t.sizes(), t.strides(), t.storage_offset())); // no view itself
        return copy;
    }
    Tensor buffer(const Tensor& made, const Tensor& b, std::optional<Device> device) {
        const Tensor fresh = plain(b, device);
        const Tensor mine = fits(made, fresh) ? made : fresh;
        if (fits(made, fresh)) mine.set_data(fresh);
        copy_grad(b, mine, device);
        return mine;
    }
    /// A tensor in an attribute of a module that calls itself `owner`.
    Tensor attribute(const std::string& owner, const std::string& name, const Tensor& t, std::optional<Device> device) {
        const auto [known, fresh] = tensors.emplace(t.unsafeGetTensorImpl(), Tensor());
        if (!fresh) return known->second;
        REEL_CHECK(!t.grad_fn(), owner, ": clone: attribute '", name, "' has a grad_fn (", t.grad_fn()->name(),
                   "); only leaves can be copied deeply");
        Tensor& mine = known->second = plain(t, device);
        copy_grad(t, mine, device);
        return mine;
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
/// By the device that is copied to: what reset() copies from options on its way to another device stays apart.
using CopyMemos = std::map<std::optional<std::pair<DeviceType, DeviceIndex>>, CopyMemo>;
thread_local CopyMemos* current_copy = nullptr;
struct CopyScope {
    CopyMemos own;
    const bool outermost = current_copy == nullptr;
    CopyScope() {
        if (outermost) current_copy = &own;
    }
    ~CopyScope() {
        if (outermost) current_copy = nullptr;
    }
};

void copy_hooks(detail::ModuleHooks& to, const detail::ModuleHooks& from) {
    const auto take = [](auto& mine, const auto& theirs) {
        if (!theirs) return;
        mine = std::make_shared<std::decay_t<decltype(*theirs)>>();
        mine->copy_from(*theirs);
    };
    take(to.forward_pre, from.forward_pre);
    take(to.forward, from.forward);
    take(to.backward_pre, from.backward_pre);
    take(to.backward, from.backward);
    take(to.state_dict_pre, from.state_dict_pre);
    take(to.state_dict_post, from.state_dict_post);
    take(to.load_pre, from.load_pre);
    take(to.load_post, from.load_post);
    to.kind = from.kind;
}
} // namespace

void Module::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    NoGradGuard guard;
    const CopyScope scope;
    CopyMemo& memo = (*current_copy)[device ? std::optional(std::pair(device->type(), device->index())) : std::nullopt];
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
    training_ = other.training_;
    non_persistent_ = other.non_persistent_;
    for (const auto& p : other.own_parameters()) {
        REEL_CHECK(!other.computed_member(p.key()).defined(), repr_name(), ": clone: the member of parameter '",
                   p.key(),
                   "' was assigned a computed tensor; only leaves can be copied deeply. Assign it a Parameter first");
        fill(detail::EntryKind::Parameter, p.key(), *p,
             [&](const Tensor& made) { return copy_parameter(made, *p, device); });
    }
    for (const auto& b : other.own_buffers()) {
        REEL_CHECK(!b->defined() || !b->grad_fn(), repr_name(), ": clone: buffer '", b.key(), "' has a grad_fn (",
                   b->grad_fn()->name(), "); only leaves can be copied deeply");
        fill(detail::EntryKind::Buffer, b.key(), *b, [&](const Tensor& made) { return memo.buffer(made, *b, device); });
    }
    attributes_ = ValueDict();
    for (const auto& [key, value] : other.attributes_)
        attributes_.set(key, deep_copy(value, [&, k = &key](const Tensor& t) {
                            return memo.attribute(repr_name(), k->isString() ? k->toStringRef() : k->repr(), t, device);
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
            fresh = keep_hooks ? (*child)->clone(device) : (*child)->clone(device, false);
            memo.modules.emplace(child->get(), fresh);
        }
        put_child(child.key(), fresh);
    }
    detail::Entry::copy_computations(*this, other, [&](const Tensor& t) { return copy_of(t, device); });
    if (keep_hooks && other.hooks_) {
        copy_hooks(ensure_hooks(), *other.hooks_);
        call_flags_ |= other.call_flags_ & detail::hooks_flag;
    }
}

} // namespace reel::nn
