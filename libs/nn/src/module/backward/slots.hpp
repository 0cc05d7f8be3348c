// Tensor leaves of arguments and results: which ones carry backward hooks, and how structures are rebuilt around them.
#pragma once

#include <string>
#include <vector>

#include <reel/autograd/value.hpp>
#include <reel/nn/hooks.hpp>

namespace reel::nn::detail {

/// Collects the tensors of one top-level element: itself, or (when `nested`) the leaves of containers, in order.
void collect_leaves(const Value& element, bool nested, std::vector<Tensor>& out);
/// For observers: all of them.
variable_list tensors_of(const Value& v);
/// The element with its leaves replaced by `leaves[next++]`.
Value with_leaves(const Value& element, bool nested, ArrayRef<Tensor> leaves, std::size_t& next);

/// The tensors among the elements of an argument tuple or a result (B-2, B-6). `shape` holds the elements with their
/// tensors dropped; it stays empty in the common case that every element is a tensor.
struct Slots {
    std::size_t count = 0;
    bool all_tensors = false;
    Args shape;
};
Slots slots_of(const Args& args, bool nested);
/// What a hook sees: gradients in place of tensors, none elsewhere. `grads` has one entry per tensor.
Value gradient_tuple(const Slots& slots, bool nested, ArrayRef<Tensor> grads);
/// One value per tensor out of such a tuple; Error where a hook returned one of another structure.
std::vector<Value> gradients_in(const Slots& slots, const Value& tuple);
/// The same with key paths.
GradSlots grad_slots(const Slots& slots, const Value& tuple);

} // namespace reel::nn::detail
