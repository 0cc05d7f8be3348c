// Forward mode: tangents that follow the tape from dual tensors to what was computed from them.
#pragma once

#include <cstdint>

#include <reel/autograd/tensor.hpp>

/// Directional derivatives in the form of torch.autograd.forward_ad. A dual tensor is a primal on the tape that carries
/// a tangent; ops record as usual, and `unpack_dual` pushes the tangents along the recorded nodes: through a custom
/// Function by its `jvp` (an Error without one), through every other node by its backward rule, differentiated once
/// more. So recording must be on, nothing may have been released, and a node without second derivatives has no forward
/// mode.
namespace reel::autograd::forward_ad {

/// Opens a level; levels do not nest (Error). Dual tensors live until it is closed.
std::uint64_t enter_dual_level();
/// Closes it; Error when it is not the open one. Tangents of that level are gone.
void exit_dual_level(std::uint64_t level);

/// A level for a scope.
class DualLevel {
public:
    DualLevel() : level_(enter_dual_level()) {}
    ~DualLevel();
    DualLevel(const DualLevel&) = delete;
    std::uint64_t level() const { return level_; }

private:
    std::uint64_t level_;
};

/// An alias of `primal` (floating or complex) with a tangent of its shape and dtype (ValueError otherwise). Error
/// outside of a level.
Tensor make_dual(const Tensor& primal, const Tensor& tangent);

struct DualTensor {
    Tensor primal;  ///< the tensor; for a dual tensor what it was made from
    Tensor tangent; ///< undefined when it depends on no dual tensor
};
/// The tangent of anything computed from dual tensors. With `create_graph` it can be differentiated.
DualTensor unpack_dual(const Tensor& t, bool create_graph = false);

} // namespace reel::autograd::forward_ad
