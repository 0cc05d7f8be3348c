// Value-like handles to modules: what user code passes around and calls.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <type_traits>
#include <utility>

#include <reel/nn/call.hpp>
#include <reel/nn/detail/module_access.hpp>

namespace reel::nn {

template <class C> class ClonedModule;

/// A shared handle to a module of type `C`. Copies share the module; calling it runs hooks. An empty one throws.
template <class C> class ModuleHolder {
public:
    using ContainedType = C;
    ModuleHolder() : impl_(make()) {}
    ModuleHolder(std::nullptr_t) {}
    ModuleHolder(std::shared_ptr<C> module) : impl_(std::move(module)) {
        if (impl_) detail::ModuleAccess::learn_class<C>(*impl_);
    }
    ModuleHolder(const ClonedModule<C>& copy) : impl_(copy.impl_) {}
    /// What a module has just registered: it learns that this holder, if it is a member of the module, is its entry.
    template <class D>
    requires std::is_convertible_v<D*, C*> ModuleHolder(const RegisteredModule<D>& registered)
        : impl_(registered), entry_(registered.entry()) {
        tell_place();
    }
    ModuleHolder(const ModuleHolder& o) : impl_(o.impl_) {}
    ModuleHolder(ModuleHolder&& o) noexcept : impl_(std::move(o.impl_)), entry_(std::move(o.entry_)) { tell_place(); }
    ModuleHolder& operator=(const ModuleHolder& o) {
        impl_ = o.impl_;
        return *this;
    }
    ModuleHolder& operator=(ModuleHolder&& o) noexcept {
        impl_ = std::move(o.impl_);
        entry_ = std::move(o.entry_);
        tell_place();
        return *this;
    }
    template <class Head, class... Tail>
    requires(
        !(sizeof...(Tail) == 0 &&
          std::is_base_of_v<ModuleHolder, std::decay_t<Head>>)&&!std::is_same_v<std::decay_t<Head>, std::nullptr_t> &&
        !std::is_convertible_v<Head, std::shared_ptr<C>> &&
        std::is_constructible_v<C, Head, Tail...>) explicit ModuleHolder(Head&& head, Tail&&... tail)
        : ModuleHolder(std::make_shared<C>(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}

    C* operator->() const { return get(); }
    C& operator*() const { return *get(); }
    C* get() const {
        if (!impl_) throw_empty();
        return static_cast<C*>(impl_.get());
    }
    std::shared_ptr<C> ptr() const {
        if (!impl_) throw_empty();
        return std::static_pointer_cast<C>(impl_);
    }
    std::shared_ptr<C> ptr_or_null() const { return std::static_pointer_cast<C>(impl_); }
    bool is_empty() const noexcept { return !impl_; }
    explicit operator bool() const noexcept { return !is_empty(); }
    /// `D` is the module's class; as a parameter it lets modules without a forward have holders.
    template <class... A, class D = C>
    auto operator()(A&&... args) const -> decltype(std::declval<D&>().forward(std::forward<A>(args)...)) {
        return nn::call(*get(), std::forward<A>(args)...);
    }
    /// A deep copy of the module (M-50): `nn::Linear copy = linear.clone();`. Error for a class that cannot be copied.
    ClonedModule<C> clone(std::optional<Device> device = std::nullopt) const {
        return static_cast<const Module&>(*get()).clone(device);
    }
    template <class I> decltype(auto) operator[](I&& i) const { return (*get())[std::forward<I>(i)]; }
    /// It was given to a registration: if it is a member of that module, it is the entry.
    void given_to(const std::weak_ptr<detail::Entry>& entry) const { detail::given_in_holder(entry, impl_, fits); }

private:
    static bool fits(const Module& m) { return dynamic_cast<const C*>(&m) != nullptr; }
    static std::shared_ptr<C> make() {
        static_assert(std::is_default_constructible_v<C>,
                      "this module has no default constructor: pass its arguments, or nullptr for an empty holder");
        auto p = std::make_shared<C>();
        detail::ModuleAccess::learn_class<C>(*p);
        return p;
    }
    [[noreturn]] static void throw_empty() {
        REEL_THROW(
            Error,
            "an empty module holder was used; construct the module or assign one first. A member is emptied when "
            "another class replaces its submodule: give it a class that can hold both");
    }
    void tell_place() {
        if (!entry_.expired()) detail::seen_in_holder(entry_, impl_, fits);
    }
    ModulePtr
        impl_; ///< always a C; kept as its base, so that declaring a hundred layers does not compile a hundred pointers
    std::weak_ptr<detail::Entry> entry_; ///< on the way from a registration to the member that it is for
};

/// What `clone` of a holder returns: a holder that others of its class are made from.
template <class C> class ClonedModule : public ModuleHolder<C> {
public:
    ClonedModule(const ModulePtr& module) : ModuleHolder<C>(std::static_pointer_cast<C>(module)) {}
};

template <class C> std::ostream& operator<<(std::ostream& os, const ModuleHolder<C>& m) { return os << *m; }

} // namespace reel::nn

/// Declares `Name`, the holder of the module class `ImplType`.
#define REEL_MODULE_IMPL(Name, ImplType)                                                                               \
    class Name : public ::reel::nn::ModuleHolder<ImplType> {                                                           \
    public:                                                                                                            \
        using ::reel::nn::ModuleHolder<ImplType>::ModuleHolder;                                                        \
        using Impl [[maybe_unused]] = ImplType;                                                                        \
    }
/// Declares `Name`, the holder of `NameImpl`.
#define REEL_MODULE(Name) REEL_MODULE_IMPL(Name, Name##Impl)
/// Declares `NameImpl`, which is the class that follows under that name, constructors included, and its holder:
/// `REEL_MODULE_OF(Conv1d, ConvImpl<1, Conv1dImpl>);`.
#define REEL_MODULE_OF(Name, ...)                                                                                      \
    class Name##Impl : public __VA_ARGS__ {                                                                            \
        using Base = __VA_ARGS__;                                                                                      \
                                                                                                                       \
    public:                                                                                                            \
        using Base::Base;                                                                                              \
    };                                                                                                                 \
    REEL_MODULE(Name)
