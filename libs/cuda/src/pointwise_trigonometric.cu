// The trigonometric family on the device.
#include <reel/autograd/pointwise/trigonometric.hpp>

#include "pointwise.cuh"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    attach_pointwise(pointwise::trigonometric_unary{});
    return true;
}();
} // namespace

} // namespace reel::cuda
