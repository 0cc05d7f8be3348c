// Normalisation of rows, and its gradients.
#include "dnn.hpp"
#include "norm.cuh"

namespace reel::cuda {

namespace {

template <class T> struct LayerNorm {
    using State = Moments<double>;
    static constexpr int per_pack = Elements<T>::per_pack;
    Elements<T> x;
    T *y, *mean, *rstd;
    const T *weight, *bias;
    std::int64_t length;
    double eps;

    __device__ State nothing() const { return State::none(); }
    __device__ void pack(State& s, std::int64_t row, std::int64_t i, std::int64_t end) const {
        double v[per_pack];
        int n = 0;
        x.pack(row * length + i, row * length + end, [&](T e, std::int64_t) { v[n++] = double(e); });
        s = State::join(s, State::of(v, n));
    }
    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t row, std::int64_t n, bool is_row) const {
        const std::int64_t end = is_row ? n : 0;
        const auto join = [](const State& a, const State& b) { return State::join(a, b); };
        const State s = team.share(team.join(walk(*this, team, row, 0, end), join));
        const T m = T(s.mean), r = T(1 / std::sqrt(s.squares / s.count + eps));
        if (team.me == 0 && is_row) {
            mean[row] = m;
            rstd[row] = r;
        }
        const std::int64_t start = row * n;
        for (std::int64_t i = std::int64_t(team.me) * per_pack; i < end; i += std::int64_t(team.size) * per_pack)
            x.pack(start + i, start + end, [&](T v, std::int64_t at) {
                y[at] = (v - m) * r * weight_at(weight, at - start) + (bias ? bias[at - start] : T(0));
            });
    }
};

void layer_norm(const char* op, const Tensor& y, const Tensor& mean, const Tensor& rstd, const Tensor& x,
                const Tensor& weight, const Tensor& bias, std::int64_t inner, double eps) {
    if (x.numel() == 0 || dnn::layer_norm(op, y, mean, rstd, x, weight, bias, inner, eps)) return;
    for_dtype<floats>(op, x, [&]<class T>() {
        const auto data = [](const Tensor& t) { return Elements<T>(t).data; };
        const LayerNorm<T> program{Elements<T>(x), data(y),    data(mean), data(rstd),
                                   data(weight),   data(bias), inner,      eps};
        over_rows(op, OnDevice(x), program, x.numel() / inner, inner, Elements<T>::per_pack);
    });
}

/// Of the input: with n = (x - m) r, gx = r (w gy - mean(w gy) - n mean(w gy n)).
template <class T> struct RowGradient {
    using State = Sums;
    static constexpr int per_pack = 1;
    const T *gy, *x, *mean, *rstd, *weight;
    T* gx;
    std::int64_t length;

    __device__ State nothing() const { return {0, 0}; }
    __device__ void pack(State& s, std::int64_t row, std::int64_t i, std::int64_t) const {
        const std::int64_t at = row * length + i;
        const double g = double(gy[at] * weight_at(weight, i));
        s = s + State{g, g * double(x[at] - mean[row])};
    }
    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t row, std::int64_t n, bool is_row) const {
        const auto join = [](const State& a, const State& b) { return a + b; };
        const State s = team.share(team.join(walk(*this, team, row, 0, is_row ? n : 0), join));
        if (!is_row) return;
        const double r = double(rstd[row]);
        const T m = mean[row], b = T(-r * r * r * s.second / double(n)), shift = T(-r * s.first / double(n));
        for (std::int64_t i = team.me; i < n; i += team.size) {
            const std::int64_t at = row * n + i;
            gx[at] = T(r) * (gy[at] * weight_at(weight, i)) + b * (x[at] - m) + shift;
        }
    }
};
/// Of weight and bias: sums of columns.
template <class T> struct AffineGradient {
    using State = Sums;
    const T *gy, *x, *mean, *rstd;
    T *gw, *gb;
    std::int64_t length;

    __device__ State nothing() const { return {0, 0}; }
    __device__ State join(const State& a, const State& b) const { return a + b; }
    __device__ void take(State& s, std::int64_t row, std::int64_t column) const {
        const std::int64_t at = row * length + column;
        s = s + State{double(gy[at] * ((x[at] - mean[row]) * rstd[row])), double(gy[at])};
    }
    __device__ void finish(std::int64_t column, const State& s) const {
        if (gw) gw[column] = T(s.first);
        if (gb) gb[column] = T(s.second);
    }
};

void layer_norm_backward(const char* op, const Tensor& gy, const Tensor& x, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, std::int64_t inner, const Tensor& gx, const Tensor& gw,
                         const Tensor& gb) {
    if (inner == 0 || dnn::layer_norm_backward(op, gy, x, mean, rstd, weight, inner, gx, gw, gb)) return;
    const std::int64_t rows = x.numel() / inner;
    for_dtype<floats>(op, x, [&]<class T>() {
        const auto data = [](const Tensor& t) { return Elements<T>(t).data; };
        if (gx.defined())
            over_rows(op, OnDevice(x),
                      RowGradient<T>{data(gy), data(x), data(mean), data(rstd), data(weight), data(gx), inner}, rows,
                      inner, 1);
        if (gw.defined() || gb.defined())
            reduce_columns(op, x,
                           AffineGradient<T>{data(gy), data(x), data(mean), data(rstd), data(gw), data(gb), inner},
                           rows, inner);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::layer_norm.set(kCUDA, &layer_norm);
    kernels::layer_norm_backward.set(kCUDA, &layer_norm_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda
