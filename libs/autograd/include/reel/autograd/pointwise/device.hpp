// Where a device library puts its kernels for pointwise rules.
#pragma once

#include <reel/autograd/device.hpp>
#include <reel/autograd/fwd.hpp>

namespace reel::pointwise {

/// Runs `t[0] = f(t[1], ...)` on the device. The operands have one dtype, the result the one that the rule makes of it;
/// all have one shape and live on one device; `op` points to the rule. Returns false when the device has no kernel for
/// the operands' dtype.
using DeviceLoop = bool (*)(const void* op, const Tensor* const* t, int n);
/// One entry per device kind for each rule, named by its type; null until a device library sets it.
template <class Op> inline DeviceLoop device_loop[3] = {};

} // namespace reel::pointwise
