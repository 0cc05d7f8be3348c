// What RINorm computes: moments per instance and series, and the way to the normalised scale.
#pragma once

#include <utility>

#include <reel/autograd/tensor.hpp>

namespace reel::nn::norms {

/// Mean and biased variance of x over all axes except the first and the last, which become axes of 1; over everything
/// when there are no such axes. Without gradient.
std::pair<Tensor, Tensor> instance_moments(const Tensor& x);
/// (x - mean) / stdev, times weight plus bias when these are defined.
Tensor to_normal_scale(const Tensor& x, const Tensor& mean, const Tensor& stdev, const Tensor& weight,
                       const Tensor& bias);

} // namespace reel::nn::norms
