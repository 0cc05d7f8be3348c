// Cofactors by singular values: the derivative of the determinant where the matrix has no inverse.
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/linalg/lu.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/shape/arrange.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>

#include "ops/linalg/linalg.hpp"

namespace reel {

using namespace matrices;

namespace {

Tensor across(const Tensor& t) { return unsqueeze(unsqueeze(t, -1), -1); }
/// For each value the product of those before it.
Tensor products_before(const Tensor& s) {
    const std::int64_t n = s.size(-1);
    return cumprod(cat({ones_like(narrow(s, -1, 0, 1)), narrow(s, -1, 0, n - 1)}, -1), -1);
}
Tensor products_behind(const Tensor& s) { return flip(products_before(flip(s, {-1})), {-1}); }
/// [..., i, j]: the product of all values but those at i and j; zero for i = j. No division: values may be zero.
Tensor products_without_pairs(const Tensor& s) {
    const std::int64_t n = s.size(-1);
    const Tensor row = expand(unsqueeze(s, -2), with(batch_sizes(s, 1), {n, n}));
    const Tensor behind = triu(ones({n, n}, TensorOptions(kBool).device(s.device())), 1);
    // what stands between i and j, for i < j
    const Tensor between = products_before(masked_fill(row, logical_not(behind), 1));
    const Tensor upper = triu(unsqueeze(products_before(s), -1) * between * unsqueeze(products_behind(s), -2), 1);
    return upper + transpose(upper, -2, -1);
}
/// conj(det(U) det(Vh)) U inner Vh
Tensor turned(const Tensor& u, const Tensor& inner, const Tensor& vh) {
    return across(conj(linalg_det(u) * linalg_det(vh))) * matmul(matmul(u, inner), vh);
}

} // namespace

Tensor matrices::conj_cofactors(const Tensor& a) {
    Tensor out;
    {
        const NoGradGuard guard;
        const auto [u, s, vh] = linalg_svd(a.detach(), false);
        out = turned(u, diag_embed(products_before(s) * products_behind(s)).to(a.scalar_type()), vh);
    }
    // The determinant's second derivative in the bases of the singular vectors, where only pairs of them meet.
    record("linalg.det_cofactors", {a}, out, {a}, [](RuleContext& c) -> GradList {
        const auto [u, s, vh] = linalg_svd(c.saved(0), false);
        const Tensor g = matmul(matmul(adjoint_of(u), c.grad()), adjoint_of(vh));
        const Tensor pairs = products_without_pairs(s).to(g.scalar_type());
        const Tensor own = squeeze(matmul(pairs, unsqueeze(diagonal(g, 0, -2, -1), -1)), -1);
        return {turned(u, conj(diag_embed(own) - pairs * transpose(g, -2, -1)), vh)};
    });
    return out;
}

} // namespace reel
