// The activation family on the device.
#include <reel/autograd/pointwise/activation.hpp>

#include "pointwise.cuh"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    attach_pointwise(pointwise::activation_unary{});
    attach_pointwise(pointwise::activation_piecewise{});
    return true;
}();
} // namespace

} // namespace reel::cuda
