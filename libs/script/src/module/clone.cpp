// Deep copies of script modules: tables as nn::Module copies them, slots here.
#include <unordered_map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/script/module.hpp>

namespace reel::jit {

namespace {
/// What one deep copy has copied already, by address: what was one list, dict, tensor or object stays one.
struct SlotCopies {
    std::unordered_map<const void*, IValue> done;
    std::optional<Device> device;

    IValue operator()(const IValue& v) {
        if (v.isTensor()) return v.toTensor().defined() ? tensor(v.toTensor()) : v;
        if (v.isList()) return compound(v, &v.elements(), [&] { return IValue::list(all(v.elements())); });
        if (v.isTuple()) return compound(v, &v.elements(), [&] { return IValue::tuple(all(v.elements())); });
        if (v.isGenericDict()) return compound(v, &v.toGenericDict(), [&] { return dict(v.toGenericDict()); });
        if (is_object(v) && !is_module(v)) return object(*to_object(v));
        return v;
    }

private:
    template <class Make> IValue compound(const IValue&, const void* address, Make make) {
        if (const auto it = done.find(address); it != done.end()) return it->second;
        IValue fresh = make();
        return done.emplace(address, std::move(fresh)).first->second;
    }
    Args all(const Args& elements) {
        Args out;
        for (const IValue& e : elements) out.push_back((*this)(e));
        return out;
    }
    IValue dict(const ValueDict& from) {
        ValueDict out;
        for (const auto& [key, value] : from) out.set(key, (*this)(value));
        return out;
    }
    IValue tensor(const Tensor& t) {
        return compound(t, t.unsafeGetTensorImpl(), [&]() -> IValue {
            const NoGradGuard no_grad;
            Tensor c = reel::clone(t.detach());
            if (device) c = c.to(TensorOptions(*device));
            return c.requires_grad_(t.requires_grad());
        });
    }
    IValue object(const Object& from) {
        if (const auto it = done.find(&from); it != done.end()) return it->second;
        const auto fresh = std::make_shared<Object>(from.type());
        const IValue v = done.emplace(&from, to_ivalue(fresh)).first->second; // before its slots, which may refer to it
        for (std::size_t i = 0; i < from.type()->attributes().size(); ++i) fresh->set_slot(i, (*this)(from.slot(i)));
        return v;
    }
};
thread_local SlotCopies* current = nullptr;
} // namespace

nn::ModulePtr ModuleImpl::clone(std::optional<Device> device, bool keep_hooks) const {
    SlotCopies own{{}, device};
    const struct Scope {
        explicit Scope(SlotCopies& copies) : outermost(!current) {
            if (outermost) current = &copies;
        }
        ~Scope() {
            if (outermost) current = nullptr;
        }
        bool outermost;
    } scope(own);
    const auto copy = std::make_shared<ModuleImpl>(type_, unit_);
    copy->copy_from(*this, device, keep_hooks);
    return copy;
}
void ModuleImpl::copy_from(const nn::Module& other, std::optional<Device> device, bool keep_hooks) {
    nn::Module::copy_from(other, device, keep_hooks);
    const auto& from = dynamic_cast<const ModuleImpl&>(other);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].table != Table::None) set_[i] = from.is_set(i);
        else if (from.is_set(i)) Object::set_slot(i, (*current)(from.slots_[i]));
    }
}

} // namespace reel::jit
