// What cuDNN computes of Reel's kernels.
#pragma once

#include <reel/autograd/kernels/conv.hpp>
#include <reel/autograd/kernels/norm.hpp>
#include <reel/autograd/kernels/pool.hpp>

namespace reel::cuda::dnn {

/// Can the library be used?
bool is_available();

// Each does what the kernel of its name does and gives true, or does nothing and gives false: the library is not there,
// is switched off (Context::setUserEnabledCuDNN), or has no plan for the case within the switches (Context). Whoever
// calls has another way. No operand is empty. Throws Error with the op and what the library says for anything else.
bool conv(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias);
bool conv_transpose(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& bias);
bool conv_weight(const ConvGeometry& g, const Tensor& w, const Tensor& x, const Tensor& y);

bool norm_backward(const char* op, const NormGeometry& g, const Tensor& gy, const Tensor& x, const Tensor& mean,
                   const Tensor& rstd, const Tensor& weight, bool constant_stats, const Tensor& gx, const Tensor& gw,
                   const Tensor& gb);
bool layer_norm(const char* op, const Tensor& y, const Tensor& mean, const Tensor& rstd, const Tensor& x,
                const Tensor& weight, const Tensor& bias, std::int64_t inner, double eps);
bool layer_norm_backward(const char* op, const Tensor& gy, const Tensor& x, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, std::int64_t inner, const Tensor& gx, const Tensor& gw,
                         const Tensor& gb);

bool avg_pool(const PoolGeometry& g, const Tensor& input, const Tensor& out);
bool avg_pool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& out);

} // namespace reel::cuda::dnn
