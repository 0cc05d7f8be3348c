// Degrees and radians.
#include <reel/autograd/ops/pointwise/trigonometric.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel {

/// Degrees as radians.
REEL_OP("deg2rad(Tensor input) -> Tensor", composite, method, out, inplace, samples(call(numbers({4, 3}))))
Tensor deg2rad(const Tensor& input) {
    REEL_CHECK(!input.is_complex(), "deg2rad: input is complex; expected real angles");
    return input * 0.017453292519943295769;
}
/// Radians as degrees.
REEL_OP("rad2deg(Tensor input) -> Tensor", composite, method, out, inplace)
Tensor rad2deg(const Tensor& input) {
    REEL_CHECK(!input.is_complex(), "rad2deg: input is complex; expected real angles");
    return input * 57.295779513082320877;
}

} // namespace reel
