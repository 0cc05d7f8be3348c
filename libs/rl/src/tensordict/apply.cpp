// Every tensor of a dictionary: apply, clone, to, comparison.
#include <algorithm>

#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tensordict/storing.hpp"

namespace reel::rl {

using namespace detail;

namespace {

/// A dictionary of what `f(path, tensor)` returns. Without `batch_size` nested dictionaries keep theirs.
template <class F>
TensorDict applied(const char* op, const DictImpl& from, OptionalIntArrayRef batch_size, const Path& path, const F& f) {
    auto result =
        DictImpl::make(batch_size ? *batch_size : IntArrayRef(from.batch_size), from.device, from.slots.size());
    for (const DictImpl::Slot& slot : from.slots) {
        const Path own(path, slot.name);
        if (slot.entry.is_dict()) {
            const DictImpl& nested = DictImpl::of(slot.entry.dict());
            TensorDict dict = applied(op, nested, batch_size, own, f);
            // Where nothing is left of something, the dictionary goes, too.
            if (nested.slots.empty() || !dict.empty()) result->slots.push_back({slot.name, std::move(dict)});
        } else if (Tensor t = f(own, slot.entry.tensor()); t.defined()) {
            check_fits(op, *result, own, t);
            result->slots.push_back({slot.name, fitted(*result, std::move(t))});
        }
    }
    return DictImpl::handle(std::move(result));
}

} // namespace

TensorDict TensorDict::apply(const std::function<Tensor(const Tensor&)>& f,
                             std::optional<std::vector<std::int64_t>> batch_size) const {
    return applied("apply", DictImpl::of(*this), batch_size ? OptionalIntArrayRef(*batch_size) : OptionalIntArrayRef(),
                   Path(), [&](const Path&, const Tensor& t) { return f(t); });
}
TensorDict TensorDict::named_apply(const std::function<Tensor(const NestedKey&, const Tensor&)>& f) const {
    return applied("named_apply", DictImpl::of(*this), OptionalIntArrayRef(), Path(),
                   [&](const Path& p, const Tensor& t) { return f(p.key(), t); });
}
TensorDict& TensorDict::apply_(const std::function<void(Tensor&)>& f) {
    DictImpl& impl = DictImpl::of(*this);
    for (std::size_t i = 0; i < impl.slots.size(); ++i) { // `f` may reach this dictionary, so no iterators
        if (impl.slots[i].entry.is_dict()) {
            TensorDict nested = impl.slots[i].entry.dict();
            nested.apply_(f);
            continue;
        }
        const std::string name = impl.slots[i].name;
        const Tensor before = impl.slots[i].entry.tensor();
        Tensor t = before;
        f(t);
        if (!t.is_same(before)) store("apply_", *this, name, t);
    }
    return *this;
}
TensorDict& TensorDict::zero_() {
    return apply_([](Tensor& t) { t.zero_(); });
}
TensorDict TensorDict::detach() const {
    return with_leaves(DictImpl::of(*this), [](const Tensor& t) { return t.detach(); });
}
TensorDict TensorDict::clone(bool recurse) const {
    if (recurse) return with_leaves(DictImpl::of(*this), [](const Tensor& t) { return t.clone(); });
    return with_leaves(DictImpl::of(*this), [](const Tensor& t) { return t; });
}

namespace {
void set_device(const TensorDict& dict, Device device) {
    DictImpl& impl = DictImpl::of(dict);
    impl.device = device;
    for (const DictImpl::Slot& slot : impl.slots)
        if (slot.entry.is_dict()) set_device(slot.entry.dict(), device);
}
} // namespace

TensorDict TensorDict::to(Device device) const {
    const TensorDict moved =
        with_leaves(DictImpl::of(*this), [&](const Tensor& t) { return t.to(TensorOptions(device)); });
    set_device(moved, device);
    return moved;
}
TensorDict TensorDict::to(ScalarType dtype) const {
    return with_leaves(DictImpl::of(*this), [&](const Tensor& t) { return t.is_floating_point() ? t.to(dtype) : t; });
}
TensorDict TensorDict::cpu() const { return to(Device(kCPU)); }

namespace {
/// Same names and batch sizes, and `same(a, b)` for the tensors.
template <class F> bool alike(const TensorDict& a, const TensorDict& b, const F& same) {
    if (a.size() != b.size() || a.batch_size() != b.batch_size()) return false;
    return std::all_of(DictImpl::of(a).slots.begin(), DictImpl::of(a).slots.end(), [&](const DictImpl::Slot& slot) {
        const Entry* other = find_path(b, slot.name);
        if (!other || other->is_dict() != slot.entry.is_dict()) return false;
        if (slot.entry.is_dict()) return alike(slot.entry.dict(), other->dict(), same);
        const Tensor &x = slot.entry.tensor(), &y = other->tensor();
        return x.scalar_type() == y.scalar_type() && x.device() == y.device() && x.sizes().equals(y.sizes()) &&
               same(x, y);
    });
}
bool with_nan(const Tensor& a, const Tensor& b) {
    if (!isDifferentiableType(a.scalar_type())) return reel::equal(a, b);
    return ((a == b) | (a.isnan() & b.isnan())).all().item().toBool();
}
} // namespace

bool TensorDict::equal(const TensorDict& other, bool equal_nan) const {
    return alike(*this, other,
                 [&](const Tensor& a, const Tensor& b) { return equal_nan ? with_nan(a, b) : reel::equal(a, b); });
}
bool TensorDict::allclose(const TensorDict& other, double rtol, double atol, bool equal_nan) const {
    return alike(*this, other,
                 [&](const Tensor& a, const Tensor& b) { return reel::allclose(a, b, rtol, atol, equal_nan); });
}

} // namespace reel::rl
