// The power family on the device.
#include <reel/autograd/pointwise/power.hpp>

#include "pointwise.cuh"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    attach_pointwise(pointwise::power_binary{});
    return true;
}();
} // namespace

} // namespace reel::cuda
