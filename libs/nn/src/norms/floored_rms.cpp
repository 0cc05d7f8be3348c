// x over its floored root mean square: loops for dense real rows, ops for everything else and for second derivatives.
#include "norms/floored_rms.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/function.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "norms/rows.hpp"

namespace reel::nn::norms {

namespace {

using autograd::AutogradContext;
using autograd::variable_list;

/// `dim ** -0.5`.
double scale_of(std::int64_t dim) { return std::pow(double(dim), -0.5); }
Tensor floored(const Tensor& rms, double eps) {
    return reel::where(rms.le(eps), eps, rms); // NaN stays
}
Tensor rms_of(const Tensor& x, std::int64_t dim) {
    return reel::linalg_vector_norm(x, 2, IntArrayRef{-1}, true) * scale_of(dim);
}

template <class T>
void forward_rows(const T* x, const T* g, T* y, T* divisor, std::int64_t rows, std::int64_t dim, T eps) {
    const T scale = T(scale_of(dim));
    for_rows(rows, dim, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = first; r < last; ++r) {
            const T* in = x + r * dim;
            T* out = y + r * dim;
            double squares = 0;
#pragma omp simd reduction(+ : squares)
            for (std::int64_t i = 0; i < dim; ++i) squares += double(in[i]) * double(in[i]);
            const T rms = std::sqrt(T(squares)) * scale, by = rms <= eps ? eps : rms;
            divisor[r] = by;
#pragma omp simd
            for (std::int64_t i = 0; i < dim; ++i) out[i] = in[i] / by * g[i];
        }
    });
}

/// `grad_x` and the sums of the gradient of g, either of which may be null.
template <class T>
void backward_row(const T* grad, const T* x, const T* g, T by, bool active, std::int64_t dim, T* grad_x,
                  double* grad_g) {
    const double inverse = 1 / double(by);
    if (grad_g)
#pragma omp simd
        for (std::int64_t i = 0; i < dim; ++i) grad_g[i] += double(grad[i]) * (double(x[i]) * inverse);
    if (!grad_x) return;
    double along = 0;
    if (active)
#pragma omp simd reduction(+ : along)
        for (std::int64_t i = 0; i < dim; ++i) along += double(grad[i]) * double(g[i]) * (double(x[i]) * inverse);
    const double k = along * inverse * inverse / double(dim);
#pragma omp simd
    for (std::int64_t i = 0; i < dim; ++i) grad_x[i] = T(double(grad[i]) * double(g[i]) * inverse - k * double(x[i]));
}

/// The node of the loops. Saved: x, g, and the divisors (which carry no gradient of their own).
struct FlooredRMSNorm : autograd::Function<FlooredRMSNorm> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& g, double eps) {
        const Tensor in = x.contiguous(), factor = g.contiguous();
        std::vector<std::int64_t> sizes = x.sizes().vec();
        const std::int64_t dim = sizes.back(), rows = x.numel() / dim;
        sizes.back() = 1;
        Tensor y = reel::empty_like(in), divisor = in.new_empty(sizes);
        with_element_of(in, [&]<class T>(T) {
            forward_rows(in.data_ptr<T>(), factor.data_ptr<T>(), y.data_ptr<T>(), divisor.data_ptr<T>(), rows, dim,
                         T(eps));
        });
        ctx->save_for_backward({x, g, divisor});
        ctx->saved_data["eps"] = eps;
        return y;
    }
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
        const variable_list saved = ctx->get_saved_variables();
        const double eps = ctx->saved_data["eps"].toDouble();
        const bool for_x = ctx->needs_input_grad(0), for_g = ctx->needs_input_grad(1);
        if (GradMode::is_enabled()) return differentiable(grads[0], saved[0], saved[1], eps, for_x, for_g);
        const Tensor grad = grads[0].contiguous(), x = saved[0].contiguous(), g = saved[1].contiguous();
        const std::int64_t dim = x.size(-1), rows = x.numel() / dim;
        Tensor grad_x = for_x ? reel::empty_like(x) : Tensor(), grad_g;
        with_element_of(x, [&]<class T>(T) {
            const T *of_y = grad.data_ptr<T>(), *in = x.data_ptr<T>(), *factor = g.data_ptr<T>(),
                    *by = saved[2].data_ptr<T>();
            T* out = for_x ? grad_x.data_ptr<T>() : nullptr;
            const auto some = [&](std::int64_t first, std::int64_t last, double* sums) {
                for (std::int64_t r = first; r < last; ++r)
                    backward_row(of_y + r * dim, in + r * dim, factor, by[r], !(by[r] <= T(eps)), dim,
                                 out ? out + r * dim : nullptr, for_g ? sums : nullptr);
            };
            const auto sums = sums_over_rows(rows, dim, std::size_t(dim), some);
            if (for_g) grad_g = tensor_of<T>(sums.data(), dim, g);
        });
        return {grad_x, grad_g, {}};
    }
    /// The same by ops, on the tape.
    static variable_list differentiable(const Tensor& grad, const Tensor& x, const Tensor& g, double eps, bool for_x,
                                        bool for_g) {
        const std::int64_t dim = x.size(-1);
        const Tensor rms = rms_of(x, dim), by = floored(rms, eps), unit = x / by;
        Tensor grad_x, grad_g;
        if (for_x) {
            const Tensor of_unit = grad * g;
            const Tensor along = (of_unit * unit).sum(IntArrayRef{-1}, true) / (by * double(dim));
            grad_x = of_unit / by - reel::where(rms.le(eps), 0, along) * unit;
        }
        if (for_g) grad_g = (grad * unit).reshape({-1, dim}).sum(IntArrayRef{0}, false);
        return {grad_x, grad_g, {}};
    }
    static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
        const variable_list saved = ctx->get_saved_variables();
        const Tensor &x = saved[0], &g = saved[1];
        const double eps = ctx->saved_data["eps"].toDouble();
        const std::int64_t dim = x.size(-1);
        const Tensor rms = rms_of(x, dim), by = floored(rms, eps), unit = x / by;
        const Tensor change = (unit * tangents[0]).sum(IntArrayRef{-1}, true) / double(dim);
        const Tensor of_by = reel::where(rms.le(eps), 0, change);
        return {(tangents[0] / by - unit * (of_by / by)) * g + unit * tangents[1]};
    }
};

} // namespace

Tensor floored_rms_norm(const Tensor& x, const Tensor& g, std::int64_t dim, double eps) {
    const double least = x.scalar_type() == kFloat ? double(std::numeric_limits<float>::min()) : 1e-290;
    // a floor below that has no reciprocal
    if (eps >= least && x.dim() > 0 && x.size(-1) == dim && g.dim() == 1 && g.size(0) == dim && loops_take(x, {&g}))
        return FlooredRMSNorm::apply(x, g, eps);
    return x / floored(rms_of(x, dim), eps) * g;
}

} // namespace reel::nn::norms
