// Convolutions of float32 by Winograd's F(4x4, 3x3): a quarter of the multiplications for kernels of 3 x 3 that move by
// one place. Geometry and maps are those of kernels/conv.hpp.
#pragma once

#include <reel/autograd/kernels/conv.hpp>

namespace reel::cpu {

/// Is this a convolution that goes by these functions: of the shape they are for, large enough to be faster so, and
/// not refused by `Context::setUserEnabledWinograd`? The shape and the switch alone decide.
bool by_winograd(const ConvGeometry& g);

void winograd_forward(const ConvGeometry& g, const float* x, const float* w, const float* bias, float* y);
void winograd_input(const ConvGeometry& g, const float* y, const float* w, const float* bias, float* x);
void winograd_weight(const ConvGeometry& g, const float* x, const float* y, float* w);

} // namespace reel::cpu
