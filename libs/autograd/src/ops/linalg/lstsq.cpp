// Least squares.
#include <algorithm>
#include <limits>

#include <reel/autograd/ops/linalg/lstsq.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/qr.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "ops/linalg/linalg.hpp"
#include "tensor/host_values.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace matrices;

namespace {

/// Full rank is taken for granted: the triangle of A, or of its adjoint, is solved.
Tensor solution_of_full_rank(const Tensor& a, const Tensor& b) {
    const bool tall = a.size(-2) >= a.size(-1);
    const auto [q, r] = linalg_qr(tall ? a : adjoint_of(a), "reduced");
    if (tall) return linalg_solve_triangular(r, matmul(adjoint_of(q), b), true, true, false);
    return matmul(q, linalg_solve_triangular(adjoint_of(r), b, false, true, false));
}

struct Solved {
    Tensor x, rank, singular_values;
};
/// The solution of smallest norm; singular values up to rcond times the largest count as zero.
Solved smallest_solution(const Tensor& a, const Tensor& b, double rcond) {
    const auto [u, s, vh] = linalg_svd(a, false, std::nullopt);
    const Tensor largest = s.size(-1) == 0 ? s.new_zeros(with(batch_sizes(a), {1})) : narrow(s, -1, 0, 1);
    const Tensor counts = s > largest * Scalar(rcond);
    const Tensor inverse = reciprocal(s).where(counts, 0);
    return {matmul(adjoint_of(vh), unsqueeze(inverse, -1) * matmul(adjoint_of(u), b)), sum(counts, -1), s};
}

} // namespace

/// X with the smallest |A X - B|, and among those the smallest |X|; B holds matrices, or one vector per matrix.
/// `driver` is 'gels' (A has full rank), 'gelsy' (default), 'gelsd' or 'gelss'; the three latter count singular values
/// up to rcond (epsilon times the longer side) times the largest as zero, and differ in what else they return: all have
/// the rank, the last two the singular values, all but 'gelsy' the squared residuals of every column if there are more
/// rows than columns and the rank is full. What is not returned is empty. Solution and residuals are differentiable.
REEL_OP("linalg.lstsq(Tensor input, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor "
        "residuals, Tensor rank, Tensor singular_values)",
        rule, out,
        samples(call(numbers({4, 3}), numbers({4, 2})),
                call(numbers({4, 3}, kComplexDouble), numbers({4, 2}, kComplexDouble))))
std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& A, const Tensor& B, std::optional<double> rcond,
                                                        std::optional<std::string_view> driver) {
    const char* op = "linalg.lstsq";
    const std::string_view way = driver.value_or("gelsy");
    REEL_CHECK(way == "gels" || way == "gelsy" || way == "gelsd" || way == "gelss", op, ": driver is '", way,
               "'; expected 'gels', 'gelsy', 'gelsd' or 'gelss'");
    check_matrices(op, "A", A, false);
    check_same_dtype(op, A, B);
    const Dims one_each = batch_sizes(A, 1);
    const bool vector = B.dim() == 1 || (B.dim() + 1 == A.dim() && B.sizes().equals(one_each));
    const Tensor columns = vector ? unsqueeze(B, -1) : B;
    REEL_CHECK(B.dim() >= 1 && columns.dim() >= 2 && columns.size(-2) == A.size(-2), op, ": B has shape ", B.sizes(),
               "; expected as many rows as A of shape ", A.sizes());
    const auto [a, b] = broadcast_batches(op, A, columns);
    const std::int64_t m = a.size(-2), n = a.size(-1);
    const bool by_rank = way != "gels", with_values = way == "gelsd" || way == "gelss";
    const double standard =
        double(std::max(m, n)) * (toRealValueType(A.scalar_type()) == kDouble ? std::numeric_limits<double>::epsilon()
                                                                              : std::numeric_limits<float>::epsilon());
    const double limit = by_rank ? rcond.value_or(standard) : 0;
    Solved solved;
    {
        const NoGradGuard guard;
        if (by_rank) solved = smallest_solution(a.detach(), b.detach(), limit);
        else solved.x = solution_of_full_rank(a.detach(), b.detach());
    }
    Tensor x = solved.x;
    // X = A^+ B
    record(op, {a, b}, x, {a, b}, [limit, cuts = limit > standard](RuleContext& c) -> GradList {
        const Tensor a = c.saved(0), p = linalg_pinv(a, 0.0, limit, false);
        return {c.needs(0) ? pinv_gradient(a, p, matmul(c.grad(), adjoint_of(c.saved(1))), cuts) : Tensor(),
                c.needs(1) ? matmul(adjoint_of(p), c.grad()) : Tensor()};
    });
    const auto none = [&](ScalarType dtype) { return empty_raw({0}, dtype, A.device()); };
    const ScalarType real_dtype = toRealValueType(A.scalar_type());
    Tensor residuals = none(real_dtype);
    if (m > n && way != "gelsy" && has_values(A) && (!by_rank || (solved.rank == Scalar(n)).all().item<bool>())) {
        const Tensor distance = matmul(a, x) - b;
        residuals = sum(distance.is_complex() ? square(real(distance)) + square(imag(distance)) : square(distance), -2);
    }
    return {vector ? squeeze(x, -1) : x, residuals, by_rank ? solved.rank : none(kLong),
            with_values ? solved.singular_values : none(real_dtype)};
}

} // namespace reel
