// Convolutions of float32, bfloat16 and float16 by Winograd's F(4x4, 3x3): a quarter of the multiplications for kernels
// of 3 x 3 that move by one place. Geometry and maps are those of kernels/conv.hpp.
#pragma once

#include <reel/autograd/kernels/conv.hpp>

namespace reel::cpu {

/// Is this a convolution that goes by these functions: of the shape they are for, large enough to be faster so, and
/// not refused by `Context::setUserEnabledWinograd`? The shape and the switch alone decide.
bool by_winograd(const ConvGeometry& g);

/// Images are of float, BFloat16 or Half; weights and bias are float's.
template <class T> void winograd_forward(const ConvGeometry& g, const T* x, const float* w, const float* bias, T* y);
template <class T> void winograd_input(const ConvGeometry& g, const T* y, const float* w, const float* bias, T* x);
template <class T> void winograd_weight(const ConvGeometry& g, const T* x, const T* y, float* w);

} // namespace reel::cpu
