// The parts of complex numbers, as views.
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/strided.hpp>

namespace reel {

/// The real part: a view of complex input, real input itself.
REEL_OP("real(Tensor input) -> Tensor", composite, view)
Tensor real(const Tensor& input) { return input.is_complex() ? select(view_as_real(input), -1, 0) : input; }
/// The imaginary part, a view; complex input only.
REEL_OP("imag(Tensor input) -> Tensor", composite, view)
Tensor imag(const Tensor& input) {
    REEL_CHECK(input.is_complex(), "imag: input is ", dtype_name(input.scalar_type()),
               "; only complex tensors have an imaginary part");
    return select(view_as_real(input), -1, 1);
}

} // namespace reel
