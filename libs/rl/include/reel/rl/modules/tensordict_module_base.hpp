// Modules that read entries of a dictionary and write others into it.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/rl/distributions.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

using distributions::DistributionPtr;

/// What every module over dictionaries offers beside being an nn::Module. `forward` reads the entries `in_keys`, writes
/// the entries `out_keys` into the very dictionary and returns it; calling the object runs its hooks as well, which see
/// its tensors by name.
class TensorDictModuleBase {
public:
    virtual ~TensorDictModuleBase();
    const std::vector<NestedKey>& in_keys() const { return in_keys_; }
    const std::vector<NestedKey>& out_keys() const { return out_keys_; }
    virtual TensorDict forward(TensorDict tensordict) = 0;
    TensorDict operator()(TensorDict tensordict) { return called(std::move(tensordict)); }
    /// The distribution that this module would draw from. TypeError when it is not probabilistic.
    virtual DistributionPtr get_dist(TensorDict tensordict);
    virtual nn::Module& as_module() = 0;

protected:
    virtual TensorDict called(TensorDict tensordict) = 0;
    /// As the Python package prints it: the parts in lines of their own.
    std::string repr_of(const std::string& name, const std::vector<std::string>& parts) const;
    std::string keys_text() const; ///< `in_keys=[...],` and, on a line of its own, `out_keys=[...]`
    std::vector<NestedKey> in_keys_, out_keys_;
};

/// Base of such module classes, as `nn::Cloneable` is of others.
template <class Derived> class TensorDictCloneable : public nn::Cloneable<Derived>, public TensorDictModuleBase {
public:
    using nn::Cloneable<Derived>::Cloneable;
    TensorDict operator()(TensorDict tensordict) { return called(std::move(tensordict)); }
    nn::Module& as_module() override { return *this; }
    static constexpr const char* forward_arguments = "tensordict";

protected:
    TensorDict called(TensorDict tensordict) override {
        return nn::call(static_cast<Derived&>(*this), std::move(tensordict));
    }
};

/// A shared handle to any module over dictionaries: made from a holder or a pointer. Using an empty one is an Error.
class AnyTensorDictModule {
public:
    AnyTensorDictModule() = default;
    template <std::derived_from<TensorDictModuleBase> C>
    AnyTensorDictModule(const nn::ModuleHolder<C>& holder) : AnyTensorDictModule(holder.ptr()) {}
    template <std::derived_from<TensorDictModuleBase> C> AnyTensorDictModule(std::shared_ptr<C> module) {
        if constexpr (std::is_base_of_v<nn::Module, C>) nn::detail::ModuleAccess::learn_class<C>(*module);
        base_ = std::move(module);
    }
    /// The part of a module that is one; TypeError naming its class otherwise.
    static AnyTensorDictModule of(const nn::ModulePtr& module);
    TensorDictModuleBase* operator->() const { return &checked(); }
    TensorDictModuleBase& operator*() const { return checked(); }
    TensorDict operator()(TensorDict tensordict) const { return checked()(std::move(tensordict)); }
    nn::ModulePtr module() const { return checked().as_module().shared_from_this(); }
    /// A deep copy, by default with the hooks.
    AnyTensorDictModule clone(bool keep_hooks = true) const { return of(module()->clone(std::nullopt, keep_hooks)); }
    explicit operator bool() const { return bool(base_); }

private:
    TensorDictModuleBase& checked() const {
        if (!base_) throw_empty();
        return *base_;
    }
    [[noreturn]] static void throw_empty();
    std::shared_ptr<TensorDictModuleBase> base_;
};

} // namespace reel::rl
