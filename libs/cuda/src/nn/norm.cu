// Moments of batches and groups, and what is normalised by them.
#include "norm.cuh"

#include <limits>

namespace reel::cuda {

namespace {

/// Elements that share moments, as one row or column.
template <class T> struct MomentsOf {
    using State = Moments<double>;
    static constexpr int per_pack = Elements<T>::per_pack;
    NormGeometry g;
    const T* x;
    double *mean, *var;

    __device__ State nothing() const { return State::none(); }
    __device__ State join(const State& a, const State& b) const { return State::join(a, b); }
    __device__ void pack(State& s, std::int64_t stat, std::int64_t i, std::int64_t end) const {
        double v[per_pack];
        int n = 0;
        if (g.groups != 0) {
            const T* const row = x + stat * (g.channels / g.groups) * g.length;
            for (; n < per_pack && i + n < end; ++n) v[n] = double(row[i + n]);
        } else {
            std::int64_t example = i / g.length, at = i - example * g.length;
            for (; n < per_pack && i + n < end; ++n) {
                v[n] = double(x[(example * g.channels + stat) * g.length + at]);
                if (++at == g.length) at = 0, ++example;
            }
        }
        s = State::join(s, State::of(v, n));
    }
    __device__ void take(State& s, std::int64_t example, std::int64_t channel) const {
        const double v = double(x[example * g.channels + channel]);
        s = State::join(s, State::of(&v, 1));
    }
    __device__ void finish(std::int64_t stat, const State& s, std::int64_t = 0) const {
        mean[stat] = s.count == 0 ? std::numeric_limits<double>::quiet_NaN() : s.mean;
        var[stat] = s.squares / s.count;
    }
};

void norm_moments(const char* op, const NormGeometry& g, const Tensor& mean, const Tensor& var, const Tensor& x) {
    for_dtype<floats>(op, x, [&]<class T>() {
        const MomentsOf<T> rule{g, Elements<T>(x).data, Elements<double>(mean).data, Elements<double>(var).data};
        if (g.groups == 0 && g.length == 1) reduce_columns(op, x, rule, g.batch, g.channels);
        else reduce_rows(op, x, rule, g.num_stats(), g.count());
    });
}

template <class T> __global__ void rstd_kernel(T* rstd, const double* var, double eps, std::int64_t count) {
    for (std::int64_t i = first_place(); i < count; i += place_step()) rstd[i] = T(1 / std::sqrt(var[i] + eps));
}
void norm_rstd(const char* op, const Tensor& rstd, const Tensor& var, double eps) {
    if (rstd.numel() == 0) return;
    const OnDevice on(rstd);
    for_dtype<floats>(op, rstd, [&]<class T>() {
        launch(op, rstd_kernel<T>, on.over(rstd.numel()), Elements<T>(rstd).data, Elements<double>(var).data, eps,
               rstd.numel());
    });
}

__global__ void running_kernel(double* running, const double* before, const double* moments, double scale,
                               double momentum, std::int64_t channels, std::int64_t examples) {
    for (std::int64_t c = first_place(); c < channels; c += place_step()) {
        double mean = 0;
        for (std::int64_t n = 0; n < examples; ++n) mean += moments[n * channels + c] / double(examples);
        running[c] = momentum * (mean * scale) + (1 - momentum) * before[c];
    }
}
void norm_running(const char* op, const Tensor& running, const Tensor& before, const Tensor& moments, double scale,
                  double momentum) {
    const std::int64_t channels = running.numel();
    if (channels == 0) return;
    const OnDevice on(running);
    launch(op, running_kernel, on.over(channels), Elements<double>(running).data, Elements<double>(before).data,
           Elements<double>(moments).data, scale, momentum, channels, moments.numel() / channels);
}

/// One plane, that is one channel of one example, as a row.
template <class T> struct Normalized {
    NormGeometry g;
    T* y;
    const T *x, *mean, *rstd, *weight, *bias;

    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t plane, std::int64_t length, bool is_plane) const {
        if (!is_plane) return;
        const std::int64_t n = plane / g.channels, c = plane - n * g.channels, s = stat_of(g, n, c);
        const T m = mean[s], scale = rstd[s] * weight_at(weight, c), shift = bias ? bias[c] : T(0);
        for (std::int64_t i = team.me; i < length; i += team.size)
            y[plane * length + i] = (x[plane * length + i] - m) * scale + shift;
    }
};
void norm_forward(const char* op, const NormGeometry& g, const Tensor& y, const Tensor& x, const Tensor& mean,
                  const Tensor& rstd, const Tensor& weight, const Tensor& bias) {
    for_dtype<floats>(op, x, [&]<class T>() {
        const auto data = [](const Tensor& t) { return Elements<T>(t).data; };
        over_rows(op, OnDevice(x), Normalized<T>{g, data(y), data(x), data(mean), data(rstd), data(weight), data(bias)},
                  g.batch * g.channels, g.length, 1);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::norm_moments.set(kCUDA, &norm_moments);
    kernels::norm_rstd.set(kCUDA, &norm_rstd);
    kernels::norm_running.set(kCUDA, &norm_running);
    kernels::norm_forward.set(kCUDA, &norm_forward);
    return true;
}();

} // namespace

} // namespace reel::cuda
