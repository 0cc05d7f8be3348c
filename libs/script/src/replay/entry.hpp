// One recording of a compiled function: what it holds for, its plan, and how it runs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <reel/script/compiled_function.hpp>

#include "replay/plan.hpp"

namespace reel::jit::replay {

using Invoke = jit::detail::CompiledCalls::Invoke;

/// What a recording holds for.
struct Signature {
    struct Argument {
        Dims sizes, strides;
        ScalarType dtype;
        bool requires_grad;
        bool fits(const Tensor& t) const {
            return t.scalar_type() == dtype && t.sizes().equals(sizes) && t.strides().equals(strides) &&
                   t.requires_grad() == requires_grad;
        }
    };
    Invoke invoke = nullptr;
    std::vector<Argument> arguments;
    std::vector<std::uintptr_t> watched; ///< what the function's watch said
    bool grad = false;
    ScalarType default_dtype = ScalarType::Undefined;

    Signature(Invoke invoke, TensorList arguments, std::vector<std::uintptr_t> watched);
    bool fits(Invoke other, TensorList tensors, const std::vector<std::uintptr_t>& state) const;
    std::string text() const;
};

/// A leaf from outside, to which gradients go.
struct Leaf {
    Tensor tensor;
    const Storage* storage;
};

enum class EntryState : std::uint8_t {
    New,       ///< nothing yet
    Recording, ///< some thread is at it
    Unproven,  ///< the next call runs both ways and compares
    Ready,
    Eager, ///< cannot be replayed, `why` says why
};

struct Entry {
    explicit Entry(Signature s, std::shared_ptr<const CompileWatch> w = nullptr)
        : signature(std::move(s)), watch(std::move(w)) {}

    const Signature signature;
    std::shared_ptr<const CompileWatch> watch;
    int disturbed = 0; ///< how often somebody else drew random numbers while this was recorded or compared
    std::atomic<EntryState> state{EntryState::New};
    std::string why;            ///< written before the state becomes Eager
    std::unique_ptr<Plan> plan; ///< written before the state becomes Unproven
    std::vector<Leaf> leaves;
    std::vector<int> differentiable;                             ///< arguments that have an edge
    std::vector<int> kept_arguments, kept_outputs, kept_outside; ///< what the backward reads; memories for the last
    std::vector<int> deciding_arguments, deciding_outside;       ///< of which it reads what was computed from them
    std::mutex lock;                                             ///< of the plan's memory
    std::atomic<std::uint64_t> replays{0};
    std::vector<Dims> seed_layouts; ///< strides for which the backward is recorded; empty: those of the results
    std::atomic<int> misfits{0};    ///< backward passes in succession whose gradients had others
    std::vector<Dims> wanted;       ///< what the last of those had; under `lock`

    /// Have gradients arrived in other layouts often enough for a recording that fits them?
    bool shall_fit_others() const;
    std::vector<Dims> layouts_wanted();
    /// Notes in which layouts gradients have arrived; are they the recorded ones?
    bool fits(TensorList grads);
    /// Are the tensors from outside the ones that were recorded?
    bool is_current() const;
    /// Does what is watched have the state that was recorded, if it is still there?
    bool watch_agrees() const;
    /// A replay has not given what the function gave: for good, or because other threads drew from the same generator.
    void differs(bool by_others, EntryState otherwise, const char* reason);
    void give_up(std::string reason);
    /// What was recorded so far.
    void forget();
};

/// Calls the function, which is recorded into `entry`; what it returns is its own result.
std::vector<Tensor> record_call(Entry& entry, void* target, TensorList arguments);

/// What a replayed forward pass leaves.
struct ForwardRun {
    std::vector<Tensor> outputs; ///< without history
    StoragePtr saved;
};
ForwardRun run_forward(Entry& entry, TensorList arguments);
/// `arguments` and `outputs`: those that the backward reads, others may be undefined; `seeds` have the recorded
/// layouts.
std::vector<Tensor> run_backward(Entry& entry, TensorList arguments, TensorList outputs, const StoragePtr& saved,
                                 TensorList seeds);
/// `seed` in the layout that was recorded. Sums over another may be added up in another order.
Tensor laid_out(const Tensor& seed, const Slot& slot);
/// Equal bits, in row-major order.
bool same_bits(const Tensor& a, const Tensor& b);

/// Puts outputs of a replayed call on the tape as one node. `stream`: where random numbers were when it began.
void attach_node(std::shared_ptr<Entry> entry, std::shared_ptr<void> target, TensorList arguments, ForwardRun& run,
                 Tensor stream);

} // namespace reel::jit::replay
