// Custom differentiable functions: a class with static `forward` and `backward` (rules E-61 to E-71, E-82, E-83).
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <reel/autograd/detail/function_rules.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/value.hpp>

namespace reel::autograd {

/// Positions [first, second) among the tensor arguments of a Function.
using IndexRange = std::pair<std::size_t, std::size_t>;

class FunctionNode; // src/tape/function_node.hpp

/// What `forward` leaves for `backward`. It lives as long as the node, and must not be kept beyond.
class AutogradContext {
public:
    AutogradContext(const AutogradContext&) = delete;
    AutogradContext& operator=(const AutogradContext&) = delete;

    /// Anything that is no tensor of the graph: those are checked for their version by save_for_backward.
    ValueDict saved_data;
    /// Keeps tensors (inputs, outputs, intermediates, undefined ones) for backward, with version check (E-39, E-65).
    void save_for_backward(variable_list tensors);
    /// The tensors saved, in order. Throws Error after they were released (E-35), or on the second access when
    /// `set_clear_saved_on_access` is on (E-83).
    variable_list get_saved_variables() const;
    /// Announces inputs that forward modified in place; each must be returned (E-68).
    void mark_dirty(const variable_list& inputs);
    /// These outputs do not require grad; backward still gets a slot for them (E-67).
    void mark_non_differentiable(const variable_list& outputs);
    /// Off: backward sees undefined gradients instead of zeros (E-66). On by default.
    void set_materialize_grads(bool value);
    /// Backward runs with grad mode off, and its results cannot be differentiated again (E-71).
    void set_once_differentiable(bool value = true);
    /// Saved tensors are dropped as soon as they have been read (E-83).
    void set_clear_saved_on_access(bool value = true);
    /// Gradients arriving at this output are cast to `dtype` before backward sees them; what backward returns is cast
    /// to its input's dtype as always (E-83). For example float32 gradients of a bfloat16 output.
    void set_output_grad_dtype(const Tensor& output, ScalarType dtype);
    /// Is the gradient of tensor argument `i` wanted in the running pass (E-63)? Counts tensor arguments only.
    bool needs_input_grad(std::size_t i) const;
    /// Is any of the gradients in these half-open ranges wanted?
    bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;
    /// The node that holds this context.
    Node& node() const;

private:
    friend class FunctionNode;
    explicit AutogradContext(FunctionNode& node) : node_(node) {}
    FunctionNode& node_;
};

/// Base of custom functions:
///
///     struct Cube : Function<Cube> {
///         static Tensor forward(AutogradContext* ctx, const Tensor& x) { ctx->save_for_backward({x}); return x * x *
///         x; } static variable_list backward(AutogradContext* ctx, variable_list g) {
///             const Tensor x = ctx->get_saved_variables()[0];
///             return {g[0] * 3 * x * x};
///         }
///     };
///     Tensor y = Cube::apply(x);
///
/// `forward` runs with grad mode off. `backward` gets one gradient per tensor that forward returned (undefined for
/// results that are not tensors) and returns one per argument. The two-part form leaves out `ctx` in `forward` and adds
/// `static void setup_context(AutogradContext*, const std::tuple<Args...>& inputs, const Result& output)`;
/// `vjp` is accepted for `backward`. `static constexpr bool once_differentiable = true` switches E-71 on. A backward
/// that takes `variable_list&` gets the list itself and may empty it early; nobody else holds its gradients (E-83).
/// `static variable_list jvp(AutogradContext*, variable_list tangents)` gives the function a forward mode: one tangent
/// per argument comes (zeros for tensors of the graph that have none, undefined for what is not a tensor), one per
/// output goes. Without it forward mode through the function throws.
template <class T> struct Function {
    template <class X = T, class... A> static auto apply(A&&... args) {
        std::vector<std::optional<Tensor>> arguments;
        (impl::add_argument(arguments, static_cast<const std::decay_t<A>&>(args)), ...);
        constexpr bool two_part = !requires(AutogradContext * c) { X::forward(c, args...); };
        static_assert(
            !two_part || requires { X::forward(args...); },
            "forward of a Function is static and takes (AutogradContext*, arguments...), or the arguments "
            "alone beside a setup_context; these are not the arguments that apply was given");
        const auto run = [&](AutogradContext* ctx) {
            if constexpr (two_part) {
                auto r = X::forward(args...);
                X::setup_context(ctx, std::tuple<const std::decay_t<A>&...>(args...), r);
                return r;
            } else {
                return X::forward(ctx, args...);
            }
        };
        using Result = decltype(run(nullptr));
        std::optional<Result> result;
        impl::FunctionRules rules;
        rules.name = impl::function_name(typeid(X));
        rules.forward = [&](AutogradContext* ctx) {
            result.emplace(run(ctx));
            variable_list list;
            impl::collect_results(list, *result);
            return list;
        };
        rules.backward = backward_of<X>();
        constexpr bool has_jvp = requires(AutogradContext * c, variable_list t) { X::jvp(c, t); };
        static_assert(
            has_jvp || !requires { &X::jvp; },
            "jvp of a Function is `static variable_list jvp(AutogradContext* ctx, variable_list tangents)`: "
            "one tangent per argument comes, one per result goes");
        if constexpr (has_jvp)
            rules.jvp = [](AutogradContext* c, variable_list t) { return to_list(X::jvp(c, std::move(t))); };
        if constexpr (requires { X::once_differentiable; }) rules.once_differentiable = X::once_differentiable;
        const variable_list outputs = impl::apply_function(std::move(rules), arguments);
        std::size_t next = 0;
        impl::replace_results(*result, outputs, next);
        return std::move(*result);
    }

private:
    template <class X> static std::function<variable_list(AutogradContext*, variable_list)> backward_of() {
        constexpr bool has_backward = requires(AutogradContext * c, variable_list g) { X::backward(c, g); };
        constexpr bool has_vjp = requires(AutogradContext * c, variable_list g) { X::vjp(c, g); };
        static_assert(
            has_backward || !requires { &X::backward; },
            "backward of a Function is `static variable_list backward(AutogradContext* ctx, variable_list "
            "grad_outputs)`: one gradient per result comes, one per argument goes");
        static_assert(
            has_vjp || !requires { &X::vjp; },
            "vjp of a Function is `static variable_list vjp(AutogradContext* ctx, variable_list "
            "grad_outputs)`: one gradient per result comes, one per argument goes");
        static_assert(!(has_backward && has_vjp), "a Function defines backward or vjp, not both");
        if constexpr (has_backward)
            return [](AutogradContext* c, variable_list g) {
                if constexpr (requires { X::backward(c, std::move(g)); }) return to_list(X::backward(c, std::move(g)));
                else return to_list(X::backward(c, g));
            };
        else if constexpr (has_vjp)
            return [](AutogradContext* c, variable_list g) {
                if constexpr (requires { X::vjp(c, std::move(g)); }) return to_list(X::vjp(c, std::move(g)));
                else return to_list(X::vjp(c, g));
            };
        else return {};
    }
    template <class R>
    static constexpr bool is_gradients =
        std::is_same_v<R, Tensor> || std::is_same_v<R, variable_list> || impl::is_tuple<R>;
    template <class R> static variable_list to_list(R r) {
        static_assert(is_gradients<R>, "backward, vjp and jvp of a Function return a variable_list (or a Tensor, or a "
                                       "tuple of them)");
        variable_list list;
        impl::collect_results(list, r);
        return list;
    }
};

} // namespace reel::autograd
