// Deep copies of modules.
#pragma once

#include <memory>
#include <optional>

#include <reel/autograd/detail/private_generator.hpp>
#include <reel/nn/call.hpp>
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// Base of modules that can be deep-copied: `struct NetImpl : Cloneable<NetImpl>` with `void reset() override`, which
/// registers everything. `clone` makes new tensors, keeps ties, flags and (unless told otherwise) the hooks (M-50).
/// What reset() draws meanwhile does not come from the default generator.
template <class Derived> class Cloneable : public Module {
public:
    using Module::Module;
    void reset() override = 0;
    using Module::clone;
    ModulePtr clone(std::optional<Device> device, bool keep_hooks) const override;
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    /// What the list of `options` says, where there is one (reel/nn/option_visitor.hpp).
    std::string extra_repr() const override;
    /// `net(x)` on the object itself runs the hooks, as on a holder.
    template <class... A, class D = Derived>
    auto operator()(A&&... args) -> decltype(std::declval<D&>().forward(std::forward<A>(args)...)) {
        return nn::call(static_cast<D&>(*this), std::forward<A>(args)...);
    }

protected:
    bool become_copy_of(const Module& other, std::optional<Device> device, bool keep_hooks) override;
    /// Also asked while the object is being made, when its vptr is not yet that of Derived: the address alone is taken.
    [[gnu::no_sanitize("vptr")]] detail::Extent extent() const override {
        return {static_cast<const Derived*>(this), sizeof(Derived)};
    }
};

// Outside of the class, so that `extern template` (instances.hpp) spares users the bodies for Reel's own layers.
template <class Derived> ModulePtr Cloneable<Derived>::clone(std::optional<Device> device, bool keep_hooks) const {
    const Derived& self = static_cast<const Derived&>(*this);
    auto copy = std::make_shared<Derived>(self);
    Module& base = *copy;
    base.forget_entries();
    const PrivateGenerator draws; // reset() fills what is overwritten at once
    copy->reset();
    base.copy_from(*this, device, keep_hooks);
    return copy;
}
template <class Derived>
bool Cloneable<Derived>::become_copy_of(const Module& other, std::optional<Device> device, bool keep_hooks) {
    if constexpr (std::is_copy_assignable_v<Derived>) {
        Derived& self = static_cast<Derived&>(*this);
        self = static_cast<const Derived&>(other); // options and plain members, and for a moment the other's tensors
        Module& base = *this;
        base.forget_entries();
        const PrivateGenerator draws;
        self.reset();
        base.copy_from(other, device, keep_hooks);
        return true;
    } else return false;
}
template <class Derived> Value Cloneable<Derived>::forward_values(const Args& args, const Kwargs& kwargs) {
    detail::ModuleAccess::learn_class<Derived>(*this);
    return Module::forward_values(args, kwargs);
}
template <class Derived> std::string Cloneable<Derived>::extra_repr() const {
    if constexpr (requires(Derived & d, OptionVisitor & v) { d.options.fields(v); })
        return detail::printed_options(static_cast<const Derived&>(*this).options);
    else return Module::extra_repr();
}

} // namespace reel::nn
