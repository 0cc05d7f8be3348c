// Rows over threads.
#include "cpu/softmax.hpp"

#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

void softmax_rows(ScalarType t, const void* in, void* out, std::int64_t rows, std::int64_t inner, bool logarithm) {
    parallel_for(0, rows, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(inner, 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     for (std::int64_t r = b; r < e; ++r) {
                         if (t == kFloat)
                             softmax_kernels.f32(static_cast<const float*>(in) + r * inner,
                                                 static_cast<float*>(out) + r * inner, inner, logarithm);
                         else
                             softmax_kernels.f64(static_cast<const double*>(in) + r * inner,
                                                 static_cast<double*>(out) + r * inner, inner, logarithm);
                     }
                 });
}

} // namespace reel::cpu
