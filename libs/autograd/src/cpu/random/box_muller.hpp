// Normal numbers from uniform ones.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// `n` numbers (a multiple of 16), uniform in [0, 1), become normal ones in place. In each block of sixteen element j
/// pairs with j + 8 (G. E. P. Box and M. E. Muller, 1958); what a number becomes does not depend on where it stands.
struct BoxMullerKernels {
    void (*f32)(float* p, std::int64_t n, float mean, float std) = nullptr;
    void (*f64)(double* p, std::int64_t n, double mean, double std) = nullptr;
};
inline constinit BoxMullerKernels box_muller_kernels{};

} // namespace reel::cpu
