// Instance normalisation of [batch, ..., series]: loops for dense real tensors, ops for everything else and for second
// derivatives.
#include "norms/instance.hpp"

#include <reel/autograd/function.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/reduce/variance.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "norms/rows.hpp"

namespace reel::nn::norms {

namespace {

using autograd::AutogradContext;
using autograd::variable_list;

/// Rows of `series` elements, `steps` of them for each of `batch` instances.
struct Extents {
    explicit Extents(const Tensor& x)
        : batch(x.size(0)), series(x.size(-1)), rows(x.numel() / series), steps(rows / batch) {}
    std::int64_t batch, series, rows, steps;
};

/// The second pass adds what the first one's mean is off by.
template <class T> void moments_of(const T* x, T* mean, T* variance, const Extents& e) {
    for_rows(e.batch, e.steps * e.series, [&](std::int64_t first, std::int64_t last) {
        std::vector<double> sums(std::size_t(e.series) * 3);
        double *middle = sums.data(), *off = middle + e.series, *squares = off + e.series;
        for (std::int64_t b = first; b < last; ++b) {
            std::fill(sums.begin(), sums.end(), 0.);
            const T* of_b = x + b * e.steps * e.series;
            for (std::int64_t t = 0; t < e.steps; ++t)
#pragma omp simd
                for (std::int64_t c = 0; c < e.series; ++c) middle[c] += double(of_b[t * e.series + c]);
            for (std::int64_t c = 0; c < e.series; ++c) middle[c] /= double(e.steps);
            for (std::int64_t t = 0; t < e.steps; ++t)
#pragma omp simd
                for (std::int64_t c = 0; c < e.series; ++c) {
                    const double d = double(of_b[t * e.series + c]) - middle[c];
                    off[c] += d;
                    squares[c] += d * d;
                }
            for (std::int64_t c = 0; c < e.series; ++c) {
                const double error = off[c] / double(e.steps);
                mean[b * e.series + c] = T(middle[c] + error);
                variance[b * e.series + c] = T(squares[c] / double(e.steps) - error * error);
            }
        }
    });
}

/// `plain`, which may be null, gets what is multiplied with the weight.
template <class T>
void transform_rows(const T* x, const T* mean, const T* stdev, const T* weight, const T* bias, T* y, T* plain,
                    const Extents& e) {
    for_rows(e.rows, e.series, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = first; r < last; ++r) {
            const T *in = x + r * e.series, *m = mean + r / e.steps * e.series, *s = stdev + r / e.steps * e.series;
            T *out = y + r * e.series, *kept = (plain ? plain : y) + r * e.series;
#pragma omp simd
            for (std::int64_t c = 0; c < e.series; ++c) kept[c] = (in[c] - m[c]) / s[c];
            if (weight)
#pragma omp simd
                for (std::int64_t c = 0; c < e.series; ++c) out[c] = kept[c] * weight[c] + bias[c];
        }
    });
}

/// `grad_x` and `sums`, those of the weight and then those of the bias, may be null.
template <class T>
void backward_rows(const T* grad, const T* plain, const T* stdev, const T* weight, T* grad_x, double* sums,
                   std::int64_t first, std::int64_t last, const Extents& e) {
    for (std::int64_t r = first; r < last; ++r) {
        const T *of_y = grad + r * e.series, *s = stdev + r / e.steps * e.series;
        if (sums) {
            const T* p = plain + r * e.series;
#pragma omp simd
            for (std::int64_t c = 0; c < e.series; ++c) sums[c] += double(of_y[c]) * double(p[c]);
#pragma omp simd
            for (std::int64_t c = 0; c < e.series; ++c) sums[e.series + c] += double(of_y[c]);
        }
        if (!grad_x) continue;
        T* out = grad_x + r * e.series;
        if (weight)
#pragma omp simd
            for (std::int64_t c = 0; c < e.series; ++c) out[c] = of_y[c] * weight[c] / s[c];
        else
#pragma omp simd
            for (std::int64_t c = 0; c < e.series; ++c) out[c] = of_y[c] / s[c];
    }
}

template <class T> T* data_or_null(const Tensor& t) { return t.defined() ? t.data_ptr<T>() : nullptr; }
Tensor dense(const Tensor& t) { return t.defined() ? t.contiguous() : t; }

/// The node of the loops; mean and stdev are constants. It has the plain form, before weight and bias, as a second
/// output that nobody else sees: backward needs it, and second derivatives find their way to x through it. x itself is
/// not kept, so that its owner may write the result in its place (RI-9).
struct InstanceTransform : autograd::Function<InstanceTransform> {
    static std::tuple<Tensor, Tensor> forward(AutogradContext* ctx, const Tensor& x, const Tensor& mean,
                                              const Tensor& stdev, const Tensor& weight, const Tensor& bias) {
        const Tensor in = x.contiguous(), m = mean.contiguous(), s = stdev.contiguous(), w = dense(weight),
                     b = dense(bias), y = reel::empty_like(in);
        const bool learns = weight.defined() && (weight.requires_grad() || bias.requires_grad());
        const Tensor plain = learns ? reel::empty_like(in) : Tensor();
        with_element_of(in, [&]<class T>(T) {
            transform_rows<T>(in.data_ptr<T>(), m.data_ptr<T>(), s.data_ptr<T>(), data_or_null<T>(w),
                              data_or_null<T>(b), y.data_ptr<T>(), data_or_null<T>(plain), Extents(in));
        });
        ctx->set_materialize_grads(false);
        ctx->save_for_backward({s, weight, plain});
        return {y, plain};
    }
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
        const variable_list saved = ctx->get_saved_variables();
        if (GradMode::is_enabled() || grads[1].defined()) return by_ops(*ctx, grads, saved);
        const bool for_x = ctx->needs_input_grad(0), for_weight = ctx->needs_input_grad(3),
                   for_bias = ctx->needs_input_grad(4);
        variable_list r(5);
        if (!grads[0].defined()) return r;
        const Tensor grad = grads[0].contiguous(), &stdev = saved[0], weight = dense(saved[1]), &plain = saved[2];
        const Extents e(grad);
        if (for_x) r[0] = reel::empty_like(grad);
        with_element_of(grad, [&]<class T>(T) {
            const auto some = [&](std::int64_t first, std::int64_t last, double* sums) {
                backward_rows<T>(grad.data_ptr<T>(), data_or_null<T>(plain), stdev.data_ptr<T>(),
                                 data_or_null<T>(weight), data_or_null<T>(r[0]), sums, first, last, e);
            };
            if (!for_weight && !for_bias) {
                for_rows(e.rows, e.series, [&](std::int64_t f, std::int64_t l) { some(f, l, nullptr); });
                return;
            }
            const auto sums = sums_over_rows(e.rows, e.series, std::size_t(e.series) * 2, some);
            if (for_weight) r[3] = tensor_of<T>(sums.data(), e.series, weight);
            if (for_bias) r[4] = tensor_of<T>(sums.data() + e.series, e.series, weight);
        });
        return r;
    }
    /// The same on the tape, and with a gradient of the plain form.
    static variable_list by_ops(const AutogradContext& ctx, const variable_list& grads, const variable_list& saved) {
        const Tensor &of_y = grads[0], &stdev = saved[0], &weight = saved[1], &plain = saved[2];
        Tensor of_plain = grads[1];
        if (of_y.defined()) {
            const Tensor through = weight.defined() ? of_y * weight : of_y;
            of_plain = of_plain.defined() ? of_plain + through : through;
        }
        const auto summed = [](const Tensor& t) { return t.reshape({-1, t.size(-1)}).sum(IntArrayRef{0}, false); };
        variable_list r(5);
        if (ctx.needs_input_grad(0) && of_plain.defined()) r[0] = of_plain / stdev;
        if (ctx.needs_input_grad(3) && of_y.defined()) r[3] = summed(of_y * plain);
        if (ctx.needs_input_grad(4) && of_y.defined()) r[4] = summed(of_y);
        return r;
    }
    /// Tangents that are not there are undefined.
    static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
        const variable_list saved = ctx->get_saved_variables();
        const Tensor &weight = saved[1], &plain = saved[2];
        const auto sum = [](const Tensor& a, const Tensor& b) {
            return a.defined() && b.defined() ? a + b : a.defined() ? a : b;
        };
        Tensor of_plain, of_y;
        if (tangents[0].defined()) of_plain = tangents[0] / saved[0];
        if (of_plain.defined()) of_y = weight.defined() ? of_plain * weight : of_plain;
        if (tangents[3].defined()) of_y = sum(of_y, plain * tangents[3]);
        of_y = sum(of_y, tangents[4].defined() ? tangents[4].expand_as(plain) : Tensor());
        return {of_y, plain.defined() ? of_plain : Tensor()};
    }
};

} // namespace

std::pair<Tensor, Tensor> instance_moments(const Tensor& x) {
    const NoGradGuard constant;
    if (x.dim() >= 3 && loops_take(x, {})) {
        std::vector<std::int64_t> sizes(std::size_t(x.dim()), 1);
        sizes.front() = x.size(0);
        sizes.back() = x.size(-1);
        const Tensor in = x.contiguous(), mean = in.new_empty(sizes), variance = in.new_empty(sizes);
        with_element_of(in, [&]<class T>(T) {
            moments_of(in.data_ptr<T>(), mean.data_ptr<T>(), variance.data_ptr<T>(), Extents(in));
        });
        return {mean, variance};
    }
    std::vector<std::int64_t> axes;
    for (std::int64_t i = 1; i + 1 < x.dim(); ++i) axes.push_back(i);
    const auto [variance, mean] = reel::var_mean(x.detach(), OptionalIntArrayRef(axes), 0, true);
    return {mean, variance};
}

Tensor to_normal_scale(const Tensor& x, const Tensor& mean, const Tensor& stdev, const Tensor& weight,
                       const Tensor& bias) {
    const bool constant = !mean.requires_grad() && !stdev.requires_grad(); // unless somebody put other fields there
    const auto per_instance = [&](const Tensor& t) {
        return t.numel() == x.size(0) * x.size(-1) && t.size(0) == x.size(0) && t.size(-1) == x.size(-1);
    };
    if (x.dim() >= 3 && constant && per_instance(mean) && per_instance(stdev) &&
        loops_take(x, {&mean, &stdev, &weight, &bias}))
        return std::get<0>(InstanceTransform::apply(x, mean, stdev, weight, bias));
    const Tensor plain = (x - mean) / stdev;
    return weight.defined() ? plain * weight + bias : plain;
}

} // namespace reel::nn::norms
