// Gradients for many seeds at once: the rows of a Jacobian.
#pragma once

#include <reel/autograd/backward.hpp>

namespace reel::autograd {

/// `grad` for a batch of seeds, as Python's `grad(..., is_grads_batched=True)`: entry i of `grad_outputs` is
/// [batch, outputs[i]...], and every result has `batch` as its first dimension. One pass for each of the batch over one
/// graph, so that hooks run in each. Errors: Error for a seed without a batch dimension, of another shape than its
/// output, or of another batch than the others; those of `grad`.
variable_list grad_batched(const GradientPoints& outputs, const GradientPoints& inputs,
                           const variable_list& grad_outputs, std::optional<bool> retain_graph = std::nullopt,
                           bool create_graph = false, std::optional<bool> allow_unused = std::nullopt,
                           bool materialize_grads = false);

} // namespace reel::autograd
