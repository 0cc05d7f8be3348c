// Derivatives of sampled functions by central differences.
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/reduce/finite_differences.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace reduction;

namespace {

/// Elements [start, start + length) along `dim`; a negative start counts from the end.
Tensor part(const Tensor& t, std::int64_t dim, std::int64_t start, std::int64_t length) {
    return narrow(t, dim, start < 0 ? t.size(dim) + start : start, length);
}
/// Samples at equal distances `h`.
Tensor even(const Tensor& x, std::int64_t d, double h, std::int64_t edge_order) {
    const std::int64_t n = x.size(d);
    const Tensor centre = (part(x, d, 2, n - 2) - part(x, d, 0, n - 2)) / (2 * h);
    if (edge_order == 1)
        return cat({(part(x, d, 1, 1) - part(x, d, 0, 1)) / h, centre, (part(x, d, -1, 1) - part(x, d, -2, 1)) / h}, d);
    const Tensor first = (part(x, d, 0, 1) * -1.5 + part(x, d, 1, 1) * 2.0 - part(x, d, 2, 1) * 0.5) / h;
    const Tensor last = (part(x, d, -1, 1) * 1.5 - part(x, d, -2, 1) * 2.0 + part(x, d, -3, 1) * 0.5) / h;
    return cat({first, centre, last}, d);
}
/// Samples at the coordinates `at`.
Tensor uneven(const Tensor& x, std::int64_t d, const Tensor& at, std::int64_t edge_order) {
    const std::int64_t n = x.size(d);
    Dims shape(std::size_t(x.dim()), 1);
    shape[std::size_t(d)] = n - 1;
    const Tensor step = reshape(diff(at), shape);
    Tensor p = part(step, d, 0, n - 2), q = part(step, d, 1, n - 2);
    const Tensor centre = part(x, d, 0, n - 2) * (neg(q) / (p * (p + q))) + part(x, d, 1, n - 2) * ((q - p) / (p * q)) +
                          part(x, d, 2, n - 2) * (p / (q * (p + q)));
    if (edge_order == 1)
        return cat({(part(x, d, 1, 1) - part(x, d, 0, 1)) / part(step, d, 0, 1), centre,
                    (part(x, d, -1, 1) - part(x, d, -2, 1)) / part(step, d, -1, 1)},
                   d);
    p = part(step, d, 0, 1);
    q = part(step, d, 1, 1);
    const Tensor first = part(x, d, 0, 1) * (neg(p * 2 + q) / (p * (p + q))) + part(x, d, 1, 1) * ((p + q) / (p * q)) -
                         part(x, d, 2, 1) * (p / (q * (p + q)));
    p = part(step, d, -2, 1);
    q = part(step, d, -1, 1);
    const Tensor last = part(x, d, -3, 1) * (q / (p * (p + q))) - part(x, d, -2, 1) * ((p + q) / (p * q)) +
                        part(x, d, -1, 1) * ((q * 2 + p) / (q * (p + q)));
    return cat({first, centre, last}, d);
}

} // namespace

/// Derivatives along `dim` (all dimensions when absent) of the function whose samples are `input`, one tensor each.
/// `spacing`: a number, one number per dimension, or the coordinates along each; `edge_order` 1 or 2 at the borders.
REEL_OP("gradient(Tensor input, *, Value spacing=None, int[]? dim=None, int edge_order=1) -> Tensor[]", composite)
std::vector<Tensor> gradient(const Tensor& input, const Value& spacing, OptionalIntArrayRef dim,
                             std::int64_t edge_order) {
    REEL_CHECK(edge_order == 1 || edge_order == 2, "gradient: edge_order is ", edge_order, "; expected 1 or 2");
    const Dims dims = dim ? wrap_dims("gradient", *dim, input.dim()) : all_dims(input);
    REEL_CHECK(!spacing.isSequence() || spacing.elements().size() == dims.size(), "gradient: spacing has ",
               spacing.isSequence() ? spacing.elements().size() : 0, " entries for ", dims.size(), " dimensions");
    std::vector<Tensor> r;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::int64_t d = dims[i];
        REEL_CHECK(input.dim() > 0 && input.size(d) >= edge_order + 1, "gradient: dimension ", d, " of input ",
                   input.sizes(), " needs at least ", edge_order + 1, " elements");
        const Value h = spacing.isSequence() ? spacing.elements()[i] : spacing;
        if (!h.isTensor()) {
            REEL_CHECK(h.isNone() || (h.isScalar() && !h.isComplexDouble()), "gradient: spacing is ", h.repr(),
                       "; expected real numbers or tensors");
            r.push_back(even(input, d, h.isNone() ? 1 : h.toDouble(), edge_order));
            continue;
        }
        const Tensor at = h.toTensor();
        REEL_CHECK(at.dim() == 1 && at.size(0) == input.size(d), "gradient: the coordinates along dimension ", d,
                   " have shape ", at.sizes(), "; expected [", input.size(d), "]");
        r.push_back(uneven(input, d, at, edge_order));
    }
    return r;
}

} // namespace reel
