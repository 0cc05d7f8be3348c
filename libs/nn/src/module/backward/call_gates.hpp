// The gates that a module call with backward hooks puts around its forward (rules B-2 to B-9).
#pragma once

#include "module/backward/state.hpp"

namespace reel::nn::detail {

/// Made once per call, before its inputs are wrapped.
class CallGates {
public:
    CallGates(Module& m, BackwardHooks&& hooks);
    const Module& module() const { return *state_->module; }
    /// Are hooks shown tensors inside structures, too? Not in the reference mode (B-4).
    bool nested() const { return state_->nested; }

    /// Replaces `tensors`, which are those in the arguments that `slots` describe, by aliases under N of B-2, which
    /// runs the full hooks. False, and they are left alone, where nothing requires grad.
    bool wrap_inputs(TensorList& tensors, Slots&& slots);
    /// What stands for the tensor `i` of the inputs, once they are wrapped.
    const Tensor& input(std::size_t i) const { return aliases_[i].second; }
    /// Forward is done: in-place work on an alias was work on the caller's tensor, which gets the history.
    void hand_back_history();
    /// As `wrap_inputs` for the result: O of B-6, which runs the pre-hooks.
    bool wrap_outputs(TensorList& tensors, Slots&& slots);
    /// The same for a result that is a tensor, which needs no alias when nobody else holds it.
    void wrap_output(Tensor& result);

private:
    StatePtr state_;
    AliasList aliases_; ///< of the inputs
};

} // namespace reel::nn::detail
