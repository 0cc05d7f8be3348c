// What wraps a module between entries of a dictionary.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/nn/modules/sequential.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>

namespace reel::rl::detail {

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

} // namespace reel::rl::detail
