// Convolutions as products: what each output position reads stands in a column.
#pragma once

#include <reel/autograd/kernels/conv.hpp>

namespace reel::cuda {

/// Is the product large enough to pay for the columns, and does the library have it for the dtype?
bool columns_pay(const ConvGeometry& g, const Tensor& result);
// As the kernels of these names; no operand is empty.
void conv_by_columns(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias);
void conv_transpose_by_columns(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w,
                               const Tensor& bias);
void conv_weight_by_columns(const ConvGeometry& g, const Tensor& w, const Tensor& x, const Tensor& y);

} // namespace reel::cuda
