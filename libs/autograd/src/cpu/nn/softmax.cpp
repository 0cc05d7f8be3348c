// Softmax: rows over threads.
#include "cpu/nn/softmax.hpp"

#include <algorithm>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/softmax.hpp>
#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

namespace {
template <class T, class Row> void each_row(const Tensor& out, const Tensor& rows, bool logarithm, Row row) {
    const T* const in = host_data<T>(rows, "softmax");
    T* const to = host_data<T>(out, "softmax");
    const std::int64_t inner = rows.sizes().back(), count = out.numel() / inner;
    parallel_for(0, count, std::max<std::int64_t>(1, 16384 / inner), [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t r = b; r < e; ++r) row(in + r * inner, to + r * inner, inner, logarithm);
    });
}
} // namespace

void softmax(const Tensor& out, const Tensor& rows, bool logarithm) {
    if (out.scalar_type() == kFloat) each_row<float>(out, rows, logarithm, softmax_kernels.f32);
    else each_row<double>(out, rows, logarithm, softmax_kernels.f64);
}

} // namespace reel::cpu
