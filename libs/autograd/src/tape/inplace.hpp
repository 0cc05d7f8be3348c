// In-place work on the tape: what is refused before data changes, and how histories move (rules E-42 to E-49).
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::autograd {

/// Throws before anything is written when `op` must not modify `self`.
void check_inplace(const Tensor& self, const char* op);
/// Throws when recorded values must not be written into `self`, though it may be off the tape itself: a view that the
/// tape cannot make again from its base (E-47). For operands beside `self` that require grad; before anything is
/// written.
void check_recorded_write(const Tensor& self, const char* op);
/// Throws when `self` is an inference tensor outside of inference mode (E-51).
void refuse_inference(const Tensor& self, const char* op);
/// After `op` overwrote `self`'s data by what `result` holds: bumps the version and gives `self` (and the base it
/// views) the history of `result`. A result that depends on nothing on the tape (undefined, or of an op without
/// derivative) cuts the history that `self` has: what `self` held before gets a gradient of zeros.
void rebase_history(const Tensor& self, const Tensor& result, const char* op);

} // namespace reel::autograd
