// The rounds of hooks within a pass: each calls the hooks of one table in order, and takes what they return.
#pragma once

#include <reel/autograd/node.hpp>

#include "tape/node_extras.hpp"

namespace reel::autograd {

/// Tensor hooks on what arrived at `n`, then the gradients that non-leaves retain (T-6, T-12, T-24). Gradients of a
/// leaf get its gradient's dtype first (E-78).
void run_tensor_hooks(Node& n, GradList& grads);
/// Of `n`, which has such hooks.
void run_node_prehooks(Node& n, GradList& grads);
/// Of `n`, which has such hooks; `grad_outputs` is what its rule was given.
void run_node_posthooks(Node& n, GradList& grad_inputs, const variable_list& grad_outputs);
/// Of a leaf whose gradient was accumulated (T-16).
void run_post_accumulate_hooks(const Tensor& leaf);

inline bool has_prehooks(const Node& n) { return n.extras() && n.extras()->pre; }
inline bool has_posthooks(const Node& n) { return n.extras() && n.extras()->post; }

} // namespace reel::autograd
