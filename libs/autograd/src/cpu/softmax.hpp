// Softmax over dense rows.
#pragma once

#include <cstdint>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

/// float32 and float64 only.
void softmax_rows(ScalarType t, const void* in, void* out, std::int64_t rows, std::int64_t inner, bool logarithm);

struct SoftmaxKernels {
    void (*f32)(const float*, float*, std::int64_t inner, bool logarithm) = nullptr;
    void (*f64)(const double*, double*, std::int64_t inner, bool logarithm) = nullptr;
};
inline SoftmaxKernels softmax_kernels;

} // namespace reel::cpu
