// The generic in-place form of an op: compute out of place, write back, move the history.
#pragma once

#include <utility>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// Checks that `self` may be written (E-42, E-47, E-51) and returns a stand-in that carries its data and its place on
/// the tape, so that a rule may save it.
Tensor begin_in_place(const char* name, const Tensor& self);
/// Writes `result` into `self`; throws before that when shape or dtype do not fit. `stand_in` keeps its old data if
/// saved.
void finish_in_place(const char* name, const Tensor& self, const Tensor& stand_in, const Tensor& result);

template <class F> Tensor& in_place(const char* name, const Tensor& self, F fn) {
    const Tensor stand_in = begin_in_place(name, self);
    const Tensor result = fn(stand_in);
    finish_in_place(name, self, stand_in, result);
    return const_cast<Tensor&>(self);
}

} // namespace reel::detail
