// Quantiles: order statistics with interpolation.

#include <reel/autograd/kernels/quantile.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/quantile.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>

#include "ops/reduce/reduction.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

namespace {

using Between = QuantileInterpolation;
Between between(const char* op, std::string_view name) {
    if (name == "linear") return Between::Linear;
    if (name == "lower") return Between::Lower;
    if (name == "higher") return Between::Higher;
    if (name == "midpoint") return Between::Midpoint;
    REEL_CHECK_VALUE(name == "nearest", op, ": interpolation is '", name,
                     "'; expected linear, lower, higher, midpoint or nearest");
    return Between::Nearest;
}

/// Of `rows`, lines last and dense.
QuantileNeighbours neighbours(const Tensor& rows, const Tensor& q, Between how, bool ignore_nan) {
    Dims sizes(rows.sizes());
    sizes.back() = q.numel();
    const auto fresh = [&](ScalarType t) { return empty_raw(sizes, t, rows.device()); };
    QuantileNeighbours r{fresh(kLong), fresh(kLong), fresh(rows.scalar_type()), fresh(rows.scalar_type())};
    kernels::quantile(rows, contiguous_raw(cast_raw(q, kDouble)), how, ignore_nan, r);
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
    if (has_values(q))
        for (const double v : HostValues<double>(q, op))
            REEL_CHECK(v >= 0 && v <= 1, op, ": q is ", v, "; expected values in [0, 1]");
    // Lines last: [..., n].
    Tensor lines = !dim || input.dim() == 0 ? reshape(input, {input.numel()}) : movedim(input, d, -1);
    const QuantileNeighbours at = neighbours(contiguous_raw(lines.detach()), q, how, ignore_nan);
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
