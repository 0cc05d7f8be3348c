// Filling tensors in place with what a kernel draws.
#pragma once

#include <reel/autograd/kernels/random.hpp>

#include "tape/inplace.hpp"
#include "tensor/raw.hpp"

namespace reel::detail {

/// Lets `draw()` fill `self` for an op that changes it in place.
template <class Draw> Tensor& fill_by(const char* op, const Tensor& self, Draw draw) {
    autograd::check_inplace(self, op);
    draw();
    autograd::rebase_history(self, Tensor(), op);
    return const_cast<Tensor&>(self);
}
inline void check_floating(const char* op, const Tensor& t) {
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t.scalar_type()), op, ": input is ", dtype_name(t.scalar_type()),
                               "; expected a floating dtype");
}

} // namespace reel::detail
