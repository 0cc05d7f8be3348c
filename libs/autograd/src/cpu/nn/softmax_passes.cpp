// Softmax along an inner dimension, and the gradient along any: strips of columns, or rows, over threads.
#include "cpu/nn/softmax_passes.hpp"

#include <algorithm>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/softmax_passes.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/softmax.hpp"
#include "cpu/scratch.hpp"
#include "cpu/shape/convert.hpp"
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
/// Calls `f(row's offset, scratch for two rows of float32)` for the rows of 16-bit tensors.
template <class F> void each_narrow_row(std::int64_t rows, std::int64_t n, F f) {
    parallel_for(0, rows, std::max<std::int64_t>(1, 16384 / n), [&](std::int64_t begin, std::int64_t end) {
        const Scratch wide(std::size_t(2 * n) * sizeof(float));
        for (std::int64_t i = begin; i < end; ++i) f(i * n, wide.as<float>());
    });
}
void narrow_rows(const Tensor& out, const Tensor& x, std::int64_t n, bool logarithm) {
    const ScalarType t = out.scalar_type();
    const ConvertFn widen = convert_kernel(kFloat, t), round = convert_kernel(t, kFloat);
    const char* const from = static_cast<const char*>(host_data(x, "softmax"));
    char* const to = static_cast<char*>(host_data(out, "softmax"));
    each_narrow_row(out.numel() / n, n, [&](std::int64_t at, float* row) {
        widen(row, from + 2 * at, n);
        softmax_kernels.f32(row, row, n, logarithm);
        round(to + 2 * at, row, n);
    });
}
void narrow_rows_backward(const Tensor& grad_input, const Tensor& grad, const Tensor& out, std::int64_t n,
                          bool logarithm) {
    const ScalarType t = out.scalar_type();
    const ConvertFn widen = convert_kernel(kFloat, t), round = convert_kernel(t, kFloat);
    const char *const g = static_cast<const char*>(host_data(grad, "softmax")), *const y = static_cast<const char*>(
                                                                                    host_data(out, "softmax"));
    char* const to = static_cast<char*>(host_data(grad_input, "softmax"));
    each_narrow_row(out.numel() / n, n, [&](std::int64_t at, float* row) {
        widen(row, g + 2 * at, n);
        widen(row + n, y + 2 * at, n);
        softmax_passes<float>.backward(row, row + n, row, n, 1, 1, logarithm);
        round(to + 2 * at, row, n);
    });
}
bool is_narrow(const Tensor& t) { return t.scalar_type() == kHalf || t.scalar_type() == kBFloat16; }
} // namespace

void softmax_columns(const Tensor& out, const Tensor& x, std::int64_t n, std::int64_t inner, bool logarithm) {
    if (inner == 1 && is_narrow(out)) return narrow_rows(out, x, n, logarithm);
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
    if (inner == 1 && is_narrow(out)) return narrow_rows_backward(grad_input, grad, out, n, logarithm);
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
