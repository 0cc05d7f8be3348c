// Convolutions of float32 and float64 without column matrices; the geometry and the maps are those of kernels/conv.hpp.
#pragma once

#include <reel/autograd/kernels/conv.hpp>

namespace reel::cpu {

template <class T> void direct_forward(const ConvGeometry& g, const T* x, const T* w, const T* bias, T* y);
template <class T> void direct_input(const ConvGeometry& g, const T* y, const T* w, const T* bias, T* x);
template <class T> void direct_weight(const ConvGeometry& g, const T* x, const T* y, T* w);

} // namespace reel::cpu
