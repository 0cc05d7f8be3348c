// Calls of a compiled function whatever its type, and its results as a list of tensors and back.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::jit {
struct CompileReport;
class CompileWatch;
} // namespace reel::jit

namespace reel::jit::detail {

/// The part of `Compiled` that does not depend on the function's type.
class CompiledCalls {
public:
    /// Calls the function at `target` with as many tensors as it takes.
    using Invoke = std::vector<Tensor> (*)(void* target, TensorList arguments);

    explicit CompiledCalls(std::shared_ptr<void> target, std::shared_ptr<const CompileWatch> watch = nullptr);
    ~CompiledCalls();
    /// `here`: what to call now in the place of the target, which the backward calls if it must; null for the target.
    std::vector<Tensor> call(Invoke invoke, TensorList arguments, void* here = nullptr);
    CompileReport explain() const;
    void reset();

    struct Impl;

private:
    std::shared_ptr<Impl> impl_;
};

/// Programs that include this header get the library that compiles modules, however they are linked.
bool modules_can_be_compiled();
inline const bool linked = modules_can_be_compiled();

inline std::vector<Tensor> to_list(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> to_list(std::vector<Tensor> t) { return t; }
template <class... T> std::vector<Tensor> to_list(std::tuple<T...> t) {
    return std::apply([](auto&... one) { return std::vector<Tensor>{std::move(one)...}; }, t);
}
template <class A, class B> std::vector<Tensor> to_list(std::pair<A, B> t) { return {t.first, t.second}; }

template <class R> struct FromList {
    template <std::size_t... I> static R make(std::vector<Tensor>&& list, std::index_sequence<I...>) {
        return R{std::move(list[I])...};
    }
    static R from(std::vector<Tensor>&& list) {
        if constexpr (std::is_same_v<R, Tensor>) return std::move(list[0]);
        else if constexpr (std::is_same_v<R, std::vector<Tensor>>) return std::move(list);
        else return make(std::move(list), std::make_index_sequence<std::tuple_size_v<R>>{});
    }
};

} // namespace reel::jit::detail
