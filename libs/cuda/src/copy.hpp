// The copy that tensors call when one side lives on the device.
#pragma once

#include <reel/autograd/fwd.hpp>

namespace reel::cuda {

/// dst[...] = src[...] with conversion; same shape. Queued on the device's current stream; copies to the host wait for
/// it.
void device_copy(const Tensor& dst, const Tensor& src, bool non_blocking);

} // namespace reel::cuda
