// What ops with loops of their own share with the pointwise rules.
#pragma once

#include <reel/autograd/pointwise/run_rule.hpp>

#include "tensor/promotion.hpp"
#include "tensor/raw.hpp"

namespace reel::pointwise::detail {

/// Runs a loop of two operands into `out`, which has their shape; all have one device.
void run_into(const Launch& launch, const Tensor& out, const Tensor& x, const Tensor& o);
/// `t` on the device where the result lives: a plain number or one element of the CPU's, expanded or not, follows it
/// there; others stay as they are.
Tensor following(const Tensor& t, Device where);

} // namespace reel::pointwise::detail
