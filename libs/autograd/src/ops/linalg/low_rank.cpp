// Randomised decompositions of low rank (N. Halko, P. Martinsson, J. Tropp, Finding structure with randomness, 2009).
#include <reel/autograd/ops/linalg/low_rank.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/qr.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <algorithm>
#include <utility>

namespace reel {

namespace {

Tensor adjoint_of(const Tensor& t) { return t.mH(); }
Tensor product(const Tensor& A, const Tensor& M, const Tensor& x) {
    return M.defined() ? matmul(A, x) - matmul(M, x) : matmul(A, x);
}
Tensor basis(const Tensor& t) { return std::get<0>(linalg_qr(t)); }
/// Orthonormal columns that nearly span the range of A - M: algorithm 4.4.
Tensor range_of(const Tensor& A, std::int64_t q, std::int64_t niter, const Tensor& M) {
    const ScalarType t = isIntegralType(A.scalar_type(), true) ? get_default_dtype() : A.scalar_type();
    Tensor Q = basis(product(A, M, randn({A.size(-1), q}, TensorOptions(t).device(A.device()))));
    const Tensor Ah = adjoint_of(A), Mh = M.defined() ? adjoint_of(M) : M;
    for (std::int64_t i = 0; i < niter; ++i) Q = basis(product(A, M, basis(product(Ah, Mh, Q))));
    return Q;
}
void check_matrices(const char* op, const Tensor& A) {
    REEL_CHECK(A.dim() >= 2, op, ": A has shape ", A.sizes(), "; expected matrices, [..., m, n]");
}

/// A few find the range, and a slip of the pen is not to run for years.
void check_rounds(const char* op, std::int64_t niter) {
    constexpr std::int64_t most = 100'000;
    REEL_CHECK_VALUE(niter >= 0 && niter <= most, op, ": niter is ", niter, "; expected a number from 0 to ", most);
}

} // namespace

/// U [..., m, q], S [..., q] and V [..., n, q] with U diag(S) V^H close to A (to A - M, if given): algorithm 5.1 with
/// `niter` subspace iterations. Draws from the default generator. Errors: ValueError when q is not between 0 and min(m,
/// n), or niter not between 0 and 100,000.
REEL_OP("svd_lowrank(Tensor A, int? q=6, int? niter=2, Tensor? M=None) -> (Tensor U, Tensor S, Tensor V)", composite,
        random, samples(call(numbers({4, 3}), 2)))
std::tuple<Tensor, Tensor, Tensor> svd_lowrank(const Tensor& A, std::optional<std::int64_t> q,
                                               std::optional<std::int64_t> niter, const Tensor& M) {
    check_matrices("svd_lowrank", A);
    const std::int64_t rank = q.value_or(6), rounds = niter.value_or(2);
    REEL_CHECK_VALUE(rank >= 0, "svd_lowrank: q is ", rank, "; expected a number that is not negative");
    check_rounds("svd_lowrank", rounds);
    const bool wide = A.size(-2) < A.size(-1);
    const Tensor mean = M.defined() ? M.broadcast_to(A.sizes()) : M;
    const Tensor a = wide ? adjoint_of(A) : A, m = wide && mean.defined() ? adjoint_of(mean) : mean;
    const Tensor Q = range_of(a, rank, rounds, m), Qh = adjoint_of(Q);
    const Tensor B = m.defined() ? matmul(Qh, a) - matmul(Qh, m) : matmul(Qh, a);
    const auto [U, S, Vh] = linalg_svd(B, false);
    Tensor left = matmul(Q, U), right = adjoint_of(Vh);
    if (wide) std::swap(left, right);
    return {left, S, right};
}
/// The same for a matrix of m samples in rows, of which the mean is taken away first (`center`): the columns of V are
/// its principal directions. `q`: min(6, m, n) when absent.
REEL_OP("pca_lowrank(Tensor A, int? q=None, bool center=True, int niter=2) -> (Tensor U, Tensor S, Tensor V)",
        composite, random, samples(call(numbers({4, 3}), 2)))
std::tuple<Tensor, Tensor, Tensor> pca_lowrank(const Tensor& A, std::optional<std::int64_t> q, bool center,
                                               std::int64_t niter) {
    check_matrices("pca_lowrank", A);
    const std::int64_t most = std::min(A.size(-2), A.size(-1)), rank = q.value_or(std::min<std::int64_t>(6, most));
    REEL_CHECK_VALUE(rank >= 0 && rank <= most, "pca_lowrank: q is ", rank, "; expected a number from 0 to min(m, n), ",
                     most);
    check_rounds("pca_lowrank", niter);
    const Tensor centred = center ? A - A.mean(-2, true) : A;
    return svd_lowrank(centred, rank, niter);
}

} // namespace reel
