// Quantiles: order statistics with interpolation.
#include <cmath>
#include <numeric>

#include <reel/autograd/host_data.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

namespace {

enum class Between { Linear, Lower, Higher, Midpoint, Nearest };
Between between(const char* op, std::string_view name) {
    if (name == "linear") return Between::Linear;
    if (name == "lower") return Between::Lower;
    if (name == "higher") return Between::Higher;
    if (name == "midpoint") return Between::Midpoint;
    REEL_CHECK_VALUE(name == "nearest", op, ": interpolation is '", name,
                     "'; expected linear, lower, higher, midpoint or nearest");
    return Between::Nearest;
}

/// Places of the two neighbours of each quantile in every line, and the weight of the upper one.
struct Neighbours {
    Tensor below, above, weight; ///< [lines..., quantiles]
    Tensor scale;                ///< how fast the rank moves with q
};
Neighbours neighbours(const Tensor& rows, const Tensor& q, Between how, bool ignore_nan) {
    const std::int64_t n = rows.size(-1), m = q.numel();
    Dims sizes(rows.sizes());
    sizes.back() = m;
    const auto fresh = [&](ScalarType t) { return empty_raw(sizes, t, rows.device()); };
    Neighbours r{fresh(kLong), fresh(kLong), fresh(rows.scalar_type()), fresh(rows.scalar_type())};
    if (rows.is_meta()) return r;
    const std::int64_t lines = n == 0 ? 0 : rows.numel() / n;
    const Tensor wide_q = contiguous_raw(cast_raw(q, kDouble));
    dispatch_floating(rows.scalar_type(), "quantile", [&]<class T>() {
        const T* data = static_cast<const T*>(host_data(rows, "quantile"));
        T *weight = static_cast<T*>(host_data(r.weight, "quantile")),
          *scale = static_cast<T*>(host_data(r.scale, "quantile"));
        std::int64_t *below = host_data<std::int64_t>(r.below, "quantile"),
                     *above = host_data<std::int64_t>(r.above, "quantile");
        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
        for (std::int64_t l = 0; l < lines; ++l) {
            const T* p = data + l * n;
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [p](std::int64_t i, std::int64_t j) {
                return Wide<T>(p[i]) < Wide<T>(p[j]) || (!is_nan(Wide<T>(p[i])) && is_nan(Wide<T>(p[j])));
            });
            const std::int64_t numbers = std::count_if(p, p + n, [](const T& v) { return !is_nan(Wide<T>(v)); });
            for (std::int64_t k = 0; k < m; ++k) {
                // Ranks are in the type of the data, as the values between which they fall.
                Wide<T> rank = Wide<T>(host_data<double>(wide_q, "quantile")[k]) *
                               Wide<T>((ignore_nan ? std::max<std::int64_t>(numbers, 1) : n) - 1);
                if (!ignore_nan && numbers < n) rank = Wide<T>(n - 1); // the NaN stand last
                if (how == Between::Lower) rank = std::floor(rank);
                else if (how == Between::Higher) rank = std::ceil(rank);
                else if (how == Between::Nearest) rank = std::nearbyint(rank);
                const std::int64_t lower = std::min(std::int64_t(rank), n - 1),
                                   upper = std::min(std::int64_t(std::ceil(rank)), n - 1);
                below[l * m + k] = order[std::size_t(lower)];
                above[l * m + k] = order[std::size_t(upper)];
                scale[l * m + k] = T(how != Between::Linear || (!ignore_nan && numbers < n)
                                         ? Wide<T>(0)
                                         : Wide<T>((ignore_nan ? std::max<std::int64_t>(numbers, 1) : n) - 1));
                weight[l * m + k] = T(how == Between::Midpoint ? Wide<T>(0.5) : rank - Wide<T>(lower));
            }
        }
    });
    return r;
}

Tensor quantile_of(const char* op, const Tensor& input, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                   std::string_view interpolation, bool ignore_nan) {
    const Between how = between(op, interpolation);
    REEL_CHECK(input.scalar_type() == kFloat || input.scalar_type() == kDouble, op, ": input is ",
               dtype_name(input.scalar_type()), "; expected float32 or float64");
    REEL_CHECK(q.dim() <= 1, op, ": q has shape ", q.sizes(), "; expected one number or a vector of them");
    REEL_CHECK(q.scalar_type() == input.scalar_type(), op, ": q is ", dtype_name(q.scalar_type()), " and input is ",
               dtype_name(input.scalar_type()), "; both must have one dtype");
    const std::int64_t d = wrap_dim(op, dim.value_or(0), input.dim());
    REEL_CHECK(input.numel() > 0, op, ": input ", input.sizes(), " is empty");
    const Tensor wide_q = contiguous_raw(cast_raw(q, kDouble));
    for (std::int64_t i = 0; i < q.numel() && !q.is_meta(); ++i) {
        const double v = host_data<double>(wide_q, op)[i];
        REEL_CHECK(v >= 0 && v <= 1, op, ": q is ", v, "; expected values in [0, 1]");
    }
    // Lines last: [..., n].
    Tensor lines = !dim || input.dim() == 0 ? reshape(input, {input.numel()}) : movedim(input, d, -1);
    const Neighbours at = neighbours(contiguous_raw(lines.detach()), q, how, ignore_nan);
    Tensor r = gather(lines, -1, at.below);
    if (how == Between::Linear || how == Between::Midpoint) {
        const Tensor high = gather(lines, -1, at.above), step = high - r;
        // The weight follows q: a difference that is zero carries its gradient.
        const Tensor w = q.requires_grad() ? at.weight + (q - q.detach()) * at.scale : at.weight;
        r = where(w < Scalar(0.5), r + w * step, high - step * (1 - w));
    }
    // [..., m] to [m, ...], with the reduced dimension kept if wanted.
    Dims sizes;
    if (keepdim)
        for (std::int64_t i = 0; i < input.dim(); ++i) sizes.push_back(!dim || i == d ? 1 : input.size(i));
    else if (dim)
        for (std::int64_t i = 0; i < input.dim(); ++i)
            if (i != d) sizes.push_back(input.size(i));
    Tensor front = movedim(r, -1, 0);
    if (q.dim() == 1) sizes.insert(sizes.begin(), q.numel());
    return reshape(front, sizes);
}

} // namespace

/// The value below which the fraction `q` of the elements lies, over all of them or along `dim`; NaN if there is one.
/// With a vector `q` the result has its length as first dimension.
REEL_OP("quantile(Tensor input, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
        composite, method, out_exact, samples(call(numbers({4, 3}), tensor({0.25, 0.5}, kDouble), 0)))
Tensor quantile(const Tensor& input, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                std::string_view interpolation) {
    return quantile_of("quantile", input, q, dim, keepdim, interpolation, false);
}
REEL_OP("quantile(Tensor input, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
        composite, method, out_exact)
Tensor quantile(const Tensor& input, double q, std::optional<std::int64_t> dim, bool keepdim,
                std::string_view interpolation) {
    return quantile_of("quantile", input, full({}, q, input.options()), dim, keepdim, interpolation, false);
}
/// The same over the elements that are numbers.
REEL_OP("nanquantile(Tensor input, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> "
        "Tensor",
        composite, method, out_exact)
Tensor nanquantile(const Tensor& input, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
    return quantile_of("nanquantile", input, q, dim, keepdim, interpolation, true);
}
REEL_OP("nanquantile(Tensor input, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> "
        "Tensor",
        composite, method, out_exact, samples(call(numbers({4, 3}), 0.3, 0)))
Tensor nanquantile(const Tensor& input, double q, std::optional<std::int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
    return quantile_of("nanquantile", input, full({}, q, input.options()), dim, keepdim, interpolation, true);
}

} // namespace reel
