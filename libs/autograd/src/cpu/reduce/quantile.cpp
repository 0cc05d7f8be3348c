// Quantiles: every row is ordered once, or searched for the few places that are asked for.
#include <reel/autograd/kernels/quantile.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "cpu/index/row_order.hpp"
#include "cpu/reduce/kth_place.hpp"
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

/// Where the elements of a row stand in order, equal ones as they stood, NaN last. Keeps its memory for the next row.
template <class T> class Ranks {
public:
    /// For rows of `n` elements, of which `wanted` are asked for.
    Ranks(std::int64_t n, std::int64_t wanted) : n_(n), searched_(std::is_same_v<T, float> && wanted <= 4 && n >= 64) {
        if (searched_) kth_.emplace(n);
        else {
            sorted_.emplace(n);
            order_.resize(std::size_t(n));
        }
    }
    void set(const T* row) {
        if (searched_)
            std::transform(row, row + n_, kth_->keys().begin(), [](const T& v) { return std::uint32_t(order_key(v)); });
        else
            (*sorted_)(row, false, Equals::AsTheyStood,
                       [&](std::int64_t rank, std::int64_t place) { order_[std::size_t(rank)] = place; });
    }
    std::int64_t place(std::int64_t rank) { return searched_ ? (*kth_)(rank) : order_[std::size_t(rank)]; }

private:
    std::int64_t n_;
    bool searched_;
    std::optional<KthPlace> kth_;
    std::optional<RowOrder<T>> sorted_;
    std::vector<std::int64_t> order_;
};

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
            Ranks<T> ranks(n, 2 * m);
            for (std::int64_t l = begin; l < end; ++l) {
                const T* p = data + l * n;
                ranks.set(p);
                const std::int64_t numbers = std::count_if(p, p + n, [](const T& v) { return !is_nan(v); });
                for (std::int64_t k = 0; k < m; ++k) {
                    const T rank = rank_of<T>(wanted[k], numbers, n, how, ignore_nan);
                    const std::int64_t lower = std::min(std::int64_t(rank), n - 1),
                                       upper = std::min(std::int64_t(std::ceil(rank)), n - 1), i = l * m + k;
                    below[i] = ranks.place(lower);
                    above[i] = upper == lower ? below[i] : ranks.place(upper);
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
