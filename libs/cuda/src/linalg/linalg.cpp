// Factorizations of matrices that lie on the device: by cuSOLVER where it takes them, else, and what it is not asked
// for, by the host's library on copies.
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/linalg.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/arrange.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "linalg/solver.hpp"
#include "linalg/triangular.hpp"
#include "through_host.hpp"

namespace reel::cuda {

namespace {

Tensor fresh(const Tensor& like, IntArrayRef sizes, ScalarType t) { return like.new_empty(sizes, t); }

void cholesky(const char* op, const Tensor& a, const Tensor& info, bool upper) {
    if (!solver::takes(a)) return ThroughHost<kernels::cholesky, &cpu::cholesky>::run(op, a, info, upper);
    const NoGradGuard guard;
    solver::potrf(op, a, info, upper);
    Tensor(a).copy_(upper ? tril(a) : triu(a)); // rows of the tensor are columns of the matrix
}

void lu_factor(const char* op, const Tensor& lu, const Tensor& pivots, const Tensor& info, bool pivot) {
    if (!solver::takes(lu)) return ThroughHost<kernels::lu_factor, &cpu::lu_factor>::run(op, lu, pivots, info, pivot);
    const NoGradGuard guard;
    const Tensor wide = pivot ? fresh(lu, pivots.sizes(), kLong) : Tensor();
    solver::getrf(op, lu, wide, info);
    Tensor(pivots).copy_(pivot ? wide : arange(1, pivots.size(-1) + 1, 1, pivots.options()).expand(pivots.sizes()));
}

void linalg_solve(const char* op, const Tensor& x, const Tensor& a, const Tensor& info) {
    if (!solver::takes(a)) return ThroughHost<kernels::linalg_solve, &cpu::linalg_solve>::run(op, x, a, info);
    const NoGradGuard guard;
    const Tensor pivots = fresh(a, {a.numel() / a.size(-1)}, kLong);
    solver::getrf(op, a, pivots, info);
    if (x.numel() > 0) solver::getrs(op, x, a, pivots);
}

void geqrf(const Tensor& a, const Tensor& tau) {
    if (!solver::takes(a)) return ThroughHost<kernels::geqrf, &cpu::geqrf>::run(a, tau);
    solver::geqrf("geqrf", a, tau);
}

bool is_finite(const Tensor& t) { return isfinite(t).all().item().toBool(); }
/// Waits for the device, as what converges or not is an error of this call.
void check_converged(const char* op, const Tensor& info) {
    const Tensor failed = info.cpu();
    for (std::int64_t i = 0; i < failed.numel(); ++i)
        REEL_CHECK_LINALG(failed[i].item().toInt() == 0, op, ": matrix ", i,
                          " of the batch: the iteration did not converge (", failed[i].item().toInt(), ")");
}

/// Waits for the device: what is not finite, or does not converge, is an error of this call.
void eigh(const char* op, const Tensor& a, const Tensor& w, bool upper, bool vectors) {
    if (!solver::takes(a)) return ThroughHost<kernels::eigh, &cpu::eigh>::run(op, a, w, upper, vectors);
    const NoGradGuard guard;
    // the other triangle is not read; the host says which number it is
    if (!is_finite(upper ? tril(a) : triu(a)))
        return ThroughHost<kernels::eigh, &cpu::eigh>::run(op, a, w, upper, vectors);
    const Tensor info = fresh(a, {w.numel() / w.size(-1)}, kInt);
    solver::syevd(op, a, w, info, upper, vectors);
    check_converged(op, info);
}

Tensor turned(const Tensor& t) { return t.mH().contiguous(); }

/// cuSOLVER wants no fewer rows than columns: of others it gets the adjoint, whose factors are the adjoints' in turn.
void svd(const char* op, const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh, bool full) {
    const NoGradGuard guard;
    if (!solver::takes(a) || !is_finite(a)) return ThroughHost<kernels::svd, &cpu::svd>::run(op, a, u, s, vh, full);
    const Tensor info = fresh(a, {s.numel() / s.size(-1)}, kInt);
    if (a.size(-1) >= a.size(-2)) solver::gesvd(op, a, u, s, vh, info, full);
    else {
        const Tensor left = vh.new_empty(vh.mT().sizes()), right = u.new_empty(u.mT().sizes());
        solver::gesvd(op, turned(a), left, s, right, info, full);
        Tensor(u).copy_(right.mH());
        Tensor(vh).copy_(left.mH());
    }
    check_converged(op, info);
}

/// For real matrices there are pairs of columns, the real part and the imaginary part of one vector.
void join_parts(const Tensor& v, const Tensor& w, const Tensor& parts) {
    const Tensor imaginary = reel::imag(w).unsqueeze(-1), first = imaginary > 0, second = imaginary < 0;
    const Tensor none = zeros_like(parts), before = roll(parts, IntArrayRef{1}, IntArrayRef{-2}),
                 after = roll(parts, IntArrayRef{-1}, IntArrayRef{-2});
    Tensor(v).copy_(reel::complex(where(second, before, parts), where(first, after, where(second, -parts, none))));
}
void eig(const char* op, const Tensor& a, const Tensor& w, const Tensor& v) {
    const NoGradGuard guard;
    if (!solver::takes(a) || !is_finite(a)) return ThroughHost<kernels::eig, &cpu::eig>::run(op, a, w, v);
    const Tensor info = fresh(a, {w.numel() / w.size(-1)}, kInt);
    if (a.is_complex() || v.numel() == 0) solver::geev(op, a, w, v, info);
    else {
        const Tensor parts = fresh(a, v.sizes(), a.scalar_type());
        solver::geev(op, a, w, parts, info);
        join_parts(v, w, parts);
    }
    check_converged(op, info);
}

/// Of Hermitian matrices that are complex there is no function.
bool takes_symmetric(const Tensor& a, bool hermitian) { return solver::takes(a) && !(hermitian && a.is_complex()); }
void ldl_factor(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info, bool hermitian) {
    if (!takes_symmetric(a, hermitian))
        return ThroughHost<kernels::ldl_factor, &cpu::ldl_factor>::run(op, a, pivots, info, hermitian);
    solver::sytrf(op, a, pivots, info);
}
void ldl_solve(const char* op, const Tensor& x, const Tensor& a, const Tensor& pivots, bool hermitian) {
    if (x.numel() == 0) return;
    if (!takes_symmetric(a, hermitian))
        return ThroughHost<kernels::ldl_solve, &cpu::ldl_solve>::run(op, x, a, pivots, hermitian);
    solver::sytrs(op, x, a, pivots.to(kLong));
}

void solve_triangular(const char* op, const Tensor& x, const Tensor& a, bool upper, bool left, bool unit) {
    if (x.numel() == 0) return;
    if (!blas::is_available() || !solver::takes(a))
        return ThroughHost<kernels::solve_triangular, &cpu::solve_triangular>::run(op, x, a, upper, left, unit);
    blas::trsm(op, x, a, upper, left, unit);
}

Tensor diagonal_of(const Tensor& lu) { return diagonal(lu, 0, -2, -1); }
/// 1 or -1 for each matrix: every exchange turns the sign.
Tensor parity(const Tensor& pivots, ScalarType t) {
    const Tensor stays = arange(1, pivots.size(-1) + 1, 1, pivots.options());
    return (1 - 2 * remainder((pivots != stays).sum(-1), 2)).to(t);
}
void lu_det(const char*, const Tensor& det, const Tensor& lu, const Tensor& pivots) {
    const NoGradGuard guard;
    Tensor(det).copy_(diagonal_of(lu).prod(-1) * parity(pivots, det.scalar_type()));
}
void lu_slogdet(const char*, const Tensor& sign, const Tensor& log, const Tensor& lu, const Tensor& pivots) {
    const NoGradGuard guard;
    const Tensor diagonal = diagonal_of(lu);
    Tensor(sign).copy_(sgn(diagonal).prod(-1) * parity(pivots, sign.scalar_type()));
    Tensor(log).copy_(diagonal.abs().log().sum(-1));
}

[[maybe_unused]] const bool attached = [] {
    kernels::lu_factor.set(kCUDA, &lu_factor);
    kernels::linalg_solve.set(kCUDA, &linalg_solve);
    kernels::cholesky.set(kCUDA, &cholesky);
    kernels::geqrf.set(kCUDA, &geqrf);
    kernels::eigh.set(kCUDA, &eigh);
    kernels::svd.set(kCUDA, &svd);
    kernels::eig.set(kCUDA, &eig);
    kernels::ldl_factor.set(kCUDA, &ldl_factor);
    kernels::ldl_solve.set(kCUDA, &ldl_solve);
    kernels::solve_triangular.set(kCUDA, &solve_triangular);
    kernels::lu_det.set(kCUDA, &lu_det);
    kernels::lu_slogdet.set(kCUDA, &lu_slogdet);
    return true;
}();

} // namespace

} // namespace reel::cuda
