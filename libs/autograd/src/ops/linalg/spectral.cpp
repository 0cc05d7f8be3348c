// Singular values, eigenvalues, and what follows from them.
#include <cmath>
#include <limits>

#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/linalg/lu.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "ops/linalg/linalg.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace matrices;

namespace {

struct Svd {
    Tensor u, s, vh;
};
Svd svd_raw(const char* op, const Tensor& a, bool full_matrices, bool vectors) {
    const Batch b(a.detach());
    const std::int64_t m = b.m, n = b.n, k = std::min(m, n);
    const Dims batch = batch_sizes(a);
    const Batch u(batch, vectors ? m : 0, vectors ? (full_matrices ? m : k) : 0, a.scalar_type(), a.device());
    const Batch vh(batch, vectors ? (full_matrices ? n : k) : 0, vectors ? n : 0, a.scalar_type(), a.device());
    const Tensor s = empty_raw(with(batch, {k}), toRealValueType(a.scalar_type()), a.device());
    if (k == 0 && vectors && full_matrices) {
        copy_raw(u.matrices(), expand_raw(eye(m, std::nullopt, a.options()), u.matrices().sizes()));
        copy_raw(vh.matrices(), expand_raw(eye(n, std::nullopt, a.options()), vh.matrices().sizes()));
    }
    kernels::svd(op, b.data, u.data, s, vh.data, full_matrices);
    return {u.matrices(), s, vh.matrices()};
}
Tensor skew(const Tensor& t) { return t - adjoint_of(t); }
/// Differences of all pairs, [i, j] = x[j] - x[i], with ones on the diagonal.
Tensor gaps(const Tensor& x) {
    const Tensor d = unsqueeze(x, -2) - unsqueeze(x, -1);
    return d + eye(x.size(-1), std::nullopt, x.options());
}
/// Gradient of the thin factorization; what does not depend on a choice of signs or phases.
Tensor svd_gradient(const Tensor& gu, const Tensor& gs, const Tensor& gvh, const Tensor& u, const Tensor& s,
                    const Tensor& vh) {
    if (!gu.defined() && !gs.defined() && !gvh.defined()) return {};
    const std::int64_t m = u.size(-2), n = vh.size(-1), k = s.size(-1);
    if (!gu.defined() && !gvh.defined())
        return m >= n ? matmul(u, unsqueeze(gs, -1) * vh) : matmul(u * unsqueeze(gs, -2), vh);
    const Tensor e = gaps(s * s);
    const Tensor wu = gu.defined() ? skew(matmul(adjoint_of(u), gu)) : Tensor();
    const Tensor wv = gvh.defined() ? skew(matmul(vh, adjoint_of(gvh))) : Tensor();
    Tensor r;
    if (wu.defined()) r = wu / e * unsqueeze(s, -2);
    if (wv.defined()) r = r.defined() ? r + unsqueeze(s, -1) * (wv / e) : unsqueeze(s, -1) * (wv / e);
    if (u.is_complex()) { // the diagonal belongs to the phases, which turn U and V together
        r = r - diag_embed(diagonal(r, 0, -2, -1));
        if (wu.defined() && wv.defined()) r = r + diag_embed(diagonal(wu - wv, 0, -2, -1) / (s * 4));
    }
    if (gs.defined()) r = r + diag_embed(gs.to(r.scalar_type()));
    Tensor g = matmul(u, r);
    if (m > k && gu.defined()) {
        const Tensor scaled = gu / unsqueeze(s, -2);
        g = g + scaled - matmul(u, matmul(adjoint_of(u), scaled));
    }
    g = matmul(g, vh);
    if (n > k && gvh.defined()) {
        const Tensor scaled = gvh / unsqueeze(s, -1);
        g = g + matmul(u, scaled) - matmul(u, matmul(matmul(scaled, adjoint_of(vh)), vh));
    }
    return g;
}
Svd svd_of(const char* op, const Tensor& a, bool full_matrices) {
    check_matrices(op, "A", a, false);
    const Svd f = svd_raw(op, a, full_matrices, true);
    const std::int64_t k = f.s.size(-1);
    record("linalg.svd", TensorList{a}, {f.u, f.s, f.vh}, {f.u, f.s, f.vh}, [k](RuleContext& c) -> GradList {
        const Tensor u = c.saved(0), vh = c.saved(2);
        const auto thin = [k](const Tensor& t, std::int64_t dim) {
            return !t.defined() || t.size(dim) == k ? t : narrow(t, dim, 0, k);
        };
        return {
            svd_gradient(thin(c.grad(0), -1), c.grad(1), thin(c.grad(2), -2), thin(u, -1), c.saved(1), thin(vh, -2))};
    });
    return f;
}
/// Singular values; the vectors are computed only when a gradient will need them.
Tensor singular_values(const char* op, const Tensor& a) {
    check_matrices(op, "A", a, false);
    if (autograd::needs_recording(a)) return svd_of(op, a, false).s;
    return svd_raw(op, a, false, false).s;
}

} // namespace

/// A = U diag(S) Vh with S descending. Gradients that depend on the choice of signs or phases are not defined.
REEL_OP("linalg.svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", rule,
        out,
        samples(call(numbers({3, 3})).with("full_matrices", false), call(numbers({4, 3})).with("full_matrices", false),
                call(numbers({3, 4})).with("full_matrices", false),
                call(numbers({3, 3}, kComplexDouble)).with("full_matrices", false),
                call(numbers({4, 3}, kComplexDouble)).with("full_matrices", false),
                call(numbers({3, 4}, kComplexDouble)).with("full_matrices", false)))
std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices,
                                              std::optional<std::string_view> driver) {
    REEL_CHECK(!driver, "linalg.svd: driver is '", driver.value_or(""), "'; drivers are for CUDA tensors only");
    const Svd f = svd_of("linalg.svd", A, full_matrices);
    return {f.u, f.s, f.vh};
}
/// A = U diag(S) V^H; with some=true the thin factors.
REEL_OP("svd(Tensor input, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", rule, method, out,
        samples(call(numbers({3, 3})), call(numbers({4, 3})), call(numbers({3, 4})),
                call(numbers({3, 3}, kComplexDouble)), call(numbers({4, 3}, kComplexDouble)),
                call(numbers({3, 4}, kComplexDouble))))
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& input, bool some, bool compute_uv) {
    check_matrices("svd", "input", input, false);
    if (!compute_uv) {
        const std::int64_t m = input.size(-2), n = input.size(-1);
        return {zeros(with(batch_sizes(input), {m, m}), input.options()), singular_values("svd", input),
                zeros(with(batch_sizes(input), {n, n}), input.options())};
    }
    const Svd f = svd_of("svd", input, !some);
    return {f.u, f.s, adjoint_of(f.vh)};
}
/// Singular values in descending order.
REEL_OP("linalg.svdvals(Tensor A, *, str? driver=None) -> Tensor", rule, out_exact)
Tensor linalg_svdvals(const Tensor& A, std::optional<std::string_view> driver) {
    REEL_CHECK(!driver, "linalg.svdvals: driver is '", driver.value_or(""), "'; drivers are for CUDA tensors only");
    return singular_values("linalg.svdvals", A);
}

namespace {

bool upper_of(const char* op, std::string_view uplo) {
    REEL_CHECK(uplo == "L" || uplo == "U" || uplo == "l" || uplo == "u", op, ": UPLO is '", uplo,
               "'; expected 'L' or 'U'");
    return uplo == "U" || uplo == "u";
}
/// Eigenvalues (ascending) and vectors of Hermitian matrices.
std::tuple<Tensor, Tensor> eigh_of(const char* op, const Tensor& a, std::string_view uplo, bool vectors) {
    check_matrices(op, "A", a, true);
    const bool up = upper_of(op, uplo);
    const Batch b(a.detach());
    const Tensor w = empty_raw(batch_sizes(a, 1), toRealValueType(a.scalar_type()), a.device());
    kernels::eigh(op, b.data, w, up, vectors);
    if (!vectors) return {w, Tensor()};
    const Tensor v = b.matrices();
    record("linalg.eigh", TensorList{a}, {w, v}, {w, v}, [](RuleContext& c) -> GradList {
        const Tensor w = c.saved(0), v = c.saved(1), &gw = c.grad(0), &gv = c.grad(1);
        if (!gv.defined()) return {gw.defined() ? matmul(v * unsqueeze(gw, -2), adjoint_of(v)) : Tensor()};
        Tensor r = matmul(adjoint_of(v), gv) / gaps(w);
        const Tensor own = diagonal(r, 0, -2, -1);
        r = r - diag_embed(own);
        if (gw.defined()) r = r + diag_embed(gw.to(r.scalar_type()));
        const Tensor g = matmul(matmul(v, r), adjoint_of(v));
        return {(g + adjoint_of(g)) * Scalar(0.5)};
    });
    return {w, v};
}

} // namespace

/// Eigenvalues (ascending) and eigenvectors of Hermitian matrices; only the named triangle is read.
REEL_OP("linalg.eigh(Tensor input, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)", rule, out,
        samples(call(definite(3)), call(definite(3, kComplexDouble))))
std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& A, std::string_view UPLO) {
    return eigh_of("linalg.eigh", A, UPLO, true);
}
REEL_OP("linalg.eigvalsh(Tensor input, str UPLO='L') -> Tensor", rule, out_exact)
Tensor linalg_eigvalsh(const Tensor& A, std::string_view UPLO) {
    return std::get<0>(eigh_of("linalg.eigvalsh", A, UPLO, autograd::needs_recording(A)));
}

namespace {

std::tuple<Tensor, Tensor> eig_of(const char* op, const Tensor& a, bool vectors) {
    check_matrices(op, "A", a, true);
    const Batch b(a.detach());
    const ScalarType t = toComplexType(a.scalar_type());
    const Tensor w = empty_raw(batch_sizes(a, 1), t, a.device());
    const Batch v(batch_sizes(a), vectors ? b.n : 0, vectors ? b.n : 0, t, a.device());
    kernels::eig(op, b.data, w, v.data);
    if (!vectors) return {w, Tensor()};
    const Tensor vectors_ = v.matrices();
    const bool real_input = !a.is_complex();
    record("linalg.eig", TensorList{a}, {w, vectors_}, {w, vectors_}, [real_input](RuleContext& c) -> GradList {
        const Tensor w = c.saved(0), v = c.saved(1), &gw = c.grad(0), &gv = c.grad(1), vh = adjoint_of(v);
        Tensor r;
        if (gv.defined()) {
            const Tensor x = matmul(vh, gv), own = diagonal(x, 0, -2, -1);
            r = x - matmul(vh, v) * unsqueeze(real(own), -2);
            r = r / conj(gaps(w));
            r = r - diag_embed(diagonal(r, 0, -2, -1));
            if (gw.defined()) r = r + diag_embed(gw);
            r = matmul(r, vh);
        } else if (gw.defined()) r = unsqueeze(gw, -1) * vh;
        else return {Tensor()};
        const Tensor g = linalg_solve(vh, r);
        return {real_input ? real(g) : g};
    });
    return {w, vectors_};
}

} // namespace

/// Eigenvalues and right eigenvectors (of norm one) of square matrices, complex.
REEL_OP("linalg.eig(Tensor input) -> (Tensor eigenvalues, Tensor eigenvectors)", rule, out,
        samples(call(numbers({3, 3})), call(numbers({3, 3}, kComplexDouble))))
std::tuple<Tensor, Tensor> linalg_eig(const Tensor& A) { return eig_of("linalg.eig", A, true); }
REEL_OP("linalg.eigvals(Tensor input) -> Tensor", rule, out)
Tensor linalg_eigvals(const Tensor& A) {
    return std::get<0>(eig_of("linalg.eigvals", A, autograd::needs_recording(A)));
}

namespace {

double epsilon(ScalarType t) {
    return toRealValueType(t) == kDouble ? std::numeric_limits<double>::epsilon()
                                         : double(std::numeric_limits<float>::epsilon());
}
/// Values at most max(atol, rtol * largest) count as zero.
Tensor threshold(const Tensor& a, const Tensor& largest, const Tensor& atol, const Tensor& rtol) {
    const double standard = epsilon(a.scalar_type()) * double(std::max(a.size(-1), a.size(-2)));
    const ScalarType t = largest.scalar_type();
    const Tensor absolute = atol.defined() ? atol.detach().to(t) : zeros({}, TensorOptions(t).device(largest.device()));
    Tensor relative;
    if (rtol.defined()) relative = rtol.detach().to(t);
    else {
        relative = full({}, standard, TensorOptions(t).device(largest.device()));
        if (atol.defined())
            relative = where(absolute > Scalar(0), zeros({}, TensorOptions(t).device(largest.device())), relative);
    }
    return maximum(absolute, relative * largest);
}
Tensor number(const std::optional<double>& v) { return v ? full({}, *v, TensorOptions().dtype(kDouble)) : Tensor(); }
/// The largest of the last dim, 0 where there is none.
Tensor largest_of(const Tensor& s) { return s.size(-1) == 0 ? zeros(batch_sizes(s, 1), s.options()) : amax(s, -1); }

struct PseudoInverse {
    Tensor value;
    bool cuts; ///< counts as zero what is more than rounding
};
PseudoInverse pinv_raw(const char* op, const Tensor& A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
    NoGradGuard guard;
    const Tensor a = A.detach();
    if (a.numel() == 0) return {zeros(with(batch_sizes(a), {a.size(-1), a.size(-2)}), a.options()), false};
    Tensor u, s, vh;
    if (hermitian) {
        std::tie(s, u) = eigh_of(op, a, "L", true);
        vh = adjoint_of(u);
    } else {
        const Svd f = svd_raw(op, a, false, true);
        u = f.u;
        s = f.s;
        vh = f.vh;
    }
    const Tensor size = abs(s), largest = amax(size, -1);
    const Tensor kept = size > unsqueeze(threshold(a, largest, atol, rtol), -1);
    const Tensor rounding = size <= unsqueeze(threshold(a, largest, Tensor(), Tensor()), -1);
    const Tensor inverse = where(kept, reciprocal(s), zeros({}, s.options()));
    return {matmul(adjoint_of(vh) * unsqueeze(inverse, -2), adjoint_of(u)),
            has_values(a) && !logical_or(kept, rounding).all().item<bool>()};
}
Tensor pinv_of(const char* op, const Tensor& A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
    check_matrices(op, "A", A, hermitian);
    const auto [out, cuts] = pinv_raw(op, A, atol, rtol, hermitian);
    record("linalg.pinv", {A}, out, {A, out}, [cuts = cuts](RuleContext& c) -> GradList {
        return {pinv_gradient(c.saved(0), c.saved(1), c.grad(), cuts)};
    });
    return out;
}

} // namespace

/// Moore-Penrose pseudo-inverse: singular values at most max(atol, rtol * largest) count as zero.
REEL_OP("linalg.pinv(Tensor input, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", rule, out)
Tensor linalg_pinv(const Tensor& A, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
    return pinv_of("linalg.pinv", A, number(atol), number(rtol), hermitian);
}
REEL_OP("linalg.pinv(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor", rule, out,
        cpp("linalg_pinv_with_tensors"))
Tensor linalg_pinv_with_tensors(const Tensor& A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
    return pinv_of("linalg.pinv", A, atol, rtol, hermitian);
}
REEL_OP("linalg.pinv(Tensor input, float rcond, bool hermitian=False) -> Tensor", rule, out, cpp("linalg_pinv_rcond"))
Tensor linalg_pinv_rcond(const Tensor& A, double rcond, bool hermitian) {
    return pinv_of("linalg.pinv", A, number(0.0), number(rcond), hermitian);
}
REEL_OP("pinverse(Tensor input, float rcond=1e-15) -> Tensor", rule, method)
Tensor pinverse(const Tensor& input, double rcond) {
    return pinv_of("pinverse", input, number(0.0), number(rcond), false);
}

namespace {
Tensor rank_of(const Tensor& A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
    check_matrices("linalg.matrix_rank", "A", A, hermitian);
    NoGradGuard guard;
    const Tensor a = A.detach();
    const Tensor s = hermitian ? abs(std::get<0>(eigh_of("linalg.matrix_rank", a, "L", false)))
                               : singular_values("linalg.matrix_rank", a);
    const Tensor limit = threshold(a, largest_of(s), atol, rtol);
    return sum(s > unsqueeze(limit, -1), -1);
}
} // namespace

/// How many singular values exceed max(atol, rtol * largest).
REEL_OP("linalg.matrix_rank(Tensor input, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
        not_differentiable, out)
Tensor linalg_matrix_rank(const Tensor& A, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
    return rank_of(A, number(atol), number(rtol), hermitian);
}
REEL_OP("linalg.matrix_rank(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
        not_differentiable, out, cpp("linalg_matrix_rank_with_tensors"))
Tensor linalg_matrix_rank_with_tensors(const Tensor& A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
    return rank_of(A, atol, rtol, hermitian);
}
REEL_OP("linalg.matrix_rank(Tensor input, float tol, bool hermitian=False) -> Tensor", not_differentiable, out,
        cpp("linalg_matrix_rank_tol"))
Tensor linalg_matrix_rank_tol(const Tensor& A, double tol, bool hermitian) {
    return rank_of(A, number(tol), number(0.0), hermitian);
}

/// Condition number: the product of the norms of A and of its inverse, by singular values for 2, -2 and None.
REEL_OP("linalg.cond(Tensor input, Value p=None) -> Tensor", rule, out)
Tensor linalg_cond(const Tensor& A, const Value& p) {
    check_matrices("linalg.cond", "A", A, false);
    if (p.isNone() || (p.isScalar() && std::abs(p.toDouble()) == 2)) {
        const Tensor s = singular_values("linalg.cond", A);
        if (s.size(-1) == 0) return zeros(batch_sizes(A), s.options());
        const Tensor high = select(s, -1, 0), low = select(s, -1, -1);
        return !p.isNone() && p.toDouble() < 0 ? low / high : high / low;
    }
    check_matrices("linalg.cond", "A", A, true);
    const Dims last{-2, -1};
    const auto [inverse, info] = linalg_inv_ex(A);
    const Tensor singular = info != Scalar(0);
    const Tensor numbers = masked_fill(inverse, unsqueeze(unsqueeze(singular, -1), -1), 0);
    const Tensor r = linalg_matrix_norm(A, p, last) * linalg_matrix_norm(numbers, p, last);
    return masked_fill(r, singular, std::numeric_limits<double>::infinity());
}

/// Square root of Hermitian positive semi-definite matrices.
REEL_OP("linalg.matrix_sqrth(Tensor input) -> Tensor", rule)
Tensor linalg_matrix_sqrth(const Tensor& A) {
    check_matrices("linalg.matrix_sqrth", "A", A, true);
    Tensor out;
    {
        NoGradGuard guard;
        const auto [w, v] = eigh_of("linalg.matrix_sqrth", A.detach(), "L", true);
        out = matmul(v * unsqueeze(sqrt(clamp_min(w, 0)), -2), adjoint_of(v));
    }
    record("linalg.matrix_sqrth", {A}, out, {out}, [](RuleContext& c) -> GradList {
        // S dS + dS S = dA, in the basis where S is diagonal
        const auto [w, v] = eigh_of("linalg.matrix_sqrth", c.saved(0), "L", true);
        const Tensor vh = adjoint_of(v), g = matmul(matmul(vh, c.grad()), v);
        const Tensor x = matmul(matmul(v, g / (unsqueeze(w, -1) + unsqueeze(w, -2))), vh);
        return {(x + adjoint_of(x)) * Scalar(0.5)};
    });
    return out;
}
/// Polar decomposition A = U P with orthonormal columns (rows) in U and P positive semi-definite.
REEL_OP("linalg.polar(Tensor A) -> (Tensor U, Tensor P)", rule, out)
std::tuple<Tensor, Tensor> linalg_polar(const Tensor& A) {
    const Svd f = svd_of("linalg.polar", A, false);
    const Tensor v = adjoint_of(f.vh);
    return {matmul(f.u, f.vh), matmul(v * unsqueeze(f.s, -2), f.vh)};
}

} // namespace reel
