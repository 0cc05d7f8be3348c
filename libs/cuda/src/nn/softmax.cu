// Softmax: the maximum and the sum of exponentials in one pass, sums being kept for the greatest exponent so far.
#include <reel/autograd/kernels/softmax.hpp>

#include <limits>

#include "reduce/reduction.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Exponentials {
    T best, sum; ///< sum of exp(x - best)
    __device__ Exponentials join(const Exponentials& o) const {
        const T most = is_nan(best) || best > o.best ? best : o.best;
        return {most, scaled(most) + o.scaled(most)};
    }
    /// An empty part has no scale.
    __device__ T scaled(T most) const { return sum == 0 ? T(0) : sum * std::exp(best - most); }
};

template <class T> struct Softmax {
    using State = Exponentials<T>;
    static constexpr int per_pack = Elements<T>::per_pack;
    T* out;
    Elements<T> in;
    std::int64_t length;
    bool logarithm;

    __device__ State nothing() const { return {-std::numeric_limits<T>::infinity(), T(0)}; }
    /// The pack's own maximum first: the sum is scaled once.
    __device__ void pack(State& s, std::int64_t row, std::int64_t i, std::int64_t end) const {
        T x[per_pack];
        int n = 0;
        State p = nothing();
        in.pack(row * length + i, row * length + end, [&](T v, std::int64_t) {
            x[n++] = v;
            if (is_nan(v) || v > p.best) p.best = v;
        });
        if (p.best == nothing().best) return; // the least exponent alone adds nothing: it has no distance from itself
        for (int k = 0; k < n; ++k) p.sum += std::exp(x[k] - p.best);
        s = s.join(p);
    }
    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t row, std::int64_t n, bool is_row) const {
        const std::int64_t end = is_row ? n : 0;
        const State s = team.share(
            team.join(walk(*this, team, row, 0, end), [](const State& a, const State& b) { return a.join(b); }));
        const T log_sum = std::log(s.sum), scale = T(1) / s.sum;
        for (std::int64_t i = std::int64_t(team.me) * per_pack; i < end; i += std::int64_t(team.size) * per_pack)
            in.pack(row * n + i, row * n + end, [&](T v, std::int64_t at) {
                // added to a large maximum the logarithm would lose its digits
                out[at] = logarithm ? (v - s.best) - log_sum : std::exp(v - s.best) * scale;
            });
    }
};

void softmax(const Tensor& out, const Tensor& rows, bool logarithm) {
    const std::int64_t n = rows.sizes().back();
    for_dtype<floats>("softmax", out, [&]<class T>() {
        over_rows("softmax", OnDevice(out), Softmax<T>{Elements<T>(out).data, Elements<T>(rows), n, logarithm},
                  out.numel() / n, n, Elements<T>::per_pack);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::softmax.set(kCUDA, &softmax);
    return true;
}();

} // namespace

} // namespace reel::cuda
