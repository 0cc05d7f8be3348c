// A module's forward from typed arguments to values and back.
#pragma once

#include <array>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/detail/pack.hpp>

namespace reel::nn::detail {

template <class M> struct ForwardSignature; // of an unambiguous, non-template `forward`
template <class R, class C, class... A> struct ForwardSignature<R (C::*)(A...)> {
    using Result = R;
    using Arguments = std::tuple<std::decay_t<A>...>;
    /// What forward writes to cannot come out of a list of values.
    static constexpr bool only_reads =
        !((std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>) || ...);
};
template <class R, class C, class... A>
struct ForwardSignature<R (C::*)(A...) const> : ForwardSignature<R (C::*)(A...)> {};
template <class M>
concept PlainForward = requires {
    &M::forward;
};

/// The parameters of a forward. `names` ("input, mask") comes from the class's own `forward_arguments`, else it is
/// null; `defaults`, of the last parameters, from its `static Args forward_defaults()`.
struct Parameters {
    std::size_t count;
    const char* names;
    const bool* may_be_absent;      ///< without defaults: optionals and tensors, but for a tensor that comes first
    const Args* defaults = nullptr; ///< what stands in front of them must be given
};
template <class M> constexpr const char* forward_names() {
    if constexpr (requires { M::forward_arguments; }) return M::forward_arguments;
    else return nullptr;
}
/// Reaches what a class declares for type-erased calls, in whatever section that stands.
struct ForwardAccess {
    template <class M> static const Args* defaults() {
        if constexpr (requires { M::forward_defaults(); }) {
            static const Args values = M::forward_defaults();
            return &values;
        } else return nullptr;
    }
};
/// The values in the order of their indices, which must be those of the last parameters.
Args defaults_in_order(std::initializer_list<std::pair<std::size_t, Value>> defaults);
/// One value per parameter: `args` itself, or `storage` where keyword arguments were put in place or some are absent.
const Args& bind_arguments(const Module& m, const Parameters& p, const Args& args, const Kwargs& kwargs, Args& storage);
[[noreturn]] void throw_argument(const Module& m, const Parameters& p, std::size_t i, const TypeError& why);
[[noreturn]] void throw_result(const Module& m, const TypeError& why);

template <class T> T unpack_nth(const Args& args, std::size_t i, std::size_t& at) { return unpack<T>(args[at = i]); }
/// The tuple `T` of typed arguments.
template <class T, std::size_t... I>
T unpack_arguments(const Module& m, const Parameters& p, [[maybe_unused]] const Args& args, std::index_sequence<I...>) {
    [[maybe_unused]] std::size_t at = 0;
    try {
        return T{unpack_nth<std::tuple_element_t<I, T>>(args, I, at)...};
    } catch (const TypeError& e) {
        throw_argument(m, p, at, e);
    }
}

template <class M, class Signature> Value forward_thunk(Module& base, const Args& args, const Kwargs& kwargs) {
    using Arguments = typename Signature::Arguments;
    constexpr std::size_t n = std::tuple_size_v<Arguments>;
    using All = std::make_index_sequence<n>;
    static constexpr auto absent = []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<bool, n + 1>{((I > 0 && std::is_same_v<std::tuple_element_t<I, Arguments>, Tensor>) ||
                                        is_optional<std::tuple_element_t<I, Arguments>>)...,
                                       false};
    }
    (All());
    Parameters p{n, forward_names<M>(), absent.data()};
    p.defaults = ForwardAccess::defaults<M>();
    Args storage;
    Arguments a = unpack_arguments<Arguments>(base, p, bind_arguments(base, p, args, kwargs, storage), All());
    M& m = static_cast<M&>(base);
    return std::apply(
        [&](auto&... e) -> Value {
            if constexpr (std::is_void_v<typename Signature::Result>) return m.forward(std::move(e)...), Value();
            else return pack(m.forward(std::move(e)...));
        },
        a);
}
template <class M> ForwardThunk forward_thunk_for() {
    if constexpr (PlainForward<M>) {
        using Signature = ForwardSignature<decltype(&M::forward)>;
        if constexpr (Signature::only_reads) return &forward_thunk<M, Signature>;
        else return nullptr;
    } else return nullptr;
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
/// The same for forwards over tensors alone, which is most of them: hooks over tensors then need no values.
class TensorForwardRef {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_const_t<F>, TensorForwardRef>) TensorForwardRef(F& f)
        : object_(&f), call_([](void* o, const Tensor* a) -> Tensor { return (*static_cast<F*>(o))(a); }) {}
    Tensor operator()(const Tensor* args) const { return call_(object_, args); }

private:
    void* object_;
    Tensor (*call_)(void*, const Tensor*);
};
/// The sequence of C-3.
Value call_with_hooks(Module& m, Args args, Kwargs kwargs, ForwardRef forward);
Tensor call_with_hooks(Module& m, const Tensor* const* args, const Parameters& p, TensorForwardRef forward);

template <class A, class E> decltype(auto) forward_as(E& e) {
    if constexpr (std::is_same_v<std::remove_cvref_t<A>, E>) return static_cast<A&&>(e);
    else return std::move(e);
}

} // namespace reel::nn::detail
