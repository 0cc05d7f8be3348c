// The kernels that copy and fill.
#pragma once

#include <reel/autograd/kernels/copy.hpp>

namespace reel::cuda {

/// dst[...] = src[...] with conversion; same shape. Queued on the device's current stream; a copy to the host is waited
/// for unless `non_blocking` and the host's memory is page-locked.
void device_copy(const Tensor& dst, const Tensor& src, bool non_blocking);
/// dst[...] = value, queued on the device's current stream.
void device_fill(const Tensor& dst, const Scalar& value);

} // namespace reel::cuda
