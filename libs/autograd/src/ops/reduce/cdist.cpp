// Distances between all rows of two matrices.
#include <reel/autograd/kernels/cdist.hpp>
#include <reel/autograd/ops/index/index.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/reduce/cdist.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/split.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/autograd/type_promotion.hpp>

#include "ops/reduce/reduction.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;

namespace {

Tensor squares(const Tensor& x) { return sum(square(x), IntArrayRef{-1}); }

/// Distances in double precision from |a - b|^2 = |a|^2 + |b|^2 - 2 a b. Where nearly all of that cancels, the
/// differences themselves are taken, so that equal rows have distance zero.
Tensor euclidean(const Tensor& a, const Tensor& b) {
    const Tensor sizes = unsqueeze(squares(a), -1) + unsqueeze(squares(b), -2);
    const Tensor far = sizes - matmul(a, transpose(b, -2, -1)) * 2,
                 close = nonzero(logical_not(far > sizes * 1e-8)); // and NaN
    if (close.size(0) == 0) return sqrt(far);
    std::vector<Tensor> place = unbind(close, 1); // of batch dimensions, of a row of a and of one of b
    const Tensor row_b = place.back(), row_a = place[place.size() - 2];
    place.resize(place.size() - 2);
    const auto rows = [&](const Tensor& x, const Tensor& row) {
        Dims s(IntArrayRef(far.sizes().data(), far.sizes().size() - 2));
        s.push_back(x.size(-2));
        s.push_back(x.size(-1));
        std::vector<Tensor> at(place.begin(), place.end());
        at.push_back(row);
        return index_op(expand(x, s), at);
    };
    std::vector<Tensor> all(place.begin(), place.end());
    all.push_back(row_a);
    all.push_back(row_b);
    return sqrt(index_put(far, all, squares(rows(a, row_a) - rows(b, row_b))));
}

/// The same by the kernel of a device that has one: in float32, without a product.
Tensor distances(const Tensor& a, const Tensor& b, ScalarType type) {
    if (!kernels::cdist.has(a.device().type()) || type == kDouble)
        return euclidean(a.to(kDouble), b.to(kDouble)).to(type);
    const Dims outer = reel::detail::broadcast_shapes("cdist", a.sizes().slice(0, a.sizes().size() - 2),
                                                      b.sizes().slice(0, b.sizes().size() - 2));
    std::int64_t batch = 1;
    for (const std::int64_t n : outer) batch *= n;
    const auto rows = [&](const Tensor& x) {
        Dims sizes(outer);
        sizes.push_back(x.size(-2));
        sizes.push_back(x.size(-1));
        return reel::detail::contiguous_raw(reel::detail::cast_raw(x, kFloat).expand(sizes))
            .reshape({batch, x.size(-2), x.size(-1)});
    };
    const Tensor x1 = rows(a), x2 = rows(b),
                 out = reel::detail::empty_raw({batch, a.size(-2), b.size(-2)}, kFloat, a.device());
    kernels::cdist(out, x1, x2);
    Dims sizes(outer);
    sizes.push_back(a.size(-2));
    sizes.push_back(b.size(-2));
    return out.reshape(sizes).to(type);
}

/// gx1 = sum over rows of x2 of w (x1 - x2) with w = g / distance, zero where the distance is.
Tensor by_product(const Tensor& x1, const Tensor& x2) {
    Tensor out;
    {
        const NoGradGuard off;
        out = distances(x1.detach(), x2.detach(), x1.scalar_type());
    }
    record("cdist", {x1, x2}, out, {x1, x2, out}, [](RuleContext& c) -> GradList {
        const Tensor d = c.saved(2).to(kDouble);
        const Tensor w = c.grad().to(kDouble) / masked_fill(d, d == 0, std::numeric_limits<double>::infinity());
        const auto gradient = [&](int of, const Tensor& weights, const Tensor& other) {
            const Tensor x = c.saved(of).to(kDouble);
            const Tensor g = x * unsqueeze(sum(weights, IntArrayRef{-1}), -1) - matmul(weights, other.to(kDouble));
            return sum_to_size(g, x.sizes()).to(c.saved(of).scalar_type());
        };
        GradList r{Tensor(), Tensor()};
        if (c.needs(0)) r[0] = gradient(0, w, c.saved(1));
        if (c.needs(1)) r[1] = gradient(1, transpose(w, -2, -1), c.saved(0));
        return r;
    });
    return out;
}

} // namespace

/// Distances between every row of x1 [..., P, M] and every row of x2 [..., R, M].
REEL_OP("cdist(Tensor x1, Tensor x2, float p=2.0, str? compute_mode='use_mm_for_euclid_dist_if_necessary') -> Tensor",
        rule)
Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<std::string_view> compute_mode) {
    REEL_CHECK(x1.is_floating_point() && x2.is_floating_point(), "cdist: x1 is ", dtype_name(x1.scalar_type()),
               " and x2 is ", dtype_name(x2.scalar_type()), "; expected floating dtypes");
    REEL_CHECK(x1.dim() >= 2 && x2.dim() >= 2 && x1.size(-1) == x2.size(-1), "cdist: x1 has shape ", x1.sizes(),
               " and x2 ", x2.sizes(), "; expected at least two dimensions and the same last one");
    REEL_CHECK(p >= 0, "cdist: p is ", p, "; expected a value of at least 0");
    REEL_CHECK_VALUE(
        !compute_mode || *compute_mode == "use_mm_for_euclid_dist_if_necessary" ||
            *compute_mode == "use_mm_for_euclid_dist" || *compute_mode == "donot_use_mm_for_euclid_dist",
        "cdist: compute_mode is '", compute_mode.value_or(""),
        "'; expected use_mm_for_euclid_dist_if_necessary, use_mm_for_euclid_dist or donot_use_mm_for_euclid_dist");
    const bool never = compute_mode && *compute_mode == "donot_use_mm_for_euclid_dist";
    const bool many = x1.size(-2) > 25 || x2.size(-2) > 25;
    const bool always = compute_mode && *compute_mode == "use_mm_for_euclid_dist";
    // In double precision the product's cancellation stays below the rounding of narrower numbers.
    const ScalarType t = promote_types(x1.scalar_type(), x2.scalar_type());
    if (p == 2 && !never && (many || always) && t != kDouble && x1.size(-1) > 0 && detail::has_values(x1))
        return by_product(x1.to(t), x2.to(t));
    return reduction::vector_norm("cdist", unsqueeze(x1, -2) - unsqueeze(x2, -3), p, -1, false, std::nullopt);
}

} // namespace reel
