// Quantiles: a block for each quantile of each row.
#include <reel/autograd/kernels/quantile.hpp>

#include "select.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Quantiles {
    Elements<T> in;
    const double* wanted;
    std::int64_t *below, *above;
    T *weight, *scale;
    std::int64_t length;
    QuantileInterpolation how;
    bool ignore_nan;

    /// `quantiles` to a row.
    __device__ void operator()(const BlockTeam& team, std::int64_t number, std::int64_t quantiles, bool) const {
        const std::int64_t row = number / quantiles, start = row * length,
                           numbers = length - count_nan(team, in, start, length);
        const std::int64_t last = (ignore_nan ? (numbers > 1 ? numbers : 1) : length) - 1;
        T rank = T(wanted[number - row * quantiles]) * T(last);
        const bool is_nan = !ignore_nan && numbers < length;
        if (is_nan) rank = T(length - 1); // the NaN stand last
        if (how == QuantileInterpolation::Lower) rank = std::floor(rank);
        if (how == QuantileInterpolation::Higher) rank = std::ceil(rank);
        if (how == QuantileInterpolation::Nearest) rank = std::nearbyint(rank);
        const auto bounded = [&](T r) { return std::int64_t(r) < length - 1 ? std::int64_t(r) : length - 1; };
        const std::int64_t lower = bounded(rank), upper = bounded(std::ceil(rank));
        const std::int64_t first = place_of_rank(team, in, start, length, lower),
                           second = lower == upper ? first : place_of_rank(team, in, start, length, upper);
        if (team.me != 0) return;
        below[number] = first;
        above[number] = second;
        scale[number] = how != QuantileInterpolation::Linear || is_nan ? T(0) : T(last);
        weight[number] = how == QuantileInterpolation::Midpoint ? T(0.5) : rank - T(lower);
    }
};

void quantile(const Tensor& rows, const Tensor& q, QuantileInterpolation how, bool ignore_nan,
              const QuantileNeighbours& found) {
    const std::int64_t n = rows.sizes().back(), lines = n == 0 ? 0 : rows.numel() / n;
    if (q.numel() == 0) return;
    for_dtype<floats>("quantile", rows, [&]<class T>() {
        const auto places = [](const Tensor& t) { return Elements<std::int64_t>(t).data; };
        const Quantiles<T> program{Elements<T>(rows),
                                   Elements<double>(q).data,
                                   places(found.below),
                                   places(found.above),
                                   Elements<T>(found.weight).data,
                                   Elements<T>(found.scale).data,
                                   n,
                                   how,
                                   ignore_nan};
        over_blocks("quantile", OnDevice(rows), program, lines * q.numel(), q.numel());
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::quantile.set(kCUDA, &quantile);
    return true;
}();

} // namespace

} // namespace reel::cuda
