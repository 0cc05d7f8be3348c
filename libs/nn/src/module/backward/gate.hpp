// The identity node through which full backward hooks look at gradients (rules B-1, B-6).
#pragma once

#include <utility>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::nn::detail {

/// Passes gradients on; every undefined one becomes zeros first (B-1). Derived gates run the hooks.
class HookGate : public autograd::Node {
public:
    std::string name() const override { return "BackwardHookGateBackward"; }
    bool materializes_undefined() const override { return true; }
    bool is_alias() const override { return true; }
    autograd::Work work() const override { return autograd::Work::kMoves; }

protected:
    /// What is passed on of `arrived`.
    autograd::GradList filled(autograd::GradList arrived) const;
};
using TensorList = SmallVector<Tensor, 3>;

/// Is there anything to look at: is grad mode on and does any of `tensors` require grad (B-2)?
bool wants_gate(const TensorList& tensors);
/// Pairs of original and alias.
using AliasList = SmallVector<std::pair<Tensor, Tensor>, 3>;
/// Puts `gate` over `tensors` and replaces each by its alias. In reference mode the aliases are views that refuse
/// in-place work (B-33, B-34). `replaced` receives what was replaced, unless it is null.
void wrap_with_gate(HookGate& gate, TensorList& tensors, bool reference_mode, AliasList* replaced);
/// The same for one tensor that nobody else holds: it needs no alias.
void move_behind_gate(HookGate& gate, const Tensor& tensor);

} // namespace reel::nn::detail
