// The rounding family on the device.
#include <reel/autograd/pointwise/rounding.hpp>

#include "pointwise.cuh"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    attach_pointwise(pointwise::rounding_unary{});
    return true;
}();
} // namespace

} // namespace reel::cuda
