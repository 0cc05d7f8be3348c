// Functional forms of the activations, over the ops of the same names.
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/nn/functional/activation.hpp>

#include <reel/autograd/error.hpp>

namespace reel::nn::functional {

Tensor selu(const Tensor& x, const SELUFuncOptions& o) { return o.inplace() ? reel::selu_(x) : reel::selu(x); }
Tensor relu6(const Tensor& x, const ReLU6FuncOptions& o) { return o.inplace() ? reel::relu6_(x) : reel::relu6(x); }
Tensor celu(const Tensor& x, const CELUFuncOptions& o) {
    return o.inplace() ? reel::celu_(x, double(o.alpha())) : reel::celu(x, double(o.alpha()));
}
Tensor mish(const Tensor& x, const MishFuncOptions& o) { return o.inplace() ? reel::mish_(x) : reel::mish(x); }
Tensor hardsigmoid(const Tensor& x, const HardsigmoidFuncOptions& o) {
    return o.inplace() ? reel::hardsigmoid_(x) : reel::hardsigmoid(x);
}
Tensor hardswish(const Tensor& x, const HardswishFuncOptions& o) {
    return o.inplace() ? reel::hardswish_(x) : reel::hardswish(x);
}
Tensor hardtanh(const Tensor& x, const HardtanhFuncOptions& o) {
    const double low = double(o.min_val()), high = double(o.max_val());
    REEL_CHECK_VALUE(low <= high, "hardtanh: min_val ", low, " must not be above max_val ", high);
    return o.inplace() ? reel::hardtanh_(x, low, high) : reel::hardtanh(x, low, high);
}
Tensor hardshrink(const Tensor& x, const HardshrinkFuncOptions& o) { return reel::hardshrink(x, double(o.lambda())); }
Tensor softshrink(const Tensor& x, const SoftshrinkFuncOptions& o) { return reel::softshrink(x, double(o.lambda())); }
Tensor threshold(const Tensor& x, const ThresholdFuncOptions& o) {
    const double at = double(o.threshold()), value = double(o.value());
    return o.inplace() ? reel::threshold_(x, at, value) : reel::threshold(x, at, value);
}
Tensor rrelu(const Tensor& x, const RReLUFuncOptions& o) {
    return o.inplace() ? reel::rrelu_(x, o.lower(), o.upper(), o.training())
                       : reel::rrelu(x, o.lower(), o.upper(), o.training());
}
Tensor prelu(const Tensor& x, const Tensor& weight) { return reel::prelu(x, weight); }
Tensor glu(const Tensor& x, const GLUFuncOptions& o) { return reel::glu(x, o.dim()); }

} // namespace reel::nn::functional
