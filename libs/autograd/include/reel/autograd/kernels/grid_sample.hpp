// The kernels of bilinear sampling of images.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

namespace cpu {
void grid_sample(const Tensor& out, const Tensor& input, const Tensor& grid, bool align_corners);
void grid_sample_backward(const Tensor& grad, const Tensor& grad_input, const Tensor& grad_grid, const Tensor& input,
                          const Tensor& grid, bool align_corners);
} // namespace cpu

namespace kernels {
/// out [N, C, height, width] = elements of input [N, C, H, W] at the places grid [N, height, width, 2], bilinear; what
/// lies outside is zero. All are dense, of one dtype, float32 or float64; an image has fewer than 2^31 elements and at
/// least one. Devices without it compute it by ops.
inline constinit Kernel<decltype(cpu::grid_sample), Writes<0>> grid_sample{"grid_sample", &cpu::grid_sample};
/// The gradients of input and grid; either may be undefined.
inline constinit Kernel<decltype(cpu::grid_sample_backward), Writes<1, 2>> grid_sample_backward{
    "grid_sample", &cpu::grid_sample_backward};
} // namespace kernels

} // namespace reel
