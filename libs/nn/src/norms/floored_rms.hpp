// What RMSNorm computes, in one pass over the rows.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::nn::norms {

/// x / max(|x| / sqrt(dim), eps) g over the last axis; the maximum is a constant where it is eps.
Tensor floored_rms_norm(const Tensor& x, const Tensor& g, std::int64_t dim, double eps);

} // namespace reel::nn::norms
