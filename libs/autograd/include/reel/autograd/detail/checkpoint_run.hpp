// One checkpointed call, in both forms, and a chain of stages that is checkpointed part by part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/function.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

namespace reel::autograd {
struct CheckpointOptions;
}

namespace reel::autograd::impl {

/// The scope of one checkpointed forward: everything saved inside is dropped and brought back by `recompute`.
class CheckpointScope {
public:
    /// `inputs`: tensors that must not be modified in place before they are used again.
    CheckpointScope(const CheckpointOptions& options, std::function<void()> recompute, const variable_list& inputs);
    ~CheckpointScope();
    CheckpointScope(const CheckpointScope&) = delete;

private:
    std::unique_ptr<SavedTensorsHooksGuard> guard_;
    std::shared_ptr<void> context_; ///< of the forward; it leaves first
};
void collect_tensors(const Value& v, variable_list& out);
void collect_tensors(const Args& args, variable_list& out);
template <class T> void collect_inputs(const T& a, variable_list& out) {
    if constexpr (std::is_convertible_v<const T&, Tensor>) collect_tensors(Value(Tensor(a)), out);
    else if constexpr (std::is_same_v<T, variable_list>) out.insert(out.end(), a.begin(), a.end());
    else if constexpr (std::is_same_v<T, Value> || std::is_same_v<T, Args>) collect_tensors(a, out);
}
/// The function on these tensors in place of its tensor arguments.
using ReentrantRun = std::function<variable_list(const variable_list& tensors)>;
/// One entry per argument, as for `apply_function`.
variable_list checkpoint_reentrant(const CheckpointOptions& options, ReentrantRun run,
                                   const std::vector<std::optional<Tensor>>& arguments);
void refuse_keywords(bool any);
/// A function that returns nothing as one that returns no results.
template <class F> struct WithoutResult {
    F fn;
    template <class... A> std::tuple<> operator()(A&... args) {
        fn(args...);
        return {};
    }
};
template <class T> void put_tensors(T& argument, const variable_list& from, std::size_t& next) {
    if constexpr (std::is_same_v<T, Tensor>) argument = from[next++];
    else if constexpr (std::is_same_v<T, variable_list>)
        for (Tensor& t : argument) t = from[next++];
}
template <class F, class... A>
auto reentrant(const CheckpointOptions& options, F fn, A... args) -> std::invoke_result_t<F&, A&...> {
    using Result = std::invoke_result_t<F&, A&...>;
    const auto keywords = [](const auto& a) {
        if constexpr (std::is_same_v<std::decay_t<decltype(a)>, Kwargs>) return !a.empty();
        else return false;
    };
    refuse_keywords((keywords(args) || ...));
    std::vector<std::optional<Tensor>> arguments;
    (add_argument(arguments, args), ...);
    auto last = std::make_shared<std::optional<Result>>();
    const variable_list outputs = checkpoint_reentrant(
        options,
        [fn = std::move(fn), stored = std::tuple<A...>(args...), last,
         again = false](const variable_list& tensors) mutable {
            auto now = stored;
            std::size_t next = 0;
            std::apply([&](auto&... a) { (put_tensors(a, tensors, next), ...); }, now);
            last->emplace(std::apply(fn, now));
            variable_list list;
            collect_results(list, **last);
            if (std::exchange(again, true)) last->reset(); // only the forward's result goes to the caller
            return list;
        },
        arguments);
    Result result = std::move(**last);
    last->reset();
    std::size_t next = 0;
    replace_results(result, outputs, next);
    return result;
}
template <class F> Tensor call_stage(F& f, const Tensor& x) {
    if constexpr (std::is_invocable_r_v<Tensor, F&, const Tensor&>) return f(x);
    else return f->call_values({Value(x)}).toTensor(); // a module
}
/// Length of the segments (E-91). Throws ValueError unless 1 <= segments <= n.
std::size_t segment_length(std::size_t n, std::int64_t segments);
/// What `checkpoint_sequential` does with a range of stages; `checkpoint` is found where it is called.
template <class Stages>
Tensor in_segments(const CheckpointOptions& options, const Stages& stages, std::int64_t segments, const Tensor& input) {
    using Stage = std::decay_t<decltype(*std::begin(stages))>;
    std::vector<Stage> all;
    for (const auto& s : stages) all.push_back(s);
    const std::size_t length = segment_length(all.size(), segments);
    const auto part = [&](std::size_t begin, std::size_t end) {
        return [stages = std::vector<Stage>(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end))](
                   Tensor x) mutable {
            for (Stage& s : stages) x = call_stage(s, x);
            return x;
        };
    };
    Tensor x = input;
    std::size_t begin = 0;
    for (std::int64_t i = 1; i < segments; ++i, begin += length)
        x = checkpoint(options, part(begin, begin + length), std::move(x));
    return part(begin, all.size())(std::move(x));
}

} // namespace reel::autograd::impl
