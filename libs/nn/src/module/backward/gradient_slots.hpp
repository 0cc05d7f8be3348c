// Which tensors of the arguments or of the result carry backward hooks, and what hooks see in their places.
#pragma once

#include <string>
#include <vector>

#include <reel/autograd/value.hpp>
#include <reel/nn/hooks.hpp>

namespace reel::nn::detail {

/// The tensors among the elements of an argument tuple or a result (B-2, B-6). `shape` holds the elements with their
/// tensors dropped; it stays empty in the common case that every element is a tensor.
struct Slots {
    std::size_t count = 0;
    bool all_tensors = false;
    Args shape;
    /// `n` tensors and nothing else.
    static Slots of_tensors(std::size_t n) { return {n, true, {}}; }
};
/// Those of `elements`; tensors inside their containers count when `nested`.
Slots slots_of(const Args& elements, bool nested);
/// What a hook sees: gradients in place of tensors, none elsewhere. `grads` has one entry per tensor.
Value gradient_tuple(const Slots& slots, ArrayRef<Tensor> grads);
/// One value per tensor out of such a tuple; Error where a hook returned one of another structure.
std::vector<Value> gradients_in(const Slots& slots, const Value& tuple);
/// The same with key paths.
GradSlots grad_slots(const Slots& slots, const Value& tuple);

} // namespace reel::nn::detail
