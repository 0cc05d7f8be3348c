// Any module between entries of a dictionary.
#pragma once

#include <functional>
#include <type_traits>

#include <reel/nn/modules/sequential.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>

namespace reel::rl {

namespace detail {
/// A function over values as a module.
class FunctionModuleImpl : public nn::Cloneable<FunctionModuleImpl> {
public:
    using Function = std::function<Value(const Args&)>;
    FunctionModuleImpl(Function function, std::size_t arguments)
        : function_(std::move(function)), arguments_(arguments) {}
    void reset() override {}
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    std::string repr_name() const override { return "Function"; }
    bool is_serializable() const override { return false; }

private:
    Function function_;
    std::size_t arguments_;
};
template <class F, class R, class C, class... A> nn::ModulePtr function_module(F f, R (C::*)(A...) const) {
    return std::make_shared<FunctionModuleImpl>(
        [f = std::move(f)](const Args& args) -> Value {
            return [&]<std::size_t... I>(std::index_sequence<I...>)->Value {
                return nn::detail::pack(f(nn::detail::unpack<std::decay_t<A>>(args[I])...));
            }
            (std::index_sequence_for<A...>());
        },
        sizeof...(A));
}
/// A module, holder or pointer to one as it is, a lambda as a module.
template <class M> nn::ModulePtr module_of(M&& m) {
    using D = std::decay_t<M>;
    if constexpr (requires { &D::operator(); } && !std::is_base_of_v<nn::Module, D>)
        return function_module(D(std::forward<M>(m)), &D::operator());
    else return nn::detail::as_module_ptr(std::forward<M>(m));
}
} // namespace detail

namespace detail {
TensorDict call_between_keys(const char* name, nn::Module& module, const std::vector<NestedKey>& in_keys,
                             const std::vector<NestedKey>& out_keys, TensorDict tensordict);
void check_wrapped(const char* name, const nn::ModulePtr& module, const std::vector<NestedKey>& in_keys,
                   const std::vector<NestedKey>& out_keys);

/// What TensorDictModule and its kin are; `Derived::printed_name` names the class.
template <class Derived> class WrapperOf : public TensorDictCloneable<Derived> {
public:
    WrapperOf(nn::ModulePtr module, std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys) {
        check_wrapped(Derived::printed_name, module, in_keys, out_keys);
        this->in_keys_ = std::move(in_keys);
        this->out_keys_ = std::move(out_keys);
        this->add_module("module", std::move(module));
    }
    void reset() override {}
    TensorDict forward(TensorDict tensordict) override {
        return call_between_keys(Derived::printed_name, *this->children_[0].value(), this->in_keys_, this->out_keys_,
                                 std::move(tensordict));
    }
    nn::ModulePtr module() const { return this->children_[0].value(); }
    std::string repr() const override {
        return this->repr_of(Derived::printed_name, {"module=" + module()->repr(), this->keys_text()});
    }
};
} // namespace detail

/// Calls `module` (its hooks included) with the entries `in_keys` and writes what it returns - a tensor, or a tuple or
/// list with one tensor per key - under `out_keys`; the key "_" drops a result. Keys may be nested. State and
/// parameters are the module's, below "module".
///
/// Errors: KeyError naming the missing entry and the nearest ones there are; ValueError when the module returned
/// another number of results.
class TensorDictModuleImpl : public detail::WrapperOf<TensorDictModuleImpl> {
public:
    using detail::WrapperOf<TensorDictModuleImpl>::WrapperOf;
    static constexpr const char* printed_name = "TensorDictModule";
};
/// `TensorDictModule(nn::Linear(4, 2), {"observation"}, {"action_value"})`; a lambda does for a module.
class TensorDictModule : public nn::ModuleHolder<TensorDictModuleImpl> {
public:
    using nn::ModuleHolder<TensorDictModuleImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = TensorDictModuleImpl;
    template <class M>
    TensorDictModule(M&& module, std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys)
        : ModuleHolder(std::make_shared<TensorDictModuleImpl>(detail::module_of(std::forward<M>(module)),
                                                              std::move(in_keys), std::move(out_keys))) {}
};

} // namespace reel::rl
