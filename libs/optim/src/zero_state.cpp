// Where running values of a parameter begin.
#include "zero_state.hpp"

#include <complex>

#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>

namespace reel::optim::detail {

Tensor zero_state(const Tensor& param) { return reel::zeros_like(param); }

Tensor full_state(const Tensor& param, double value) {
    return reel::full_like(param, param.is_complex() ? Scalar(std::complex<double>(value, value)) : Scalar(value));
}

} // namespace reel::optim::detail
