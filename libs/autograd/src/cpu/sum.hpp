// Sums over dense rows, in a tree fixed by the shape: the same bits for any number of threads.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Kernels per instruction set: the sum of one block of at most `sum_block` elements, and sums of columns.
inline constexpr std::int64_t sum_block = 4096;
struct SumKernels {
    float (*f32)(const float*, std::int64_t) = nullptr;
    double (*f64)(const double*, std::int64_t) = nullptr;
    /// out[c] = sum over r < rows of in[r * ld + c] for c < count.
    void (*columns_f32)(const float* in, std::int64_t rows, std::int64_t ld, std::int64_t count, float* out) = nullptr;
    void (*columns_f64)(const double* in, std::int64_t rows, std::int64_t ld, std::int64_t count,
                        double* out) = nullptr;
};
inline constinit SumKernels sum_kernels{};

} // namespace reel::cpu
