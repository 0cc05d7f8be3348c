// Softmax of one dense row, per instruction set.
#pragma once

#include <cstdint>

namespace reel::cpu {

struct SoftmaxKernels {
    void (*f32)(const float*, float*, std::int64_t inner, bool logarithm) = nullptr;
    void (*f64)(const double*, double*, std::int64_t inner, bool logarithm) = nullptr;
};
inline constinit SoftmaxKernels softmax_kernels{};

} // namespace reel::cpu
