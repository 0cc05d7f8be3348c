// Going through a backward pass node by node.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/backward.hpp>

namespace reel::inspect {

/// One stop of a BackwardSteps: a node that is about to run.
struct BackwardStep {
    std::size_t number = 0; ///< from 0
    autograd::NodePtr node;
    std::string name, module_path;
    std::string leaf_shape; ///< of an accumulator's leaf
    /// The gradients that have arrived, one per output of the forward op; undefined where none did. Tensor hooks and
    /// node pre-hooks have run. Assigning replaces them: shape and dtype must stay.
    autograd::variable_list grads;
};

/// A backward pass that stands still before every node:
///
///     for (BackwardSteps steps(loss); BackwardStep* step = steps.next();)
///         if (step->name == "TanhBackward0") step->grads[0] = step->grads[0].clamp(-1, 1);
///
/// Hooks run as ever. The pass runs on a thread of its own, which has this thread's modes; between two calls of `next`
/// nothing moves. Recorders that are open here see it as if it ran here. Accumulators come when the engine takes them,
/// so gradients of leaves appear on the way.
class BackwardSteps {
public:
    /// Arguments as those of `Tensor::backward`.
    explicit BackwardSteps(const Tensor& loss, const Tensor& gradient = {}, bool retain_graph = false);
    /// Stops the pass when it has not ended.
    ~BackwardSteps();
    BackwardSteps(const BackwardSteps&) = delete;
    /// Lets the node of the last step run and goes to the next one; null after the last. Throws what the pass throws,
    /// and Error for a replaced gradient of another shape or dtype.
    BackwardStep* next();
    /// Runs on to the first step for which `wanted` is true; null when there is none.
    BackwardStep* next_where(const std::function<bool(const BackwardStep&)>& wanted);
    /// Runs the rest without stopping.
    void finish();
    /// Ends the pass here: what has been accumulated stays, nothing more is.
    void stop();
    bool done() const;

private:
    struct Pass;
    std::unique_ptr<Pass> pass_;
};

/// Where the first NaN or infinity comes from.
struct NonFinite {
    std::string node, module_path, place;
    bool forward = false;    ///< true: the op that `node` stands for made it, in its result; else its gradient is meant
    bool arrived = false;    ///< true: no node made it; it came with the seed, or lies in a leaf that `node` reads
    std::size_t operand = 0; ///< of the forward op, whose gradient is not finite; for `forward` that leaf
    bool nan = false;        ///< else an infinity
    std::string text;
    std::vector<NonFinite> others; ///< of forward: what does not follow from the first, in order; `text` tells of them
};
/// First what forward made: the first op whose result is not finite although its operands are, as far as the tape saved
/// them or they follow from what it saved. (Ops in between that saved nothing cannot be told apart: `node` is the first
/// of them, the text names all. Further ones that made such a value on their own are in `others`.) Then backward: runs
/// it from `loss`, stops at the first node that makes a NaN or an infinity of finite gradients. None when there is
/// none. Hooks run. Leaves' gradients and the tape stay. The place is known in anomaly mode or under a Recorder.
std::optional<NonFinite> find_non_finite(const Tensor& loss, const Tensor& gradient = {});

} // namespace reel::inspect
