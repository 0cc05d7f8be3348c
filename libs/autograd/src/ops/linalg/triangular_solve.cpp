// Triangular systems and the Cholesky factorization.
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>

#include "ops/linalg/linalg.hpp"

namespace reel {

using namespace matrices;

namespace {

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left, bool unit) {
    const auto [ea, eb] = broadcast_batches("linalg.solve_triangular", a, b);
    const Batch t(ea.detach()), x(eb.detach());
    kernels::solve_triangular("linalg.solve_triangular", x.data, t.data, upper, left, unit);
    Tensor out = x.matrices();
    record("linalg.solve_triangular", {ea, eb}, out, {ea, out}, [upper, left, unit](RuleContext& c) -> GradList {
        const Tensor gb = solve_triangular(adjoint_of(c.saved(0)), c.grad(), !upper, left, unit);
        Tensor ga;
        if (c.needs(0)) {
            const Tensor xh = adjoint_of(c.saved(1)), full_ = -(left ? matmul(gb, xh) : matmul(xh, gb));
            ga = upper ? triu(full_, unit ? 1 : 0) : tril(full_, unit ? -1 : 0);
        }
        return {ga, gb};
    });
    return out;
}

} // namespace

/// X with A X = B (X A = B with left=false) for triangular A; the other triangle is not read.
REEL_OP("linalg.solve_triangular(Tensor input, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> "
        "Tensor",
        rule, out_exact)
Tensor linalg_solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left, bool unitriangular) {
    check_matrices("linalg.solve_triangular", "A", A, true);
    check_matrices("linalg.solve_triangular", "B", B, false);
    check_same_dtype("linalg.solve_triangular", A, B);
    REEL_CHECK(B.size(left ? -2 : -1) == A.size(-1), "linalg.solve_triangular: A has shape ", A.sizes(), " and B ",
               B.sizes(), ", which do not fit");
    return solve_triangular(A, B, upper, left, unitriangular);
}
/// X with A X = b for triangular A (its transpose with transpose=true), and a copy of A.
REEL_OP("triangular_solve(Tensor input, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> "
        "(Tensor solution, Tensor cloned_coefficient)",
        rule, method, out)
std::tuple<Tensor, Tensor> triangular_solve(const Tensor& b, const Tensor& A, bool upper, bool transpose,
                                            bool unitriangular) {
    check_matrices("triangular_solve", "A", A, true);
    check_matrices("triangular_solve", "b", b, false);
    check_same_dtype("triangular_solve", A, b);
    REEL_CHECK(b.size(-2) == A.size(-1), "triangular_solve: A has shape ", A.sizes(), " and b ", b.sizes(),
               ", which do not fit");
    const auto [ea, eb] = broadcast_batches("triangular_solve", A, b);
    const Tensor a = transpose ? reel::transpose(ea, -2, -1) : ea;
    const bool up = upper != transpose;
    const Tensor x = solve_triangular(a, eb, up, true, unitriangular);
    return {x, ea.clone()};
}

namespace {

std::tuple<Tensor, Tensor> cholesky_of(const char* op, const Tensor& a, bool upper) {
    check_matrices(op, "A", a, true);
    const Batch b(a.detach());
    const Tensor info = empty_raw(batch_sizes(a), kInt, a.device());
    kernels::cholesky(op, b.data, info, upper);
    Tensor out = b.matrices();
    record("linalg.cholesky", TensorList{a}, {out, info}, {out}, [upper](RuleContext& c) -> GradList {
        if (!c.grad(0).defined()) return {Tensor()};
        const Tensor l = upper ? adjoint_of(c.saved(0)) : c.saved(0), g = upper ? adjoint_of(c.grad(0)) : c.grad(0);
        const Tensor low = tril(matmul(adjoint_of(l), g));
        const Tensor phi = (low + adjoint_of(tril(low, -1))) * Scalar(0.5);
        return {solve_triangular(l, solve_triangular(adjoint_of(l), phi, true, true, false), false, false, false)};
    });
    return {out, info};
}

} // namespace

/// Cholesky factor L (A = L L^H), or its adjoint with upper=true, of Hermitian positive definite matrices.
REEL_OP("linalg.cholesky(Tensor input, *, bool upper=False) -> Tensor", rule, out_exact)
Tensor linalg_cholesky(const Tensor& A, bool upper) {
    const auto [l, info] = cholesky_of("linalg.cholesky", A, upper);
    check_infos("linalg.cholesky", info, "it is not positive definite, a leading minor is not positive");
    return l;
}
REEL_OP("linalg.cholesky_ex(Tensor input, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
        rule, out)
std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& A, bool upper, bool check_errors) {
    const auto r = cholesky_of("linalg.cholesky_ex", A, upper);
    if (check_errors)
        check_infos("linalg.cholesky_ex", std::get<1>(r),
                    "it is not positive definite, a leading minor is not positive");
    return r;
}
REEL_OP("cholesky(Tensor input, bool upper=False) -> Tensor", composite, method, out,
        samples(call(definite(3)), call(definite(3, kComplexDouble))))
Tensor cholesky(const Tensor& input, bool upper) { return linalg_cholesky(input, upper); }
namespace {
/// The triangle of a factor that is read, and that alone gets a gradient.
Tensor read_part(const Tensor& factor, bool upper) { return upper ? triu(factor) : tril(factor); }
} // namespace

/// Inverse of A given by its Cholesky factor, of which the other triangle is not read.
REEL_OP("cholesky_inverse(Tensor input, bool upper=False) -> Tensor", rule, method, out)
Tensor cholesky_inverse(const Tensor& input, bool upper) {
    check_matrices("cholesky_inverse", "input", input, true);
    Tensor out;
    {
        NoGradGuard guard;
        const Tensor l = input.detach();
        const Tensor inverse = solve_triangular(l, expand(identity_like(l), l.sizes()), upper, true, false);
        out = upper ? matmul(inverse, adjoint_of(inverse)) : matmul(adjoint_of(inverse), inverse);
    }
    record("cholesky_inverse", {input}, out, {input, out}, [upper](RuleContext& c) -> GradList {
        const Tensor l = read_part(c.saved(0), upper), inverse = c.saved(1), both = c.grad() + adjoint_of(c.grad());
        const Tensor common = matmul(inverse, matmul(both, inverse));
        return {-read_part(upper ? matmul(l, common) : matmul(common, l), upper)};
    });
    return out;
}
namespace {
Tensor cholesky_solve_of(const Tensor& b, const Tensor& factor, bool upper) {
    const auto [eb, ef] = broadcast_batches("cholesky_solve", b, factor);
    Tensor out;
    {
        NoGradGuard guard;
        const Tensor f = ef.detach(), h = adjoint_of(f);
        out = upper ? solve_triangular(f, solve_triangular(h, eb.detach(), false, true, false), true, true, false)
                    : solve_triangular(h, solve_triangular(f, eb.detach(), false, true, false), true, true, false);
    }
    record("cholesky_solve", {eb, ef}, out, {ef, out}, [upper](RuleContext& c) -> GradList {
        const Tensor f = read_part(c.saved(0), upper), gb = cholesky_solve_of(c.grad(), f, upper);
        if (!c.needs(1)) return {gb, Tensor()};
        const Tensor part = matmul(gb, adjoint_of(c.saved(1))), common = part + adjoint_of(part);
        return {gb, -read_part(upper ? matmul(f, common) : matmul(common, f), upper)};
    });
    return out;
}
} // namespace

/// X with A X = input for A given by its Cholesky factor `input2`, of which the other triangle is not read.
REEL_OP("cholesky_solve(Tensor input, Tensor input2, bool upper=False) -> Tensor", rule, method, out)
Tensor cholesky_solve(const Tensor& input, const Tensor& input2, bool upper) {
    check_matrices("cholesky_solve", "input2", input2, true);
    check_matrices("cholesky_solve", "input", input, false);
    check_same_dtype("cholesky_solve", input, input2);
    REEL_CHECK(input.size(-2) == input2.size(-1), "cholesky_solve: input has shape ", input.sizes(), " and input2 ",
               input2.sizes(), ", which do not fit");
    return cholesky_solve_of(input, input2, upper);
}

} // namespace reel
