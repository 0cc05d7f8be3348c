// The negative log-likelihood: one element of x for each target.
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/nll_loss.hpp>

#include <limits>

#include "reduce/reduction.cuh"

namespace reel::cuda {

namespace {

struct Targets {
    NllGeometry g;
    const std::int64_t* classes;
    const double* weights; ///< null: ones

    Targets(const NllGeometry& g, const Tensor& target, const Tensor& weight)
        : g(g), classes(Elements<std::int64_t>(target).data), weights(Elements<double>(weight).data) {}
    /// Of target `i`: does it count, where in x is it, and with what weight?
    __device__ bool counts(std::int64_t i) const { return classes[i] != g.ignore_index; }
    __device__ std::int64_t place(std::int64_t i) const {
        const std::int64_t n = i / g.length;
        return (n * g.classes + classes[i]) * g.length + (i - n * g.length);
    }
    __device__ double weight(std::int64_t i) const { return weights ? weights[classes[i]] : 1.0; }
};

/// The sum of the weights, and the first target that is no class.
struct Weights {
    double sum;
    std::int64_t bad_place, bad_class;
};
struct Weigh {
    using State = Weights;
    static constexpr int per_pack = 1;
    Targets t;
    Weights* out;

    __device__ State nothing() const { return {0, std::numeric_limits<std::int64_t>::max(), 0}; }
    __device__ void pack(State& s, std::int64_t, std::int64_t i, std::int64_t) const {
        if (!t.counts(i)) return;
        const std::int64_t c = t.classes[i];
        if (c < 0 || c >= t.g.classes) s = join(s, State{0, i, c});
        else s.sum += t.weight(i);
    }
    __device__ State join(const State& a, const State& b) const {
        const State& first = a.bad_place <= b.bad_place ? a : b;
        return {a.sum + b.sum, first.bad_place, first.bad_class};
    }
    __device__ void finish(std::int64_t, const State& s, std::int64_t) const { *out = s; }
};
void nll_loss_weigh(const NllGeometry& g, const Tensor& target, const Tensor& weight, double& total) {
    const DeviceScratch<Weights> result(1, target);
    const Weigh rule{Targets(g, target, weight), result.data()};
    reduce_rows("nll_loss", target, rule, 1, target.numel());
    const Weights found = on_host(result, OnDevice(target));
    REEL_CHECK_INDEX(found.bad_place == std::numeric_limits<std::int64_t>::max(), "nll_loss: target ", found.bad_class,
                     " is out of range for ", g.classes, " classes");
    total = found.sum;
}

template <class T> struct Loss {
    using State = double;
    static constexpr int per_pack = 1;
    Targets t;
    Elements<T> x, out;

    __device__ double of(std::int64_t i) const { return t.counts(i) ? -t.weight(i) * double(x[t.place(i)]) : 0.0; }
    __device__ State nothing() const { return 0; }
    __device__ void pack(State& s, std::int64_t, std::int64_t i, std::int64_t) const { s += of(i); }
    __device__ State join(State a, State b) const { return a + b; }
    __device__ void finish(std::int64_t, State s, std::int64_t) const { out.put(0, s * t.g.scale); }
};
template <class T> __global__ void losses_kernel(Loss<T> loss, std::int64_t count) {
    for (std::int64_t i = first_place(); i < count; i += place_step()) loss.out.put(i, loss.of(i));
}
void nll_loss(const NllGeometry& g, const Tensor& out, const Tensor& x, const Tensor& target, const Tensor& weight) {
    for_dtype<floats | halves>("nll_loss", x, [&]<class T>() {
        const Loss<T> loss{Targets(g, target, weight), Elements<T>(x), Elements<T>(out)};
        if (g.summed) return reduce_rows("nll_loss", x, loss, 1, target.numel());
        if (out.numel() > 0) launch("nll_loss", losses_kernel<T>, OnDevice(x).over(out.numel()), loss, out.numel());
    });
}

template <class T> __global__ void gradient_kernel(Targets t, Elements<T> gx, Elements<T> gout, std::int64_t count) {
    for (std::int64_t i = first_place(); i < count; i += place_step())
        if (t.counts(i)) gx.put(t.place(i), -t.weight(i) * t.g.scale * double(gout[t.g.summed ? 0 : i]));
}
void nll_loss_backward(const NllGeometry& g, const Tensor& gx, const Tensor& gout, const Tensor& target,
                       const Tensor& weight) {
    for_dtype<floats | halves>("nll_loss", gx, [&]<class T>() {
        if (gx.numel() == 0) return;
        kernels::fill(gx, Scalar(0));
        if (target.numel() == 0) return;
        launch("nll_loss", gradient_kernel<T>, OnDevice(gx).over(target.numel()), Targets(g, target, weight),
               Elements<T>(gx), Elements<T>(gout), target.numel());
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::nll_loss_weigh.set(kCUDA, &nll_loss_weigh);
    kernels::nll_loss.set(kCUDA, &nll_loss);
    kernels::nll_loss_backward.set(kCUDA, &nll_loss_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda
