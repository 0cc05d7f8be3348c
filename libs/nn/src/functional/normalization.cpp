// Functional forms of the norms over instances and neighbours.
#include <reel/autograd/ops/nn/batch_norm.hpp>
#include <reel/autograd/ops/nn/local_response_norm.hpp>
#include <reel/nn/functional/normalization.hpp>

namespace reel::nn::functional {

Tensor instance_norm(const Tensor& x, const InstanceNormFuncOptions& o) {
    return reel::functional_instance_norm(x, o.running_mean(), o.running_var(), o.weight(), o.bias(),
                                          o.use_input_stats(), o.momentum(), o.eps());
}
Tensor local_response_norm(const Tensor& x, const LocalResponseNormFuncOptions& o) {
    return reel::local_response_norm(x, o.size(), double(o.alpha()), double(o.beta()), double(o.k()));
}

} // namespace reel::nn::functional
