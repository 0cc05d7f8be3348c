// LU factorization and what follows from it: systems, inverses, determinants.

#include <limits>

#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/linalg/lu.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/linalg/linalg.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace matrices;

namespace {

struct Factors {
    Tensor lu, pivots, info;
};
/// LU with row exchanges, nothing recorded.
Factors factor(const char* op, const Tensor& a, bool pivot) {
    const Batch b(a);
    const std::int64_t k = std::min(b.m, b.n);
    const Dims batch = batch_sizes(a);
    Factors f{b.matrices(), empty_raw(with(batch, {k}), kInt, a.device()), empty_raw(batch, kInt, a.device())};
    kernels::lu_factor(op, b.data, f.pivots, f.info, pivot);
    return f;
}
/// Rows in the order that the exchanges give them: order[i] is the row of A that stands at i in L U.
Tensor row_order(const Tensor& pivots, std::int64_t m) {
    const Tensor p = contiguous_raw(pivots);
    const Tensor order = empty_raw(with(batch_sizes(pivots, 1), {m}), kLong, pivots.device());
    kernels::lu_order("lu_unpack", order, p);
    return order;
}
/// P with A = P L U.
Tensor permutation(const Tensor& pivots, std::int64_t m, ScalarType t) {
    const Tensor order = row_order(pivots, m);
    const Tensor p = empty_raw(with(batch_sizes(pivots, 1), {m, m}), t, pivots.device());
    fill_raw(p, 0);
    if (p.numel() == 0) return p;
    const Tensor rows = unsqueeze(order, -2), one = empty_raw({}, p);
    fill_raw(one, 1);
    shape::scatter_raw(ScatterMode::Assign, p, p.dim() - 2, rows, expand_raw(one, rows.sizes()));
    return p;
}
Tensor lower_unit(const Tensor& lu) {
    const std::int64_t k = std::min(lu.size(-1), lu.size(-2));
    const Tensor l = tril(narrow(lu, -1, 0, k), -1);
    return l + eye(l.size(-2), k, l.options());
}
Tensor upper(const Tensor& lu) { return triu(narrow(lu, -2, 0, std::min(lu.size(-1), lu.size(-2)))); }

Tensor triangular(const Tensor& a, const Tensor& b, bool upper, bool left, bool unit = false) {
    return linalg_solve_triangular(a, b, upper, left, unit);
}
/// Gradient of A = P L U through L (strictly lower) and U (upper), either possibly absent.
Tensor lu_gradient(const Tensor& gl, const Tensor& gu, const Tensor& p, const Tensor& l, const Tensor& u) {
    if (!gl.defined() && !gu.defined()) return {};
    const std::int64_t m = l.size(-2), n = u.size(-1), k = l.size(-1);
    const Tensor l1 = narrow(l, -2, 0, k), u1 = narrow(u, -1, 0, k);
    Tensor low, up; // what goes below the diagonal, what goes on and above it
    if (gl.defined()) low = matmul(adjoint_of(l1), narrow(gl, -2, 0, k));
    if (gu.defined()) up = matmul(narrow(gu, -1, 0, k), adjoint_of(u1));
    Tensor g2;
    if (n > k && gu.defined()) { // wide: the columns to the right
        const Tensor gu2 = narrow(gu, -1, k, n - k);
        g2 = triangular(adjoint_of(l1), gu2, true, true, true);
        const Tensor back = matmul(gu2, adjoint_of(narrow(u, -1, k, n - k)));
        low = low.defined() ? low - back : -back;
    }
    if (m > k && gl.defined()) { // tall: the rows below
        const Tensor gl2 = narrow(gl, -2, k, m - k);
        g2 = triangular(adjoint_of(u1), gl2, false, false);
        const Tensor back = matmul(adjoint_of(narrow(l, -2, k, m - k)), gl2);
        up = up.defined() ? up - back : -back;
    }
    Tensor g = low.defined() ? tril(low, -1) : Tensor();
    if (up.defined()) g = g.defined() ? g + triu(up) : triu(up);
    g = triangular(adjoint_of(l1), g, true, true, true);
    g = triangular(adjoint_of(u1), g, false, false);
    if (n > k) g = cat({g, g2.defined() ? g2 : zeros_raw(with(batch_sizes(g), {k, n - k}), g)}, -1);
    if (m > k) g = cat({g, g2.defined() ? g2 : zeros_raw(with(batch_sizes(g), {m - k, n}), g)}, -2);
    return matmul(p, g);
}

} // namespace

/// LU factorization with partial pivoting: packed factors, pivots (from 1), info (0: fine, i: a zero pivot at i).
REEL_OP("linalg.lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, "
        "Tensor info)",
        rule, out)
std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, bool pivot, bool check_errors) {
    check_matrices("linalg.lu_factor_ex", "A", A, false);
    const Factors f = factor("linalg.lu_factor_ex", A, pivot);
    if (check_errors) check_infos("linalg.lu_factor_ex", f.info, "a pivot is zero");
    record("linalg.lu_factor", TensorList{A}, {f.lu, f.pivots, f.info}, {f.lu, f.pivots},
           [](RuleContext& c) -> GradList {
               if (!c.grad(0).defined()) return {Tensor()};
               const Tensor lu = c.saved(0), l = lower_unit(lu), u = upper(lu), &g = c.grad(0);
               const std::int64_t k = l.size(-1);
               return {lu_gradient(tril(narrow(g, -1, 0, k), -1), triu(narrow(g, -2, 0, k)),
                                   permutation(c.saved(1), l.size(-2), lu.scalar_type()), l, u)};
           });
    return {f.lu, f.pivots, f.info};
}
REEL_OP("linalg.lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", composite, out)
std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot) {
    check_matrices("linalg.lu_factor", "A", A, false);
    const auto [lu, pivots, info] = linalg_lu_factor_ex(A, pivot, false);
    check_infos("linalg.lu_factor", info, "a pivot is zero; linalg.lu_factor_ex takes singular matrices");
    return {lu, pivots};
}
/// A = P L U
REEL_OP("linalg.lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", rule, out)
std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot) {
    check_matrices("linalg.lu", "A", A, false);
    Tensor p, l, u;
    {
        NoGradGuard guard;
        const Factors f = factor("linalg.lu", A.detach(), pivot);
        p = permutation(f.pivots, A.size(-2), A.scalar_type());
        l = lower_unit(f.lu);
        u = upper(f.lu);
    }
    record("linalg.lu", TensorList{A}, {l, u}, {p, l, u}, [](RuleContext& c) -> GradList {
        return {lu_gradient(c.grad(0), c.grad(1), c.saved(0), c.saved(1), c.saved(2))};
    });
    return {p, l, u};
}
/// P, L and U out of packed factors.
REEL_OP("lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, "
        "Tensor L, Tensor U)",
        composite, out)
std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots, bool unpack_data,
                                             bool unpack_pivots) {
    check_matrices("lu_unpack", "LU_data", LU_data, false);
    if (unpack_pivots) check_pivots("lu_unpack", "LU_pivots", LU_data, LU_pivots);
    const Tensor none = empty_raw({0}, LU_data.scalar_type(), LU_data.device());
    return {unpack_pivots ? permutation(LU_pivots, LU_data.size(-2), LU_data.scalar_type()) : none,
            unpack_data ? lower_unit(LU_data) : none, unpack_data ? upper(LU_data) : none};
}
/// X with A X = B (X A = B, or with the adjoint of A) for A given by its factors.
REEL_OP("linalg.lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
        composite, out_exact)
Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
    check_matrices("linalg.lu_solve", "LU", LU, true);
    check_matrices("linalg.lu_solve", "B", B, false);
    check_same_dtype("linalg.lu_solve", LU, B);
    check_pivots("linalg.lu_solve", "pivots", LU, pivots);
    REEL_CHECK(B.size(left ? -2 : -1) == LU.size(-1), "linalg.lu_solve: LU has shape ", LU.sizes(), " and B ",
               B.sizes(), ", which do not fit");
    const Tensor p = permutation(pivots, LU.size(-2), LU.scalar_type());
    // A = P L U. Solving from the right is solving with the adjoint from the left.
    if (!left) return adjoint_of(linalg_lu_solve(LU, pivots, adjoint_of(B), true, !adjoint));
    if (!adjoint) return triangular(LU, triangular(LU, matmul(transpose(p, -2, -1), B), false, true, true), true, true);
    const Tensor h = adjoint_of(LU);
    return matmul(p, triangular(h, triangular(h, B, false, true), true, true, true));
}
REEL_OP("lu_solve(Tensor input, Tensor LU_data, Tensor LU_pivots) -> Tensor", composite, method, out_exact)
Tensor lu_solve(const Tensor& b, const Tensor& LU_data, const Tensor& LU_pivots) {
    return linalg_lu_solve(LU_data, LU_pivots, b, true, false);
}

namespace {

/// Is B a batch of vectors, one per matrix of A?
bool vectors(const Tensor& a, const Tensor& b) {
    if (b.dim() == 1) return true;
    if (b.dim() + 1 != a.dim()) return false;
    Dims s = batch_sizes(a, 1);
    return b.sizes().equals(s);
}
/// What is told of the matrices A, each of which may have been factored several times: of a single one the worst.
Tensor of_matrices(const Tensor& each, const Dims& sizes) {
    std::int64_t count = 1;
    for (const std::int64_t s : sizes) count *= s;
    if (each.numel() == count) return alias_raw(each, sizes, contiguous_strides(sizes), 0);
    if (count == 1 && each.numel() > 0) return reshape(amax(reshape(each, {-1}), 0), sizes);
    return zeros_raw(sizes, each);
}
std::tuple<Tensor, Tensor> solve_of(const char* op, const Tensor& A, const Tensor& B, bool left) {
    check_matrices(op, "A", A, true);
    check_same_dtype(op, A, B);
    REEL_CHECK(B.dim() >= 1, op, ": B is 0-dimensional; expected vectors or matrices");
    const bool vector = vectors(A, B);
    REEL_CHECK(left || !vector, op, ": B has shape ", B.sizes(), "; left=false needs matrices");
    const Tensor b = vector ? unsqueeze(B, -1) : B;
    REEL_CHECK(b.dim() >= 2 && b.size(left ? -2 : -1) == A.size(-1), op, ": A has shape ", A.sizes(), " and B ",
               B.sizes(), ", which do not fit");
    if (!left) { // X A = B is A^T X^T = B^T
        const auto [x, info] = solve_of(op, transpose(A, -2, -1), transpose(b, -2, -1), true);
        return {transpose(x, -2, -1), info};
    }
    const auto [ea, eb] = broadcast_batches(op, A, b);
    const Batch lu(ea.detach()), x(eb.detach());
    const Tensor each = empty_raw(batch_sizes(ea), kInt, A.device());
    kernels::linalg_solve(op, x.data, lu.data, each);
    const Tensor info = of_matrices(each, batch_sizes(A));
    Tensor out = x.matrices();
    record("linalg.solve", {ea, eb}, out, {ea, out}, [](RuleContext& c) -> GradList {
        const Tensor gb = std::get<0>(solve_of("linalg.solve", adjoint_of(c.saved(0)), c.grad(), true));
        return {c.needs(0) ? -matmul(gb, adjoint_of(c.saved(1))) : Tensor(), gb};
    });
    return {vector ? squeeze(out, -1) : out, info};
}
constexpr const char* singular = "it is singular, the solve could not be completed";

} // namespace

/// X with A X = B (X A = B with left=false); B holds matrices, or one vector per matrix.
REEL_OP("linalg.solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", rule, out_exact)
Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left) {
    const auto [x, info] = solve_of("linalg.solve", A, B, left);
    check_infos("linalg.solve", info, singular);
    return x;
}
REEL_OP(
    "linalg.solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)",
    rule, out)
std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left, bool check_errors) {
    const auto r = solve_of("linalg.solve_ex", A, B, left);
    if (check_errors) check_infos("linalg.solve_ex", std::get<1>(r), singular);
    return r;
}

namespace {

std::tuple<Tensor, Tensor> inverse_of(const char* op, const Tensor& A) {
    check_matrices(op, "A", A, true);
    NoGradGuard guard;
    const Tensor identity = expand(identity_like(A), A.sizes());
    return solve_of(op, A.detach(), identity, true);
}
Tensor record_inverse(const Tensor& A, const Tensor& out) {
    record("linalg.inv", {A}, out, {out}, [](RuleContext& c) -> GradList {
        const Tensor h = adjoint_of(c.saved(0));
        return {-matmul(h, matmul(c.grad(), h))};
    });
    return out;
}

} // namespace

/// Inverse of square matrices.  gA = -A^-H g A^-H
REEL_OP("linalg.inv(Tensor A) -> Tensor", rule, out_exact, alias("inverse(Tensor input)"),
        samples(call(numbers({3, 3})).as("inverse")))
Tensor linalg_inv(const Tensor& A) {
    const auto [out, info] = inverse_of("linalg.inv", A);
    check_infos("linalg.inv", info, "it is singular and has no inverse");
    return record_inverse(A, out);
}
REEL_OP("linalg.inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", rule, out)
std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool check_errors) {
    const auto [out, info] = inverse_of("linalg.inv_ex", A);
    if (check_errors) check_infos("linalg.inv_ex", info, "it is singular and has no inverse");
    return {record_inverse(A, out), info};
}

namespace {

/// Sign and log of the absolute value of determinants, nothing recorded.
std::tuple<Tensor, Tensor> slogdet_raw(const char* op, const Tensor& A) {
    const Factors f = factor(op, A.detach(), true);
    const Batch lu(f.lu);
    const Tensor pivots = contiguous_raw(f.pivots);
    const Tensor sign = empty_raw(batch_sizes(A), A.scalar_type(), A.device()),
                 log = empty_raw(batch_sizes(A), toRealValueType(A.scalar_type()), A.device());
    kernels::lu_slogdet(op, sign, log, lu.data, pivots);
    return {sign, log};
}
Tensor det_raw(const Tensor& A) {
    const Factors f = factor("linalg.det", A.detach(), true);
    const Batch lu(f.lu);
    const Tensor pivots = contiguous_raw(f.pivots), out = empty_raw(batch_sizes(A), A.scalar_type(), A.device());
    kernels::lu_det("linalg.det", out, lu.data, pivots);
    return out;
}

} // namespace

/// Determinants.  gA = g conj(det) A^-H; by the cofactors where A is singular.
REEL_OP("linalg.det(Tensor A) -> Tensor", rule, alias("det(Tensor input)"), out_exact,
        samples(call(numbers({3, 3})).as("det")))
Tensor linalg_det(const Tensor& A) {
    check_matrices("linalg.det", "A", A, true);
    Tensor out = det_raw(A);
    record("linalg.det", {A}, out, {A, out}, [](RuleContext& c) -> GradList {
        const Tensor a = c.saved(0), d = c.saved(1);
        if (a.numel() == 0) return {zeros_like(a)};
        const Tensor g = unsqueeze(unsqueeze(c.grad(), -1), -1);
        if (!any(d == Scalar(0)).item().toBool())
            return {g * conj(unsqueeze(unsqueeze(d, -1), -1)) * adjoint_of(linalg_inv(a))};
        return {g * conj_cofactors(a)};
    });
    return out;
}
/// Sign (on the unit circle) and log of the absolute value of determinants.
REEL_OP("linalg.slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", rule, out, alias("slogdet(Tensor input)"),
        samples(call(numbers({3, 3})).as("slogdet")))
std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
    check_matrices("linalg.slogdet", "A", A, true);
    const auto [sign, log] = slogdet_raw("linalg.slogdet", A);
    record("linalg.slogdet", TensorList{A}, {sign, log}, {A, sign}, [](RuleContext& c) -> GradList {
        const Tensor a = c.saved(0), sign = c.saved(1);
        Tensor g = c.grad(1);
        if (a.is_complex()) {
            if (g.defined()) g = g.to(a.scalar_type());
            if (c.grad(0).defined()) {
                const Tensor turn = conj(c.grad(0)) * sign;
                const Tensor part = (turn - conj(turn)) * Scalar(0.5); // i Im(turn)
                g = g.defined() ? g - part : -part;
            }
        }
        if (!g.defined()) return {Tensor()};
        if (a.numel() == 0) return {zeros_like(a)};
        // Of a singular matrix the solution is infinite, and so is the gradient.
        const Tensor inverse = std::get<0>(linalg_inv_ex(a));
        return {unsqueeze(unsqueeze(g, -1), -1) * adjoint_of(inverse)};
    });
    return {sign, log};
}
/// log of determinants; NaN where a real one is negative.
REEL_OP("logdet(Tensor input) -> Tensor", composite, method)
Tensor logdet(const Tensor& input) {
    check_matrices("logdet", "input", input, true);
    const auto [sign, log] = linalg_slogdet(input);
    if (input.is_complex()) return reel::log(sign) + log;
    return where(sign == Scalar(-1), Scalar(std::numeric_limits<double>::quiet_NaN()), log);
}

} // namespace reel
