// Functions over tensors that run as one: recorded at their first call, replayed without ops and tape afterwards.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/nn/fwd.hpp>
#include <reel/script/detail/compiled_calls.hpp>

namespace reel::jit {

/// What became of the calls of a compiled function.
struct CompileReport {
    /// One recording, for one kind of arguments.
    struct Graph {
        std::string arguments;                          ///< `float32[4, 8] requires grad, float32[8]; grad mode on`
        std::string why_eager{};                        ///< empty when calls are replayed
        std::vector<std::string> forward{}, backward{}; ///< the kernels and loops, in their order
        std::size_t fused_loops = 0;                    ///< pointwise loops that run together with others
        std::size_t groups = 0;                         ///< as which they run
        std::size_t scratch_bytes = 0;                  ///< memory that the recording keeps for itself
        std::size_t saved_bytes = 0;                    ///< memory that a call keeps for its backward
        std::uint64_t replays = 0;                      ///< calls that were replayed
    };
    std::vector<Graph> graphs;
    std::uint64_t calls = 0, replays = 0;
    /// Why calls went eagerly without a look at their arguments, each reason once.
    std::vector<std::string> eager;
    /// All of that, for people to read.
    std::string text() const;
};
std::ostream& operator<<(std::ostream& os, const CompileReport& report);

/// What a compiled function depends on beside its arguments: for a module its training flags, hooks and members.
class CompileWatch {
public:
    virtual ~CompileWatch() = default;
    /// Why the next call must go eagerly; null when it need not.
    virtual const char* obstacle() const = 0;
    /// Appends what a recording holds for; another state gets another recording.
    virtual void state(std::vector<std::uintptr_t>& into) const = 0;
    /// May it still be asked?
    virtual bool lives() const { return true; }
};

/// A function over tensors, compiled: `compile` makes it. Copies share what was recorded.
template <class F> class Compiled {
public:
    explicit Compiled(F f, std::shared_ptr<const CompileWatch> watch = nullptr)
        : function_(std::make_shared<F>(std::move(f))),
          calls_(std::make_shared<detail::CompiledCalls>(function_, std::move(watch))) {}

    template <class... A>
    requires(std::convertible_to<const A&, const Tensor&>&&...) auto operator()(const A&... arguments) const {
        using R = std::decay_t<std::invoke_result_t<F&, const as_tensor<A>&...>>;
        const Tensor list[sizeof...(A) + 1] = {static_cast<const Tensor&>(arguments)...};
        return detail::FromList<R>::from(calls_->call(&invoke<sizeof...(A)>, TensorList(list, sizeof...(A))));
    }
    /// What was recorded, what was not, and why.
    CompileReport explain() const { return calls_->explain(); }
    /// Forgets all recordings.
    void reset() const { calls_->reset(); }
    /// The function itself.
    F& function() const { return *function_; }

private:
    template <class> using as_tensor = Tensor;
    template <std::size_t n> static std::vector<Tensor> invoke(void* f, TensorList arguments) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return detail::to_list((*static_cast<F*>(f))(arguments[I]...));
        }
        (std::make_index_sequence<n>{});
    }
    std::shared_ptr<F> function_;
    std::shared_ptr<detail::CompiledCalls> calls_;
};

/// Compiles a function over tensors: `f(Tensor...)`, which returns a tensor, a pair or tuple of tensors, or a vector of
/// them. Calls give what `f` gives, bit for bit, and gradients, first or higher, as `f` gives them.
///
/// The first call with arguments of given shapes, strides, dtypes and `requires_grad` (and grad mode) runs `f` and
/// records which kernels run over which memory, forward and backward; later ones run those kernels again, pointwise
/// ones fused, in memory that was laid out once, as one node on the tape. `f` itself does not run then, so it must do
/// nothing but compute its results of its arguments and of tensors that stay: what it does beside (counting, printing)
/// happens when it is recorded. Tensors that it captures may change in place; one that a recording alone still
/// holds was replaced, and the next call records anew.
///
/// Random numbers are drawn in every call, from the default generator's stream, as `f` draws them; indices and targets
/// are checked in every call; tensors from outside that `f` writes without recording it (running moments, under
/// NoGradGuard) are written once a call.
///
/// What cannot be replayed runs eagerly, every time: reading values (`item`, `data_ptr`, ops whose shapes depend on
/// values), generators given to ops, writing to arguments, gradients that depend on a tensor that the call writes,
/// results that alias arguments or each other, hooks on tensors in between, functions with a backward of their own,
/// tensors on a device;
/// so do calls under anomaly mode, inference mode, observers or hooks on saved tensors. `explain()` tells which and
/// why. Errors: those of `f`.
template <class F>
requires(!std::convertible_to<F, std::string>) Compiled<std::decay_t<F>> compile(F&& f) {
    return Compiled<std::decay_t<F>>(std::forward<F>(f));
}

/// What became of the calls of a module after its `compile()`. Error for a module that is not compiled.
CompileReport explain(const nn::Module& module);

} // namespace reel::jit
