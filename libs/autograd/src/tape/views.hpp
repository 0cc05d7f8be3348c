// Views on the tape: their histories follow what is written through their base or its other views.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::autograd {

inline Tensor base_of(const Tensor& view) { return Tensor(view.impl()->view_base()); }
/// Brings a view's grad_fn up to date after its base or a sibling was modified (E-44, E-47).
void refresh_view(const Tensor& view, bool asked = false);
/// The same, though nothing was modified: the view gets a new grad_fn.
void regenerate_view(const Tensor& view);
/// Throws because the tape cannot make `view` again from its base (E-47, B-33 to B-36); `what` says why it should.
[[noreturn]] void refuse_view(const Tensor& view, const char* what, const char* op);

} // namespace reel::autograd
