// Hooks over tensors, arguments or values become the canonical form.
#pragma once

#include <atomic>
#include <optional>
#include <type_traits>
#include <utility>

#include <reel/nn/hook_types.hpp>

namespace reel::nn::detail {

Value tensors_to_tuple(const variable_list& tensors);
variable_list tuple_to_tensors(const Value& tuple);
Value args_result(const std::optional<Args>& args);
/// For hooks over spans; throws TypeError naming what is not a Tensor.
variable_list all_tensors(const Args& args, const char* kind);
/// What such a hook returned: none, a tuple, or a bare tensor in place of a bare one.
Value tensors_result(const std::optional<variable_list>& tensors, bool tuple);
/// The one gradient that a backward hook over a Tensor sees; throws TypeError where there are more.
const Tensor& single_gradient(const Module& m, const variable_list& gradients);
template <class T> inline constexpr bool always_false = false;
/// Is `F` written for values? Lists of tensors convert to values, so that being callable with them says nothing.
template <class F, class... Values> inline constexpr bool takes_values = requires { &F::operator(); }
&&std::is_invocable_v<F&, Module&, Values...>;

/// What a hook returned as a value (none where it returns nothing), or the sentence that says what it may return.
template <class Call> Value hook_result(Call call) {
    using R = decltype(call());
    if constexpr (std::is_void_v<R>) return call(), Value();
    else if constexpr (std::is_constructible_v<Value, R>) return Value(call());
    else
        static_assert(always_false<R>,
                      "this hook returns something else than it may: nothing, a Value, or what converts to one");
}
/// The same where the hook is over lists of tensors and may return one; `tuple`: in place of several.
template <class Call> Value hook_result_over_lists(Call call, bool tuple) {
    using R = decltype(call());
    if constexpr (!std::is_same_v<R, Value> && std::is_convertible_v<R, std::optional<variable_list>>)
        return tensors_result(call(), tuple);
    else return hook_result(call);
}
/// (args, kwargs) as a hook returns them, plain or optional.
template <class Call> Value call_arguments(Call call) {
    using R = decltype(call());
    using Both = std::optional<std::pair<Args, Kwargs>>;
    if constexpr (std::is_void_v<R> || std::is_same_v<R, Value>) return hook_result(call);
    else if constexpr (std::is_convertible_v<R, Both>) {
        const Both r = call();
        return r ? Value::tuple({Value::tuple(r->first), Value(r->second)}) : Value();
    } else
        static_assert(always_false<R>,
                      "a forward pre-hook over keyword arguments returns nothing, both Args and Kwargs "
                      "(a pair or an optional one), or a Value");
}
/// Lambdas over Tensor, over Args, or over Args and Kwargs become the canonical form.
template <class F> ForwardPreHook adapt_forward_pre(F f) {
    using AR = const Args&;
    if constexpr (std::is_invocable_v<F&, Module&, AR, const Kwargs&>) {
        return {[f = std::move(f)](Module& m, AR a, const Kwargs& k) mutable -> Value {
                    return call_arguments([&] { return f(m, a, k); });
                },
                true};
    } else if constexpr (std::is_invocable_v<F&, Module&, AR>) {
        using R = std::invoke_result_t<F&, Module&, AR>;
        return {[f = std::move(f)](Module& m, AR a, const Kwargs&) mutable -> Value {
            if constexpr (std::is_convertible_v<R, std::optional<Args>> && !std::is_same_v<R, Value>)
                return args_result(f(m, a)); // arguments, though a list of values converts to a value too
            else return hook_result([&] { return f(m, a); });
        }};
    } else if constexpr (std::is_invocable_v<F&, Module&, const Tensor&>) {
        return {.over_tensor = [f = std::move(f)](Module& m, const Tensor& in) mutable -> Value {
            return hook_result([&] { return f(m, in); });
        }};
    } else if constexpr (std::is_invocable_v<F&, Module&, const variable_list&>) {
        return {[f = std::move(f)](Module& m, AR a, const Kwargs&) mutable -> Value {
            return hook_result_over_lists([&] { return f(m, all_tensors(a, "forward pre-hook")); }, true);
        }};
    } else
        static_assert(always_false<F>, "a forward pre-hook takes (Module&, Tensor), (Module&, span of Tensor), "
                                       "(Module&, Args) or (Module&, Args, Kwargs)");
}

/// The output for a hook over a Tensor: an undefined one where forward threw and the hook runs all the same.
inline Tensor output_tensor(const Value& o, bool always_call) {
    return always_call && o.isNone() ? Tensor() : o.toTensor();
}
template <class F> ForwardHook adapt_forward(F f, bool always_call) {
    using AR = const Args&;
    using VR = const Value&;
    if constexpr (std::is_invocable_v<F&, Module&, AR, const Kwargs&, VR>) {
        return {[f = std::move(f)](Module& m, AR a, const Kwargs& k, VR o) mutable -> Value {
                    return hook_result([&] { return f(m, a, k, o); });
                },
                true, always_call};
    } else if constexpr (std::is_invocable_v<F&, Module&, const Tensor&, const Tensor&>) {
        return {.always_call = always_call,
                .over_tensors = [f = std::move(f)](Module& m, const Tensor& in, const Tensor& out) mutable -> Value {
                    return hook_result([&] { return f(m, in, out); });
                }};
    } else if constexpr (std::is_invocable_v<F&, Module&, AR, VR>) {
        return {[f = std::move(f)](Module& m, AR a, const Kwargs&, VR o) mutable -> Value {
                    return hook_result([&] { return f(m, a, o); });
                },
                false, always_call};
    } else if constexpr (std::is_invocable_v<F&, Module&, AR, const Tensor&>) {
        return {[f = std::move(f), always_call](Module& m, AR a, const Kwargs&, VR o) mutable -> Value {
                    return hook_result([&] { return f(m, a, output_tensor(o, always_call)); });
                },
                false, always_call};
    } else if constexpr (std::is_invocable_v<F&, Module&, const variable_list&, const variable_list&>) {
        return {[f = std::move(f)](Module& m, AR a, const Kwargs&, VR o) mutable -> Value {
                    const variable_list in = all_tensors(a, "forward hook");
                    const variable_list out = all_tensors(o.isSequence() ? o.elements() : Args{o}, "forward hook");
                    return hook_result_over_lists([&] { return f(m, in, out); }, o.isSequence());
                },
                false, always_call};
    } else
        static_assert(always_false<F>, "a forward hook takes (Module&, Tensor, Tensor), two spans of Tensor, "
                                       "(Module&, Args, Value or Tensor) or (Module&, Args, Kwargs, Value)");
}

/// The gradients that a hook over lists returned, if any; else the sentence.
template <class Call> std::optional<variable_list> backward_tensors(Call call) {
    using R = decltype(call());
    if constexpr (std::is_void_v<R>) return call(), std::nullopt;
    else if constexpr (std::is_convertible_v<R, std::optional<variable_list>>) return call();
    else
        static_assert(always_false<R>,
                      "a full backward hook over lists returns nothing, a variable_list, an optional one or a "
                      "Value: one gradient for each");
}
template <class Call> Value backward_result(Call call) {
    if constexpr (std::is_same_v<decltype(call()), Value>) return call();
    else {
        const std::optional<variable_list> r = backward_tensors(call);
        return r ? tensors_to_tuple(*r) : Value();
    }
}
/// Over a single Tensor, an undefined result keeps the gradient.
template <class Call> std::optional<variable_list> one_backward_tensor(Call call) {
    if constexpr (std::is_void_v<decltype(call())>) return call(), std::nullopt;
    else {
        const Tensor t = call();
        return t.defined() ? std::optional(variable_list{t}) : std::nullopt;
    }
}
template <class F> BackwardPreHook adapt_backward_pre(F f) {
    if constexpr (!std::is_invocable_v<F&, Module&, const variable_list&> &&
                  std::is_invocable_v<F&, Module&, const GradSlots&>) {
        return {{}, {}, [f = std::move(f)](Module& m, const GradSlots& go) mutable {
                    return backward_tensors([&] { return f(m, go); });
                }};
    } else if constexpr (!takes_values<F, const Value&> && !std::is_invocable_v<F&, Module&, const variable_list&> &&
                         std::is_invocable_v<F&, Module&, const Tensor&>) {
        return {{}, [f = std::move(f)](Module& m, const variable_list& go) mutable {
                    return one_backward_tensor([&] { return f(m, single_gradient(m, go)); });
                }};
    } else if constexpr (!takes_values<F, const Value&> && std::is_invocable_v<F&, Module&, const variable_list&>) {
        using R = std::invoke_result_t<F&, Module&, const variable_list&>;
        if constexpr (std::is_same_v<R, Value>)
            return {[f = std::move(f)](Module& m, const Value& go) mutable { return f(m, tuple_to_tensors(go)); }, {}};
        else
            return {{}, [f = std::move(f)](Module& m, const variable_list& go) mutable {
                        return backward_tensors([&] { return f(m, go); });
                    }};
    } else if constexpr (std::is_invocable_v<F&, Module&, const Value&>) {
        return {[f = std::move(f)](Module& m, const Value& go) mutable -> Value {
                    return backward_result([&] { return f(m, go); });
                },
                {}};
    } else
        static_assert(always_false<F>, "a full backward pre-hook takes (Module&, Tensor), (Module&, variable_list), "
                                       "(Module&, GradSlots) or (Module&, Value): the gradients of the outputs");
}
template <class F> BackwardHook adapt_backward(F f) {
    if constexpr (!std::is_invocable_v<F&, Module&, const variable_list&, const variable_list&> &&
                  std::is_invocable_v<F&, Module&, const GradSlots&, const GradSlots&>) {
        return {{}, {}, [f = std::move(f)](Module& m, const GradSlots& gi, const GradSlots& go) mutable {
                    return backward_tensors([&] { return f(m, gi, go); });
                }};
    } else if constexpr (!takes_values<F, const Value&, const Value&> &&
                         !std::is_invocable_v<F&, Module&, const variable_list&, const variable_list&> &&
                         std::is_invocable_v<F&, Module&, const Tensor&, const Tensor&>) {
        return {{}, [f = std::move(f)](Module& m, const variable_list& gi, const variable_list& go) mutable {
                    return one_backward_tensor([&] { return f(m, single_gradient(m, gi), single_gradient(m, go)); });
                }};
    } else if constexpr (!takes_values<F, const Value&, const Value&> &&
                         std::is_invocable_v<F&, Module&, const variable_list&, const variable_list&>) {
        using R = std::invoke_result_t<F&, Module&, const variable_list&, const variable_list&>;
        if constexpr (std::is_same_v<R, Value>)
            return {[f = std::move(f)](Module& m, const Value& gi, const Value& go) mutable {
                        return f(m, tuple_to_tensors(gi), tuple_to_tensors(go));
                    },
                    {}};
        else
            return {{}, [f = std::move(f)](Module& m, const variable_list& gi, const variable_list& go) mutable {
                        return backward_tensors([&] { return f(m, gi, go); });
                    }};
    } else if constexpr (std::is_invocable_v<F&, Module&, const Value&, const Value&>) {
        return {[f = std::move(f)](Module& m, const Value& gi, const Value& go) mutable -> Value {
                    return backward_result([&] { return f(m, gi, go); });
                },
                {}};
    } else
        static_assert(always_false<F>,
                      "a full backward hook takes (Module&, Tensor, Tensor), (Module&, variable_list, variable_list), "
                      "(Module&, GradSlots, GradSlots) or (Module&, Value, Value): the gradients of the inputs, then "
                      "those of the outputs");
}

/// Non-zero when any global hook of the four call kinds exists; the call path's one test besides the module's own flag.
extern std::atomic<unsigned> global_call_hooks;
RemovableHandle add_global(ForwardPreHook h);
RemovableHandle add_global(ForwardHook h);
RemovableHandle add_global(BackwardPreHook h);
RemovableHandle add_global(BackwardHook h, bool full, bool after_parameter_grads = false);

} // namespace reel::nn::detail
