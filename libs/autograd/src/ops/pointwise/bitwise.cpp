// Operators of tensors for operations on bits.
#include <reel/autograd/ops/pointwise/bitwise.hpp>

namespace reel {

Tensor Tensor::operator~() const { return reel::bitwise_not(*this); }
Tensor& Tensor::operator&=(const Tensor& o) const { return reel::bitwise_and_(*this, o); }
Tensor& Tensor::operator|=(const Tensor& o) const { return reel::bitwise_or_(*this, o); }
Tensor& Tensor::operator^=(const Tensor& o) const { return reel::bitwise_xor_(*this, o); }

} // namespace reel
