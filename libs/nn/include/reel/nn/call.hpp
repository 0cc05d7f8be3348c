// Calling a module with hooks: typed arguments in, typed result out, values only when a hook looks (C-1 to C-9).
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <reel/nn/module.hpp>

namespace reel::nn {

namespace detail {

template <class M> struct ForwardSignature; // of an unambiguous, non-template `forward`
template <class R, class C, class... A> struct ForwardSignature<R (C::*)(A...)> {
    using Result = R;
    using Arguments = std::tuple<std::decay_t<A>...>;
};
template <class R, class C, class... A>
struct ForwardSignature<R (C::*)(A...) const> : ForwardSignature<R (C::*)(A...)> {};
template <class M>
concept PlainForward = requires {
    &M::forward;
};

template <class T> inline constexpr bool is_tuple = false;
template <class... E> inline constexpr bool is_tuple<std::tuple<E...>> = true;
/// C++ value -> Value. An undefined tensor is none, inside a tuple too; types that Value does not know are boxed.
template <class T> Value pack(T&& v) {
    using D = std::decay_t<T>;
    if constexpr (std::is_same_v<D, Value>) return std::forward<T>(v);
    else if constexpr (std::is_same_v<D, Tensor>) return v.defined() ? Value(std::forward<T>(v)) : Value(); // absent
    else if constexpr (is_tuple<D>) return std::apply([](const auto&... e) { return Value::tuple({pack(e)...}); }, v);
    else if constexpr (std::is_constructible_v<Value, T>) return Value(std::forward<T>(v));
    else return Value::box<D>(std::forward<T>(v));
}
template <class T> struct Unpack {
    static T from(const Value& v) { return v.to<T>(); }
};
template <class... E> struct Unpack<std::tuple<E...>> {
    static std::tuple<E...> from(const Value& v) {
        const auto& e = v.elements();
        REEL_CHECK_TYPE(e.size() == sizeof...(E), "module call: expected a tuple of ", sizeof...(E), " values, got ",
                        e.size());
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple<E...>(Unpack<E>::from(e[I])...); }
        (std::index_sequence_for<E...>());
    }
};
template <class T> struct Unpack<std::optional<T>> {
    static std::optional<T> from(const Value& v) {
        if (v.isNone()) return std::nullopt;
        return Unpack<T>::from(v);
    }
};
template <> struct Unpack<Tensor> {
    static Tensor from(const Value& v) { return v.isNone() ? Tensor() : v.toTensor(); }
};
template <class T> std::decay_t<T> unpack(const Value& v) { return Unpack<std::decay_t<T>>::from(v); }

[[noreturn]] void throw_argument_count(const Module& m, std::size_t expected, std::size_t got);
[[noreturn]] void throw_unexpected_kwargs(const Module& m, const Kwargs& kwargs);

template <class M, class Signature> Value forward_thunk(Module& base, const Args& args, const Kwargs& kwargs) {
    using Arguments = typename Signature::Arguments;
    using Result = typename Signature::Result;
    constexpr std::size_t n = std::tuple_size_v<Arguments>;
    if (!kwargs.empty()) throw_unexpected_kwargs(base, kwargs);
    if (args.size() > n) throw_argument_count(base, n, args.size());
    M& m = static_cast<M&>(base);
    return [&]<std::size_t... I>(std::index_sequence<I...>)->Value {
        const auto invoke = [&](auto&&... a) -> Value {
            if constexpr (std::is_void_v<Result>) return m.forward(std::forward<decltype(a)>(a)...), Value();
            else return pack(m.forward(std::forward<decltype(a)>(a)...));
        };
        if (args.size() < n) {
            // Trailing arguments may be left out when undefined or none converts to them.
            Args full(args);
            full.resize(n);
            const bool ok = ((I < args.size() || std::is_same_v<std::tuple_element_t<I, Arguments>, Tensor>)&&...);
            if (!ok) throw_argument_count(base, n, args.size());
            return invoke(unpack<std::tuple_element_t<I, Arguments>>(full[I])...);
        }
        return invoke(unpack<std::tuple_element_t<I, Arguments>>(args[I])...);
    }
    (std::make_index_sequence<n>());
}
template <class M> ForwardThunk forward_thunk_for() {
    if constexpr (PlainForward<M>) return &forward_thunk<M, ForwardSignature<decltype(&M::forward)>>;
    else return nullptr;
}

/// Forward of one call as values -> value, without owning it.
class ForwardRef {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_const_t<F>, ForwardRef>) ForwardRef(F& f)
        : object_(&f),
          call_([](void* o, const Args& a, const Kwargs& k) -> Value { return (*static_cast<F*>(o))(a, k); }) {}
    Value operator()(const Args& a, const Kwargs& k) const { return call_(object_, a, k); }

private:
    void* object_;
    Value (*call_)(void*, const Args&, const Kwargs&);
};
/// The sequence of C-3.
Value call_with_hooks(Module& m, Args args, Kwargs kwargs, ForwardRef forward);

template <class A> decltype(auto) unpack_arg(const Value& v) {
    if constexpr (std::is_constructible_v<Value, A> || std::is_same_v<std::decay_t<A>, Value>)
        return unpack<std::decay_t<A>>(v);
    else return v.get<std::decay_t<A>>();
}
} // namespace detail

/// Calls a module with its hooks. Without hooks this is exactly `module.forward(args...)` after one flag test.
/// Errors: whatever forward or a hook throws; TypeError when a hook replaced an argument by another kind.
template <class M, class... A> auto call(M& module, A&&... args) -> decltype(module.forward(std::forward<A>(args)...)) {
    if (!(module.has_call_hooks() | (detail::global_call_hooks.load(std::memory_order_relaxed) != 0))) [[likely]]
        return module.forward(std::forward<A>(args)...);
    using R = decltype(module.forward(std::forward<A>(args)...));
    auto forward = [&](const Args& a, const Kwargs& k) -> Value {
        if (!k.empty()) detail::throw_unexpected_kwargs(module, k);
        if (a.size() != sizeof...(A)) detail::throw_argument_count(module, sizeof...(A), a.size());
        return [&]<std::size_t... I>(std::index_sequence<I...>)->Value {
            if constexpr (std::is_void_v<R>) return module.forward(detail::unpack_arg<A>(a[I])...), Value();
            else return detail::pack(module.forward(detail::unpack_arg<A>(a[I])...));
        }
        (std::index_sequence_for<A...>());
    };
    Value result = detail::call_with_hooks(module, Args{detail::pack(args)...}, Kwargs(), detail::ForwardRef(forward));
    if constexpr (!std::is_void_v<R>) return detail::unpack<R>(result);
}
/// The same through values, for modules known only by their base.
inline Value call(Module& module, const Args& args, const Kwargs& kwargs) { return module.call_values(args, kwargs); }

} // namespace reel::nn
