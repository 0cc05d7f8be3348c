// The arithmetic family on the device.
#include <reel/autograd/pointwise/arithmetic.hpp>

#include "pointwise.cuh"

namespace reel::cuda {

namespace {
[[maybe_unused]] const bool attached = [] {
    attach_pointwise(pointwise::arithmetic_unary{});
    attach_pointwise(pointwise::arithmetic_binary{});
    return true;
}();
} // namespace

} // namespace reel::cuda
