// Functions of matrices and systems of tensors, by way of products and solutions.
#include <cmath>

#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/linalg/lu.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/matrix_functions.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>

#include "ops/linalg/linalg.hpp"

namespace reel {

using namespace matrices;

/// A to the power n by repeated squaring; negative powers of the inverse.
REEL_OP("linalg.matrix_power(Tensor input, int n) -> Tensor", composite, out, alias("matrix_power"))
Tensor linalg_matrix_power(const Tensor& A, std::int64_t n) {
    REEL_CHECK(A.dim() >= 2 && A.size(-1) == A.size(-2), "linalg.matrix_power: A has shape ", A.sizes(),
               "; expected square matrices");
    if (n == 0) return A * Scalar(0) + eye(A.size(-1), std::nullopt, A.options());
    Tensor square = n < 0 ? linalg_inv(A) : A, result;
    for (std::uint64_t rest = n < 0 ? 0 - std::uint64_t(n) : std::uint64_t(n);;) {
        if (rest & 1) result = result.defined() ? matmul(result, square) : square;
        rest >>= 1;
        if (rest == 0) break;
        square = matmul(square, square);
    }
    return n == 1 ? A.clone() : result;
}
namespace {
/// The Taylor series of exp(x) to degree 16, which reaches float64 for norms up to one half and, with 1e-10 of x left,
/// is more than float32 shows for norms up to 1.9: a polynomial of degree 4
/// in x^4, whose coefficients are polynomials of degree 3 in x (M. Paterson, L. Stockmeyer, 1973). Six products.
Tensor taylor(const Tensor& x, const Tensor& one) {
    const Tensor x2 = matmul(x, x), x3 = matmul(x2, x), x4 = matmul(x2, x2);
    double c[17] = {1};
    for (int k = 1; k <= 16; ++k) c[k] = c[k - 1] / k;
    const auto cubic = [&](int k) {
        return add(add(add(one * Scalar(c[k]), x, Scalar(c[k + 1])), x2, Scalar(c[k + 2])), x3, Scalar(c[k + 3]));
    };
    Tensor r = add(cubic(12), x4, Scalar(c[16]));
    for (int k = 8; k >= 0; k -= 4) r = cubic(k) + matmul(x4, r);
    return r;
}
} // namespace

/// exp(A): the Taylor series of A / 2^s, squared s times.
REEL_OP("linalg.matrix_exp(Tensor input) -> Tensor", composite, alias("matrix_exp"))
Tensor linalg_matrix_exp(const Tensor& A) {
    REEL_CHECK(A.dim() >= 2 && A.size(-1) == A.size(-2), "matrix_exp: A has shape ", A.sizes(),
               "; expected square matrices");
    REEL_CHECK(isDifferentiableType(A.scalar_type()), "matrix_exp: A is ", dtype_name(A.scalar_type()),
               "; expected a floating or complex dtype");
    // Squaring magnifies rounding: narrower types compute in float64.
    const ScalarType wide = A.is_complex() ? kComplexDouble : kDouble;
    const Tensor a = wide == A.scalar_type() ? A : A.to(wide);
    if (a.numel() == 0) return A.clone();
    double norm = 0;
    {
        NoGradGuard guard;
        norm = amax(sum(abs(a.detach()), -1)).item().toDouble();
    }
    int squarings = 0;
    const double most = wide == A.scalar_type() ? 0.5 : 1.9;
    if (std::isfinite(norm))
        while (norm > most) {
            norm /= 2;
            ++squarings;
        }
    const Tensor x = squarings == 0 ? a : a * Scalar(std::ldexp(1.0, -squarings));
    const Tensor one = eye(a.size(-1), std::nullopt, a.options());
    Tensor r = taylor(x, one);
    for (int i = 0; i < squarings; ++i) r = matmul(r, r);
    return wide == A.scalar_type() ? r : r.to(A.scalar_type());
}
/// The tensor X for which tensordot(X, A, ind) is the identity.
REEL_OP("linalg.tensorinv(Tensor input, int ind=2) -> Tensor", composite, out)
Tensor linalg_tensorinv(const Tensor& A, std::int64_t ind) {
    REEL_CHECK(ind > 0, "linalg.tensorinv: ind is ", ind, "; expected a positive number");
    REEL_CHECK(ind <= A.dim(), "linalg.tensorinv: ind is ", ind, " for A of shape ", A.sizes());
    std::int64_t rows = 1, columns = 1;
    Dims sizes;
    for (std::int64_t i = ind; i < A.dim(); ++i) {
        sizes.push_back(A.size(i));
        columns *= A.size(i);
    }
    for (std::int64_t i = 0; i < ind; ++i) {
        sizes.push_back(A.size(i));
        rows *= A.size(i);
    }
    REEL_CHECK(rows == columns, "linalg.tensorinv: A has shape ", A.sizes(), "; the products of its first ", ind,
               " sizes and of the others must be equal");
    return reshape(linalg_inv(reshape(A, {rows, columns})), sizes);
}
/// The tensor X for which tensordot(A, X, X.dim()) is B; `dims` of A are moved to its end first.
REEL_OP("linalg.tensorsolve(Tensor input, Tensor other, int[]? dims=None) -> Tensor", composite, out)
Tensor linalg_tensorsolve(const Tensor& A, const Tensor& B, OptionalIntArrayRef dims) {
    Tensor a = A;
    if (dims) {
        Dims from = wrap_dims("linalg.tensorsolve", *dims, A.dim()), to;
        for (std::size_t i = 0; i < from.size(); ++i) to.push_back(std::int64_t(i) - std::int64_t(from.size()));
        a = movedim(A, from, to);
    }
    Dims sizes;
    std::int64_t n = 1;
    for (std::int64_t i = B.dim(); i < a.dim(); ++i) {
        sizes.push_back(a.size(i));
        n *= a.size(i);
    }
    REEL_CHECK(n == B.numel() && a.numel() == n * n, "linalg.tensorsolve: A has shape ", A.sizes(), " and B ",
               B.sizes(), "; the sizes of A beyond those of B must multiply to the number of elements of B");
    return reshape(linalg_solve(reshape(a, {n, n}), reshape(B, {n})), sizes);
}

} // namespace reel
