// A module of any type, and a function as a module.
#pragma once

#include <functional>
#include <typeinfo>
#include <utility>

#include <reel/nn/any_value.hpp>
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/modules/sequential.hpp>

namespace reel::nn {

/// Holds any module. `any(x...)` runs hooks, `forward` does not; both check the arguments at run time and return a
/// `Tensor` unless asked for another type: `any.forward<std::tuple<Tensor, Tensor>>(x)`. `get` and `ptr` demand the
/// exact type. Copies share the module; using an empty one throws Error.
class AnyModule {
public:
    AnyModule() = default;
    template <class M>
    requires(!std::is_same_v<std::decay_t<M>, AnyModule>) explicit AnyModule(M&& module)
        : AnyModule(detail::as_typed_ptr(std::forward<M>(module))) {}
    template <class M> explicit AnyModule(std::shared_ptr<M> module) : module_(module) {
        if (module) detail::ModuleAccess::learn_class<M>(*module);
    }
    template <class M>
    requires(!std::is_same_v<std::decay_t<M>, AnyModule>) AnyModule& operator=(M&& module) {
        return *this = AnyModule(std::forward<M>(module));
    }
    template <class R = Tensor, class... A> R forward(A&&... args) const {
        return detail::unpack<R>(checked().forward_values(Args{detail::pack(std::forward<A>(args))...}, {}));
    }
    template <class R = Tensor, class... A> R operator()(A&&... args) const {
        return detail::unpack<R>(checked().call_values(Args{detail::pack(std::forward<A>(args))...}, {}));
    }
    AnyValue any_forward(const Args& args) const { return checked().call_values(args); }
    template <class... A>
    requires(sizeof...(A) != 1 || !(std::is_same_v<std::decay_t<A>, Args> && ...)) AnyValue any_forward(A&&... args)
    const { return checked().call_values(Args{detail::pack(std::forward<A>(args))...}); }
    /// The module as the class (or holder) it was given as; Error names both types otherwise.
    template <class M> M& get() const {
        check_type(typeid(M));
        return static_cast<M&>(*module_);
    }
    template <class M>
    requires(requires { typename M::ContainedType; }) M get()
    const { return M(ptr<typename M::ContainedType>()); }
    template <class M> std::shared_ptr<M> ptr() const {
        check_type(typeid(M));
        return std::static_pointer_cast<M>(module_);
    }
    ModulePtr ptr() const {
        checked();
        return module_;
    }
    AnyModule clone(std::optional<Device> device = std::nullopt) const;
    bool is_empty() const noexcept { return !module_; }
    const std::type_info& type_info() const;

private:
    Module& checked() const;
    void check_type(const std::type_info& wanted) const;
    ModulePtr module_;
};

/// Calls a function as a module: `Functional(relu)`, `Functional([](const Tensor& x) { return x * 2; })`; further
/// arguments are bound behind the input: `Functional(log_softmax_of, 1)`.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
public:
    using Function = std::function<Tensor(Tensor)>;
    explicit FunctionalImpl(Function function) : function_(std::move(function)) {}
    template <class F, class... A>
    requires(sizeof...(A) > 0) FunctionalImpl(F function, A&&... bound)
        : function_([f = std::move(function), ... b = std::decay_t<A>(std::forward<A>(bound))](
                        const Tensor& x) mutable -> Tensor { return f(x, b...); }) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    Tensor operator()(const Tensor& input) { return call(*this, input); }
    bool is_serializable() const override { return false; }

private:
    Function function_;
};
REEL_MODULE(Functional);

} // namespace reel::nn
