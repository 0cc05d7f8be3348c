// Connectionist temporal classification: forward-backward sums in log space, a block for each example, its threads the
// states of one step.
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/ctc_loss.hpp>

#include <algorithm>
#include <limits>

#include "scratch.cuh"

namespace reel::cuda {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// A number and its derivative in some direction.
struct Directed {
    double value, slope;
    __device__ Directed operator+(const Directed& o) const { return {value + o.value, slope + o.slope}; }
    __device__ Directed operator-(const Directed& o) const { return {value - o.value, slope - o.slope}; }
};
__device__ double value_of(double v) { return v; }
__device__ double value_of(const Directed& v) { return v.value; }
__device__ double lowest(double) { return minus_infinity; }
__device__ Directed lowest(const Directed&) { return {minus_infinity, 0}; }
__device__ double exp_of(double v) { return std::exp(v); }
__device__ Directed exp_of(const Directed& v) { return {std::exp(v.value), std::exp(v.value) * v.slope}; }

__device__ double log_add(double a, double b) {
    const double m = a > b ? a : b;
    return m == minus_infinity ? m : m + std::log(std::exp(a - m) + std::exp(b - m));
}
__device__ Directed log_add(const Directed& a, const Directed& b) {
    Directed r{log_add(a.value, b.value), 0};
    if (r.value != minus_infinity)
        r.slope = std::exp(a.value - r.value) * a.slope + std::exp(b.value - r.value) * b.slope;
    return r;
}

/// The batch as kernels take it. `alpha` holds [steps, states] for each example, `beta` [2, states].
template <class S> struct Batch {
    const double *lp, *along;
    const std::int64_t *in, *count, *start, *targets;
    std::int64_t steps, size, classes, blank, states;
    bool zero_infinity;
    S *alpha, *beta;
};
/// One example.
template <class S> struct Example {
    const Batch<S>& b;
    std::int64_t n, steps, labels, states;
    const std::int64_t* target;
    S *alpha, *beta;

    __device__ Example(const Batch<S>& b, std::int64_t n)
        : b(b), n(n), steps(b.in[n]), labels(b.count[n]), states(2 * b.count[n] + 1), target(b.targets + b.start[n]),
          alpha(b.alpha + n * b.steps * b.states), beta(b.beta + n * 2 * b.states) {}
    __device__ std::int64_t place(std::int64_t t, std::int64_t c) const { return (t * b.size + n) * b.classes + c; }
    __device__ std::int64_t label(std::int64_t s) const { return s % 2 == 0 ? b.blank : target[s / 2]; }
    __device__ S value(std::int64_t t, std::int64_t c) const {
        if constexpr (std::is_same_v<S, double>) return b.lp[place(t, c)];
        else return {b.lp[place(t, c)], b.along[place(t, c)]};
    }
    /// `sum`, and where that is anything, what the state adds at `t`.
    __device__ S with(const S& sum, std::int64_t t, std::int64_t s) const {
        return value_of(sum) == minus_infinity ? sum : sum + value(t, label(s));
    }
    /// All threads of the block come.
    __device__ S forward() const {
        if (steps == 0) return labels == 0 ? S{} : S{} - lowest(S{});
        for (std::int64_t t = 0; t < steps; ++t) {
            const S* const before = alpha + (t - 1) * states;
            for (std::int64_t s = threadIdx.x; s < states; s += blockDim.x) {
                S sum = lowest(S{});
                if (t == 0) {
                    if (s < 2) sum = value(0, label(s));
                } else {
                    sum = before[s];
                    if (s > 0) sum = log_add(sum, before[s - 1]);
                    if (s > 1 && label(s) != label(s - 2)) sum = log_add(sum, before[s - 2]);
                    sum = with(sum, t, s);
                }
                alpha[t * states + s] = sum;
            }
            __syncthreads();
        }
        const S last = alpha[steps * states - 1];
        return S{} - (labels > 0 ? log_add(last, alpha[steps * states - 2]) : last);
    }
    /// Calls `f(place in lp, exp(lp) - the share of alignments that pass through c at t)`: the loss's gradient.
    template <class F> __device__ void each_gradient(const S& loss, F f) const {
        for (std::int64_t t = steps - 1; t >= 0; --t) {
            S* const now = beta + t % 2 * b.states;
            const S* const after = beta + (t + 1) % 2 * b.states;
            for (std::int64_t s = threadIdx.x; s < states; s += blockDim.x) {
                S sum = lowest(S{});
                if (t == steps - 1) {
                    if (s + 2 >= states) sum = value(t, label(s));
                } else {
                    sum = after[s];
                    if (s + 1 < states) sum = log_add(sum, after[s + 1]);
                    if (s + 2 < states && label(s) != label(s + 2)) sum = log_add(sum, after[s + 2]);
                    sum = with(sum, t, s);
                }
                now[s] = sum;
            }
            __syncthreads();
            for (std::int64_t c = threadIdx.x; c < b.classes; c += blockDim.x) {
                S through = lowest(S{});
                for (std::int64_t s = 0; s < states; ++s)
                    if (label(s) == c) through = log_add(through, alpha[t * states + s] + now[s]);
                const S lp = value(t, c);
                f(place(t, c), exp_of(lp) - exp_of(through + loss - lp));
            }
            __syncthreads();
        }
    }
};

__global__ void ctc_losses_kernel(Batch<double> b, double* losses) {
    for (std::int64_t n = blockIdx.x; n < b.size; n += gridDim.x) {
        const double loss = Example<double>(b, n).forward();
        if (threadIdx.x == 0) losses[n] = b.zero_infinity && std::isinf(loss) ? 0.0 : loss;
    }
}
__global__ void gradients_kernel(Batch<double> b, double* grads, const double* factors) {
    for (std::int64_t n = blockIdx.x; n < b.size; n += gridDim.x) {
        const Example<double> e(b, n);
        const double loss = e.forward(), factor = factors[n];
        if (!b.zero_infinity || !std::isinf(loss))
            e.each_gradient(loss, [&](std::int64_t i, double v) { grads[i] = factor * v; });
    }
}
__global__ void curvature_kernel(Batch<Directed> b, double* grads) {
    for (std::int64_t n = blockIdx.x; n < b.size; n += gridDim.x) {
        const Example<Directed> e(b, n);
        const Directed loss = e.forward();
        if (!b.zero_infinity || !std::isinf(loss.value))
            e.each_gradient(loss, [&](std::int64_t i, const Directed& v) { grads[i] = v.slope; });
    }
}

/// Launches `kernel` over the examples with the tables and the room that it needs.
template <class S, class... P, class... A>
void run(const CtcBatch& c, const Tensor& log_probs, const double* along, const Tensor& targets,
         void (*kernel)(Batch<S>, P...), const A&... arguments) {
    if (c.size == 0) return;
    const OnDevice on(log_probs);
    const std::int64_t most = *std::max_element(c.labels.begin(), c.labels.end()),
                       steps = std::max<std::int64_t>(c.steps, 1), states = 2 * most + 1;
    const DeviceTable<std::int64_t> in(c.in, log_probs, on), labels(c.labels, log_probs, on),
        start(c.start, log_probs, on);
    const DeviceScratch<S> alpha(c.size * steps * states, log_probs), beta(c.size * 2 * states, log_probs);
    const Batch<S> b{Elements<double>(log_probs).data,
                     along,
                     in.data(),
                     labels.data(),
                     start.data(),
                     Elements<std::int64_t>(targets).data,
                     steps,
                     c.size,
                     c.classes,
                     c.blank,
                     states,
                     c.zero_infinity,
                     alpha.data(),
                     beta.data()};
    launch("ctc_loss", kernel, on.blocks(c.size), b, arguments...);
}

void ctc_loss(const CtcBatch& b, const Tensor& losses, const Tensor& log_probs, const Tensor& targets) {
    run<double>(b, log_probs, nullptr, targets, ctc_losses_kernel, Elements<double>(losses).data);
}
void ctc_loss_backward(const CtcBatch& b, const Tensor& grads, const Tensor& factors, const Tensor& log_probs,
                       const Tensor& targets) {
    kernels::fill(grads, Scalar(0));
    run<double>(b, log_probs, nullptr, targets, gradients_kernel, Elements<double>(grads).data,
                Elements<double>(factors).data);
}
void ctc_loss_curvature(const CtcBatch& b, const Tensor& grads, const Tensor& along, const Tensor& log_probs,
                        const Tensor& targets) {
    kernels::fill(grads, Scalar(0));
    run<Directed>(b, log_probs, Elements<double>(along).data, targets, curvature_kernel, Elements<double>(grads).data);
}

[[maybe_unused]] const bool attached = [] {
    kernels::ctc_loss.set(kCUDA, &ctc_loss);
    kernels::ctc_loss_backward.set(kCUDA, &ctc_loss_backward);
    kernels::ctc_loss_curvature.set(kCUDA, &ctc_loss_curvature);
    return true;
}();

} // namespace

} // namespace reel::cuda
