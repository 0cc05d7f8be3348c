// The identity node through which full backward hooks look at gradients (rules B-1, B-6).
#pragma once

#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::nn::detail {

/// Passes gradients on unchanged; every undefined one becomes zeros first (B-1).
class HookGate final : public autograd::Node {
public:
    std::string name() const override { return "BackwardHookGateBackward"; }
    autograd::GradList apply(autograd::GradList&& grads) override;
    bool materializes_undefined() const override { return true; }
};

/// Puts one gate over `tensors` and replaces each by its alias. Returns null, leaving them alone, when grad mode is off
/// or none requires grad (B-2). In reference mode the aliases are views that refuse in-place work (B-33, B-34).
intrusive_ptr<HookGate> wrap_with_gate(std::vector<Tensor>& tensors, bool reference_mode);

} // namespace reel::nn::detail
