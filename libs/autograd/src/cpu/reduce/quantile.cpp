// Quantiles: every row is ordered once.
#include <reel/autograd/kernels/quantile.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include "cpu/index/row_order.hpp"
#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// The rank of quantile `q` among `numbers` of `n` elements, in the type of the data, as the values between which it
/// falls.
template <class T>
T rank_of(double q, std::int64_t numbers, std::int64_t n, QuantileInterpolation how, bool ignore_nan) {
    T rank = T(q) * T((ignore_nan ? std::max<std::int64_t>(numbers, 1) : n) - 1);
    if (!ignore_nan && numbers < n) rank = T(n - 1); // the NaN stand last
    switch (how) {
    case QuantileInterpolation::Lower:
        return std::floor(rank);
    case QuantileInterpolation::Higher:
        return std::ceil(rank);
    case QuantileInterpolation::Nearest:
        return std::nearbyint(rank);
    default:
        return rank;
    }
}

} // namespace

void quantile(const Tensor& rows, const Tensor& q, QuantileInterpolation how, bool ignore_nan,
              const QuantileNeighbours& found) {
    const std::int64_t n = rows.sizes().back(), m = q.numel(), lines = n == 0 ? 0 : rows.numel() / n;
    REEL_CHECK(n <= RowOrder<float>::most, "quantile: input has ", n,
               " elements along the dimension; expected at most ", RowOrder<float>::most);
    const double* const wanted = host_data<double>(q, "quantile");
    std::int64_t* const below = host_data<std::int64_t>(found.below, "quantile");
    std::int64_t* const above = host_data<std::int64_t>(found.above, "quantile");
    detail::dispatch<detail::Floats>(rows.scalar_type(), "quantile", [&]<class T>() {
        const T* const data = host_data<T>(rows, "quantile");
        T *const weight = host_data<T>(found.weight, "quantile"), *const scale = host_data<T>(found.scale, "quantile");
        parallel_for(0, lines, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            std::vector<std::int64_t> order(static_cast<std::size_t>(n));
            RowOrder<T> sorted(n);
            for (std::int64_t l = begin; l < end; ++l) {
                const T* p = data + l * n;
                sorted(p, false, Equals::AsTheyStood,
                       [&](std::int64_t rank, std::int64_t place) { order[std::size_t(rank)] = place; });
                const std::int64_t numbers = std::count_if(p, p + n, [](const T& v) { return !is_nan(v); });
                for (std::int64_t k = 0; k < m; ++k) {
                    const T rank = rank_of<T>(wanted[k], numbers, n, how, ignore_nan);
                    const std::int64_t lower = std::min(std::int64_t(rank), n - 1),
                                       upper = std::min(std::int64_t(std::ceil(rank)), n - 1), i = l * m + k;
                    below[i] = order[std::size_t(lower)];
                    above[i] = order[std::size_t(upper)];
                    scale[i] = how != QuantileInterpolation::Linear || (!ignore_nan && numbers < n)
                                   ? T(0)
                                   : T((ignore_nan ? std::max<std::int64_t>(numbers, 1) : n) - 1);
                    weight[i] = how == QuantileInterpolation::Midpoint ? T(0.5) : rank - T(lower);
                }
            }
        });
    });
}

} // namespace reel::cpu
