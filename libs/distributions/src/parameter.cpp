#include <reel/autograd/ops/factory/full.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

Tensor Parameter::tensor(const Tensor& like) const {
    return tensor(like.defined() ? TensorOptions(like.scalar_type()).device(like.device()) : TensorOptions());
}
Tensor Parameter::tensor(const TensorOptions& number) const { return number_ ? full({}, *number_, number) : tensor_; }

} // namespace reel::distributions
