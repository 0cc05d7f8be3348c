// Gradients of what was normalised by the moments of a batch or of groups.
//
// With n = (x - m) r: gw = sum gy n, gb = sum gy and, where m and r depend on x,
// gx = r w gy - r (sum w gy) / N - r^3 (x - m) (sum w gy (x - m)) / N.
#include "dnn.hpp"
#include "norm.cuh"

namespace reel::cuda {

namespace {

/// Sums of gy and gy (x - m): over a channel of all examples as a row or column (`groups` 0), or over a plane.
template <class T> struct PlaneSums {
    using State = Sums;
    static constexpr int per_pack = 1;
    NormGeometry g;
    const T *gy, *x, *mean;
    Sums* sums;

    __device__ State nothing() const { return {0, 0}; }
    __device__ State join(const State& a, const State& b) const { return a + b; }
    __device__ void add(State& s, std::int64_t at, T m) const {
        s = s + State{double(gy[at]), double(gy[at]) * double(x[at] - m)};
    }
    __device__ void pack(State& s, std::int64_t row, std::int64_t i, std::int64_t) const {
        if (g.groups != 0) {
            const std::int64_t n = row / g.channels, c = row - n * g.channels;
            return add(s, row * g.length + i, mean[stat_of(g, n, c)]);
        }
        const std::int64_t example = i / g.length;
        add(s, (example * g.channels + row) * g.length + (i - example * g.length), mean[row]);
    }
    __device__ void take(State& s, std::int64_t example, std::int64_t channel) const {
        add(s, example * g.channels + channel, mean[channel]);
    }
    __device__ void finish(std::int64_t row, const State& s, std::int64_t = 0) const { sums[row] = s; }
};

/// Gradients of weight and bias, in the order of the examples.
template <class T> __global__ void channels_kernel(NormGeometry g, const Sums* sums, const T* rstd, T* gw, T* gb) {
    for (std::int64_t c = first_place(); c < g.channels; c += place_step()) {
        double of_bias = 0, of_weight = 0;
        const std::int64_t examples = g.groups == 0 ? 1 : g.batch;
        for (std::int64_t n = 0; n < examples; ++n) {
            const Sums s = sums[n * g.channels + c];
            of_bias += s.first;
            of_weight += s.second * double(rstd[stat_of(g, n, c)]);
        }
        if (gw) gw[c] = T(of_weight);
        if (gb) gb[c] = T(of_bias);
    }
}
/// The sums times the weights, for each pair of moments.
template <class T> __global__ void totals_kernel(NormGeometry g, const Sums* sums, const T* weight, Sums* totals) {
    const std::int64_t stats = g.groups == 0 ? g.channels : g.batch * g.groups,
                       per_stat = g.groups == 0 ? 1 : g.channels / g.groups;
    for (std::int64_t s = first_place(); s < stats; s += place_step()) {
        Sums total{0, 0};
        for (std::int64_t k = 0; k < per_stat; ++k) {
            const std::int64_t plane = s * per_stat + k;
            const double w = double(weight_at(weight, plane % g.channels));
            total = total + Sums{w * sums[plane].first, w * sums[plane].second};
        }
        totals[s] = total;
    }
}

template <class T> struct InputGradient {
    NormGeometry g;
    T* gx;
    const T *gy, *x, *mean, *rstd, *weight;
    const Sums* totals; ///< null: the moments did not come from x
    double count;

    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t plane, std::int64_t length, bool is_plane) const {
        if (!is_plane) return;
        const std::int64_t n = plane / g.channels, c = plane - n * g.channels, s = stat_of(g, n, c);
        const double r = double(rstd[s]);
        const T m = mean[s], a = T(r) * weight_at(weight, c),
                b = totals ? T(-r * r * r * totals[s].second / count) : T(0),
                shift = totals ? T(-r * totals[s].first / count) : T(0);
        for (std::int64_t i = plane * length + team.me; i < (plane + 1) * length; i += team.size)
            gx[i] = a * gy[i] + b * (x[i] - m) + shift;
    }
};

template <class T>
void run(const char* op, const NormGeometry& g, const Tensor& gy, const Tensor& x, const Tensor& mean,
         const Tensor& rstd, const Tensor& weight, bool constant_stats, const Tensor& gx, const Tensor& gw,
         const Tensor& gb) {
    const auto data = [](const Tensor& t) { return Elements<T>(t).data; };
    const OnDevice on(x);
    const bool need_sums = gw.defined() || gb.defined() || !constant_stats;
    const std::int64_t rows = g.groups == 0 ? g.channels : g.batch * g.channels;
    const DeviceScratch<Sums> sums(need_sums ? rows : 0, x), totals(constant_stats ? 0 : g.num_stats(), x);
    if (need_sums) {
        const PlaneSums<T> rule{g, data(gy), data(x), data(mean), sums.data()};
        if (g.groups == 0 && g.length == 1) reduce_columns(op, x, rule, g.batch, g.channels);
        else reduce_rows(op, x, rule, rows, g.groups == 0 ? g.batch * g.length : g.length);
    }
    if ((gw.defined() || gb.defined()) && g.channels > 0)
        launch(op, channels_kernel<T>, on.over(g.channels), g, sums.data(), data(rstd), data(gw), data(gb));
    if (!gx.defined() || x.numel() == 0) return;
    if (!constant_stats)
        launch(op, totals_kernel<T>, on.over(g.num_stats()), g, sums.data(), data(weight), totals.data());
    const InputGradient<T> gradient{g,
                                    data(gx),
                                    data(gy),
                                    data(x),
                                    data(mean),
                                    data(rstd),
                                    data(weight),
                                    constant_stats ? nullptr : totals.data(),
                                    double(g.count())};
    over_rows(op, on, gradient, g.batch * g.channels, g.length, 1);
}

void norm_backward(const char* op, const NormGeometry& g, const Tensor& gy, const Tensor& x, const Tensor& mean,
                   const Tensor& rstd, const Tensor& weight, bool constant_stats, const Tensor& gx, const Tensor& gw,
                   const Tensor& gb) {
    if (dnn::norm_backward(op, g, gy, x, mean, rstd, weight, constant_stats, gx, gw, gb)) return;
    for_dtype<floats>(op, x, [&]<class T>() { run<T>(op, g, gy, x, mean, rstd, weight, constant_stats, gx, gw, gb); });
}

[[maybe_unused]] const bool attached = [] {
    kernels::norm_backward.set(kCUDA, &norm_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda
