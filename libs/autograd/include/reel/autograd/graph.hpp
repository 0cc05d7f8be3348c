// What the tape keeps, seen from outside: saved tensors of a node, and keeping them in other memory.
#pragma once

#include <string>
#include <vector>

#include <reel/autograd/node.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

namespace reel::autograd::graph {

/// Python's names.
using saved_tensors_hooks = SavedTensorsHooksGuard;
using disable_saved_tensors_hooks = DisableSavedTensorsHooksGuard;
using allow_mutation_on_saved_tensors = AllowMutationOnSavedTensorsGuard;

/// Tensors saved in the scope wait for backward in the CPU's memory, and come back to their device when they are used.
class save_on_cpu : public SavedTensorsHooksGuard {
public:
    /// `pin_memory`: into memory that a device copies from by itself; counts where there is such a device.
    explicit save_on_cpu(bool pin_memory = false);
};

/// One tensor that a node keeps for its backward (Python's `grad_fn._raw_saved_self`). It holds the node.
class SavedTensor {
public:
    SavedTensor(NodePtr node, std::size_t index) : node_(std::move(node)), index_(index) {}
    /// The tensor, its place on the tape restored, through the hooks if there are any; undefined for an operand that
    /// was absent. Errors: Error once the node's tensors are released, and for one that was modified in place since.
    Tensor unpack() const;
    /// `pack` runs now, `unpack` at every use. Errors: Error where nothing is saved, it is released, or there are hooks
    /// already; and what `pack` throws.
    void register_hooks(PackHook pack, UnpackHook unpack) const;

private:
    NodePtr node_;
    std::size_t index_;
};
/// What `node` saved, in its own order: entries of built-in operations, or those of `save_for_backward`. Empty for
/// nodes that save nothing. Errors: Error for a custom function whose tensors are released.
std::vector<SavedTensor> saved_tensors(const NodePtr& node);
inline std::vector<SavedTensor> saved_tensors(const Tensor& result) { return saved_tensors(result.grad_fn()); }

} // namespace reel::autograd::graph
