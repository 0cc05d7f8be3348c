// The exponential family on the device.
#include <reel/autograd/pointwise/exponential.hpp>

#include "pointwise.cuh"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    attach_pointwise(pointwise::exponential_unary{});
    return true;
}();
} // namespace

} // namespace reel::cuda
