// Running the tape backwards: from roots into leaves, or into requested gradients.
#pragma once

#include <optional>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// A place on the tape: a node's output slot. Accepted wherever a tensor may be a root or an input (T-35).
using GradientEdge = Edge;

/// Accumulates into the leaves (or only into `inputs`). Rules E-10 to E-19. `grad_tensors` may be empty, or hold one
/// (possibly undefined) seed per root.
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list& inputs = {});

/// Gradients of `outputs` with respect to `inputs`; touches no `.grad`. An unused input is an error unless
/// `allow_unused` (undefined) or `materialize_grads` (zeros). Rules E-10 to E-17.
variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   std::optional<bool> allow_unused = std::nullopt, bool materialize_grads = false);

/// Queues `fn` to run when the running pass has succeeded (E-26). Throws outside of a pass.
void queue_callback(std::function<void()> fn);
/// Id of the pass running on this thread, -1 outside of one.
std::int64_t current_graph_task_id();

} // namespace reel::autograd
