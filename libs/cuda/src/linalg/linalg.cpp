// Factorizations of matrices, and products of groups of them, that lie on the device: by cuSOLVER where it takes them,
// else, and what it is not asked for, by the host's library on copies.
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/grouped_mm.hpp>
#include <reel/autograd/kernels/linalg.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>

#include "linalg/solver.hpp"
#include "through_host.hpp"

namespace reel::cuda {

namespace {

Tensor fresh(const Tensor& like, IntArrayRef sizes, ScalarType t) {
    return reel::empty(sizes, like.options().requires_grad(false).dtype(t));
}

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

/// Waits for the device: what is not finite, or does not converge, is an error of this call.
void eigh(const char* op, const Tensor& a, const Tensor& w, bool upper, bool vectors) {
    if (!solver::takes(a)) return ThroughHost<kernels::eigh, &cpu::eigh>::run(op, a, w, upper, vectors);
    const NoGradGuard guard;
    // the other triangle is not read; the host says which number it is
    if (!isfinite(upper ? tril(a) : triu(a)).all().item().toBool())
        return ThroughHost<kernels::eigh, &cpu::eigh>::run(op, a, w, upper, vectors);
    const Tensor info = fresh(a, {w.numel() / w.size(-1)}, kInt);
    solver::syevd(op, a, w, info, upper, vectors);
    const Tensor failed = info.cpu();
    for (std::int64_t i = 0; i < failed.numel(); ++i)
        REEL_CHECK_LINALG(failed[i].item().toInt() == 0, op, ": matrix ", i,
                          " of the batch: the iteration did not converge (", failed[i].item().toInt(), ")");
}

[[maybe_unused]] const bool attached = [] {
    kernels::lu_factor.set(kCUDA, &lu_factor);
    kernels::linalg_solve.set(kCUDA, &linalg_solve);
    kernels::cholesky.set(kCUDA, &cholesky);
    kernels::geqrf.set(kCUDA, &geqrf);
    kernels::eigh.set(kCUDA, &eigh);
    through_host<kernels::lu_order, &cpu::lu_order>();
    through_host<kernels::lu_det, &cpu::lu_det>();
    through_host<kernels::lu_slogdet, &cpu::lu_slogdet>();
    through_host<kernels::solve_triangular, &cpu::solve_triangular>();
    through_host<kernels::ldl_factor, &cpu::ldl_factor>();
    through_host<kernels::ldl_solve, &cpu::ldl_solve>();
    through_host<kernels::svd, &cpu::svd>();
    through_host<kernels::eig, &cpu::eig>();
    through_host<kernels::grouped_mm, &cpu::grouped_mm>();
    return true;
}();

} // namespace

} // namespace reel::cuda
