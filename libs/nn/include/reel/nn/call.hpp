// Calling a module with hooks: typed arguments in, typed result out, values only when a hook looks (C-1 to C-9).
#pragma once

#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include <reel/nn/any_value.hpp>
#include <reel/nn/detail/typed_call.hpp>
#include <reel/nn/module.hpp>
#include <reel/nn/pack.hpp>

namespace reel::nn {

/// A module was called with something that its forward does not take. The message starts with the module's path below
/// the outermost module that was called, and names the argument, what came and what was expected.
class ArgumentError : public TypeError {
public:
    ArgumentError(const Module& module, std::string text);
    ~ArgumentError() override;
    const char* what() const noexcept override { return whole_.c_str(); }
    /// The error passes through a call of `parent`.
    void within(const Module& parent);

private:
    const Module* module_;
    std::string text_, whole_;
};

namespace detail {
/// `e` leaves a call of `module`: it tells the path of the innermost module that it left, below the outermost one.
[[gnu::cold]] void left_call(Error& e, const Module& module);
} // namespace detail

/// Calls a module with its hooks. Without hooks this is exactly `module.forward(args...)` after one flag test.
/// Errors: whatever forward or a hook throws, with the path of the module in which it was thrown; ArgumentError when a
/// hook replaced an argument or the result by another kind.
template <class M, class... A> auto call(M& module, A&&... args) -> decltype(module.forward(std::forward<A>(args)...)) {
    using R = decltype(module.forward(std::forward<A>(args)...));
    try {
        if (!(module.has_call_hooks() | (detail::global_call_hooks.load(std::memory_order_relaxed) != 0))) [[likely]]
            return module.forward(std::forward<A>(args)...);
    } catch (Error& e) {
        detail::left_call(e, module);
        throw;
    }
    detail::ModuleAccess::learn_extent(module, {&module, sizeof(M)});
    constexpr std::size_t n = sizeof...(A);
    static constexpr bool absent[n + 1] = {};
    const detail::Parameters p{n, detail::forward_names<M>(), absent};
    if constexpr (std::is_same_v<R, Tensor> && n > 0 && (std::is_same_v<std::decay_t<A>, Tensor> && ...)) {
        const Tensor* all[] = {&args...};
        auto forward = [&](const Tensor* a) -> Tensor {
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return module.forward(static_cast<A&&>(const_cast<std::remove_cvref_t<A>&>(a[I]))...);
            }
            (std::index_sequence_for<A...>());
        };
        return detail::call_with_hooks(module, all, p, detail::TensorForwardRef(forward));
    } else {
        auto forward = [&](const Args& a, const Kwargs& k) -> Value {
            using Arguments = std::tuple<std::decay_t<A>...>;
            Args storage;
            Arguments typed = detail::unpack_arguments<Arguments>(
                module, p, detail::bind_arguments(module, p, a, k, storage), std::index_sequence_for<A...>());
            return std::apply(
                [&](auto&... e) -> Value {
                    if constexpr (std::is_void_v<R>) return module.forward(detail::forward_as<A>(e)...), Value();
                    else return detail::pack(module.forward(detail::forward_as<A>(e)...));
                },
                typed);
        };
        Value result =
            detail::call_with_hooks(module, Args{detail::pack(args)...}, Kwargs(), detail::ForwardRef(forward));
        if constexpr (!std::is_void_v<R>) {
            try {
                return detail::unpack<std::decay_t<R>>(result);
            } catch (const ArgumentError&) {
                throw;
            } catch (const TypeError& e) {
                detail::throw_result(module, e);
            }
        }
    }
}
/// The same through values, for modules known only by their base.
inline Value call(Module& module, const Args& args, const Kwargs& kwargs = {}) {
    return module.call_values(args, kwargs);
}

} // namespace reel::nn

/// Inside a module class: default arguments of its `forward`, so that type-erased calls (`AnyModule`, `Sequential`,
/// hooks) may leave them out: `REEL_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(3)}, {2, nn::AnyValue(0.5)})`. The
/// indices must be those of the last parameters; ValueError at the first call otherwise.
#define REEL_FORWARD_HAS_DEFAULT_ARGS(...)                                                                             \
    friend struct ::reel::nn::detail::ForwardAccess;                                                                   \
    static ::reel::Args forward_defaults() { return ::reel::nn::detail::defaults_in_order({__VA_ARGS__}); }
