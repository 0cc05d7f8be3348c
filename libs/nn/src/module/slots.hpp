// Tensor leaves of arguments and results: which ones carry backward hooks, and how structures are rebuilt around them.
#pragma once

#include <vector>

#include <reel/autograd/value.hpp>

namespace reel::nn::detail {

/// Collects the tensors of one top-level element: itself, or (when `nested`) the leaves of containers, in order.
void collect_leaves(const Value& element, bool nested, std::vector<Tensor>& out);
/// The element with its leaves replaced by `leaves[next++]`.
Value with_leaves(const Value& element, bool nested, ArrayRef<Tensor> leaves, std::size_t& next);
/// What a hook sees for this element: gradients in place of leaves, none elsewhere.
Value gradients_for(const Value& element, bool nested, ArrayRef<Tensor> grads, std::size_t& next);
/// Reads back one value per leaf from what a hook returned for this element.
void extract_gradients(const Value& element, bool nested, const Value& returned, std::vector<Value>& out);

} // namespace reel::nn::detail
