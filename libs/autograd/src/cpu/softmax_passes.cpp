// Softmax along an inner dimension, and the gradient along any: strips of columns, or rows, over threads.
#include "cpu/softmax_passes.hpp"

#include <algorithm>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/softmax_passes.hpp>
#include <reel/autograd/parallel.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {
/// Calls `f(offset of the first element, columns)` for all strips of [outer, n, inner].
template <class F> void each_strip(std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t strip, F f) {
    const std::int64_t strips = (inner + strip - 1) / strip, work = n * std::min(strip, inner);
    parallel_for(0, outer * strips, std::max<std::int64_t>(1, 16384 / work), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t c = i % strips * strip;
            f(i / strips * n * inner + c, std::min(strip, inner - c));
        }
    });
}
} // namespace

void softmax_columns(const Tensor& out, const Tensor& x, std::int64_t n, std::int64_t inner, bool logarithm) {
    detail::dispatch<detail::Floats>(out.scalar_type(), "softmax", [&]<class T>() {
        const T* const from = host_data<T>(x, "softmax");
        T* const to = host_data<T>(out, "softmax");
        const SoftmaxPasses<T>& kernel = softmax_passes<T>;
        each_strip(out.numel() / (n * inner), n, inner, kernel.strip, [&](std::int64_t at, std::int64_t count) {
            kernel.columns(from + at, to + at, n, inner, count, logarithm);
        });
    });
}

void softmax_backward(const Tensor& grad_input, const Tensor& grad, const Tensor& out, std::int64_t n,
                      std::int64_t inner, bool logarithm) {
    detail::dispatch<detail::Floats>(out.scalar_type(), "softmax", [&]<class T>() {
        const T *const g = host_data<T>(grad, "softmax"), *const y = host_data<T>(out, "softmax");
        T* const to = host_data<T>(grad_input, "softmax");
        const SoftmaxPasses<T>& kernel = softmax_passes<T>;
        each_strip(out.numel() / (n * inner), n, inner, kernel.strip, [&](std::int64_t at, std::int64_t count) {
            kernel.backward(g + at, y + at, to + at, n, inner, count, logarithm);
        });
    });
}

} // namespace reel::cpu
