// A hook whose result may be none: what it holds may return nothing at all.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

namespace reel {

template <class Signature> class HookFunction;

/// A `std::function<R(A...)>` that also takes functions returning void: they answer `R()`, which every hook reads as
/// "as it was" (none, no list, an undefined tensor).
template <class R, class... A> class HookFunction<R(A...)> : public std::function<R(A...)> {
public:
    HookFunction() = default;
    HookFunction(std::nullptr_t) {}
    template <class F>
    requires(!std::is_base_of_v<HookFunction, std::decay_t<F>> && std::is_invocable_v<std::decay_t<F>&, A...>)
        HookFunction(F&& fn)
        : std::function<R(A...)>(answering(std::forward<F>(fn))) {}

private:
    template <class F> static std::function<R(A...)> answering(F&& fn) {
        using Answer = std::invoke_result_t<std::decay_t<F>&, A...>;
        if constexpr (std::is_void_v<Answer>)
            return [fn = std::decay_t<F>(std::forward<F>(fn))](A... a) mutable -> R {
                fn(std::forward<A>(a)...);
                return R();
            };
        else {
            static_assert(std::is_convertible_v<Answer, R>,
                          "this hook returns something else than its kind may: nothing, "
                          "or the result type of the HookFunction named below");
            return std::forward<F>(fn);
        }
    }
};

} // namespace reel
