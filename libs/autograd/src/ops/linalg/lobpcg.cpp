// A few extreme eigenvalues of symmetric matrices (A. Knyazev, Toward the
// optimal preconditioned eigensolver, 2001).
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/linalg/lobpcg.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace reel {

using namespace autograd;

namespace {

struct Search {
    std::int64_t n, niter;
    double tol;
    bool largest;
};

Tensor times(const Tensor& B, const Tensor& x) { return B.defined() ? B.matmul(x) : x; }

/// Columns that span what those of `S` do and are orthonormal in the product
/// that B defines; directions that the others hold already, to rounding, are
/// left out.
Tensor orthonormal(const Tensor& S, const Tensor& B) {
    Tensor basis = S;
    for (int pass = 0; pass < 2; ++pass) { // the second repairs what cancellation left of the first
        const Tensor gram = basis.t().matmul(times(B, basis)), scale = gram.diagonal().clamp_min(Scalar(0)).sqrt();
        const Tensor inverse = scale.reciprocal().where(scale > Scalar(0), 0);
        const auto [values, vectors] = linalg_eigh(gram * inverse * inverse.unsqueeze(1));
        const double least = values.select(0, -1).item<double>() * double(values.size(0)) *
                             (S.scalar_type() == kDouble ? std::numeric_limits<double>::epsilon()
                                                         : double(std::numeric_limits<float>::epsilon()));
        const Tensor kept = nonzero(values > Scalar(least)).squeeze(1);
        basis =
            basis.matmul(inverse.unsqueeze(1) * vectors.index_select(1, kept) * values.index_select(0, kept).rsqrt());
    }
    return basis;
}
/// The `n` extreme Ritz pairs in the span of `Q`, which is orthonormal.
std::pair<Tensor, Tensor> ritz(const Tensor& A, const Tensor& Q, const Search& s) {
    const auto [values, vectors] = linalg_eigh(Q.t().matmul(A.matmul(Q)));
    const std::int64_t all = values.size(0), count = std::min(s.n, all);
    if (!s.largest) return {values.narrow(0, 0, count), Q.matmul(vectors.narrow(1, 0, count))};
    return {values.narrow(0, all - count, count).flip({0}), Q.matmul(vectors.narrow(1, all - count, count).flip({1}))};
}
/// Eigenvalues [n] and vectors [m, n] of one matrix.
std::pair<Tensor, Tensor> solve(const Tensor& A, const Tensor& B, const Tensor& iK, const Tensor& start,
                                const Search& s) {
    const double start_norm = start.norm().item<double>();
    const double a = A.matmul(start).norm().item<double>() / start_norm;
    const double b = times(B, start).norm().item<double>() / start_norm;
    auto [E, X] = ritz(A, orthonormal(start, B), s);
    Tensor P;
    for (std::int64_t step = 0; step < s.niter; ++step) {
        const Tensor R = A.matmul(X) - times(B, X) * E;
        const Tensor error =
            linalg_vector_norm(R, 2, IntArrayRef{0}) / (linalg_vector_norm(X, 2, IntArrayRef{0}) * (E.abs() * b + a));
        if (error.max().item<double>() < s.tol) break;
        const Tensor W = iK.defined() ? iK.matmul(R) : R;
        const Tensor Q = orthonormal(cat(P.defined() ? std::vector<Tensor>{X, P, W} : std::vector<Tensor>{X, W}, 1), B);
        auto [values, vectors] = ritz(A, Q, s);
        P = vectors - X.matmul(X.t().matmul(times(B, vectors)));
        E = values;
        X = vectors;
    }
    return {E, X};
}

/// With x_i^T B x_i = 1: dE_i = x_i^T (dA - E_i dB) x_i and dx_i = -N_i (dA -
/// E_i dB) x_i - x_i x_i^T dB x_i / 2, N_i the inverse of A - E_i B on what is
/// orthogonal to x_i.
GradList gradients(RuleContext& c, bool general) {
    const Tensor A = c.saved(0), B = general ? c.saved(1) : Tensor(), E = c.saved(general ? 2 : 1),
                 X = c.saved(general ? 3 : 2);
    const Tensor gE = c.grad_or_zeros(0), gX = c.grad_or_zeros(1);
    const Tensor Y = X.mT(), columns = Y.unsqueeze(-1),
                 rows = Y.unsqueeze(-2); // [..., k, m], one vector each
    const Tensor one = eye(A.size(-1), std::nullopt, A.options().requires_grad(false));
    const Tensor metric = B.defined() ? B.unsqueeze(-3) : one;
    const Tensor onto = one - matmul(columns, matmul(rows, metric));
    const Tensor shifted = A.unsqueeze(-3) - E.unsqueeze(-1).unsqueeze(-1) * metric;
    const Tensor N = matmul(onto, matmul(linalg_pinv(shifted, std::nullopt, std::nullopt, true), onto.mT()));
    const Tensor pull = matmul(N, gX.mT().unsqueeze(-1)); // N_i g_i, [..., k, m, 1]
    const Tensor along = matmul(columns, rows);           // x_i x_i^T
    const Tensor turn = matmul(pull, rows), sym = (turn + turn.mT()) * Scalar(0.5);
    const Tensor g = gE.unsqueeze(-1).unsqueeze(-1), e = E.unsqueeze(-1).unsqueeze(-1);
    GradList r{(g * along - sym).sum(-3), Tensor()};
    if (general && c.needs(1)) {
        const Tensor inside = matmul(rows, gX.mT().unsqueeze(-1)); // x_i^T g_i
        r[1] = (e * sym - e * g * along - inside * Scalar(0.5) * along).sum(-3);
    }
    return r;
}

Search checked(const Tensor& A, const Tensor& B, const Tensor& X, std::optional<std::int64_t> k,
               std::optional<std::int64_t> n, std::optional<std::int64_t> niter, std::optional<double> tol,
               std::optional<bool> largest, std::optional<std::string_view> method) {
    REEL_CHECK(A.dim() >= 2 && A.size(-1) == A.size(-2), "lobpcg: A has shape ", A.sizes(),
               "; expected square matrices");
    REEL_CHECK_NOT_IMPLEMENTED(A.scalar_type() == kFloat || A.scalar_type() == kDouble, "lobpcg: A is ",
                               dtype_name(A.scalar_type()), "; expected float32 or float64");
    REEL_CHECK(!B.defined() || B.sizes().equals(A.sizes()), "lobpcg: B has shape ", B.defined() ? B.sizes() : A.sizes(),
               "; expected that of A, ", A.sizes());
    REEL_CHECK_VALUE(!method || *method == "basic" || *method == "ortho", "lobpcg: method is '", method.value_or(""),
                     "'; expected 'basic' or 'ortho'");
    const std::int64_t m = A.size(-1), wanted = k.value_or(X.defined() ? X.size(-1) : 1);
    const std::int64_t columns = X.defined() ? X.size(-1) : n.value_or(wanted);
    REEL_CHECK_VALUE(wanted > 0 && wanted <= columns, "lobpcg: k is ", wanted, "; expected 1 to ", columns);
    REEL_CHECK_VALUE(columns <= m / 3, "lobpcg: A has ", m, " rows; expected at least three times the ", columns,
                     " pairs that are looked for");
    Dims start(A.sizes());
    start.back() = columns;
    REEL_CHECK(!X.defined() || X.sizes().equals(start), "lobpcg: X has shape ", X.defined() ? X.sizes() : IntArrayRef(),
               "; expected ", IntArrayRef(start));
    const double epsilon = A.scalar_type() == kDouble ? std::numeric_limits<double>::epsilon()
                                                      : double(std::numeric_limits<float>::epsilon());
    return {columns, niter.value_or(1000), tol.value_or(std::sqrt(epsilon)), largest.value_or(true)};
}

} // namespace

/// The `k` largest (or smallest) E with A x = E B x for symmetric A and
/// positive definite B (the identity without), and the x in the columns of the
/// second result, with x^T B x = 1: [..., k] and [..., m, k] of matrices [...,
/// m, m]. The search holds `n` vectors, starts from `X` [..., m, n] (random
/// without), uses the preconditioner `iK`, and ends after `niter` rounds or
/// when relative residuals are below `tol`. gradient: to A and B, by the
/// symmetric part. Errors: ValueError unless m >= 3 n.
REEL_OP("lobpcg(Tensor A, int? k=None, Tensor? B=None, Tensor? X=None, int? "
        "n=None, Tensor? iK=None, int? niter=None, "
        "float? tol=None, bool? largest=None, str? method=None) -> (Tensor, "
        "Tensor)",
        rule, random, samples(call(numbers({7, 7}), 2).with("tol", 1e-14)))
std::tuple<Tensor, Tensor> lobpcg(const Tensor& A, std::optional<std::int64_t> k, const Tensor& B, const Tensor& X,
                                  std::optional<std::int64_t> n, const Tensor& iK, std::optional<std::int64_t> niter,
                                  std::optional<double> tol, std::optional<bool> largest,
                                  std::optional<std::string_view> method) {
    const Search s = checked(A, B, X, k, n, niter, tol, largest, method);
    const auto symmetric = [](const Tensor& t) { return t.defined() ? (t + t.mT()) * Scalar(0.5) : t; };
    const Tensor As = symmetric(A), Bs = symmetric(B);
    const std::int64_t m = A.size(-1), count = k.value_or(X.defined() ? X.size(-1) : 1);
    Tensor E, vectors;
    {
        const NoGradGuard guard;
        const auto flat = [m](const Tensor& t) { return t.reshape({-1, m, t.size(-1)}); };
        const Tensor a = flat(As), b = Bs.defined() ? flat(Bs) : Bs, x = X.defined() ? flat(X) : X;
        std::vector<Tensor> values, columns;
        for (std::int64_t i = 0; i < a.size(0); ++i) {
            const Tensor start = x.defined() ? x[i] : randn({m, s.n}, A.options().requires_grad(false));
            const auto [e, v] = solve(a[i], b.defined() ? b[i] : b, iK, start, s);
            REEL_CHECK(e.size(0) >= count, "lobpcg: X has ", e.size(0), " independent columns; expected at least ",
                       count);
            values.push_back(e.narrow(0, 0, count));
            columns.push_back(v.narrow(1, 0, count));
        }
        Dims sizes(A.sizes());
        sizes.pop_back();
        sizes.back() = count;
        E = stack(values).reshape(sizes);
        sizes.back() = m;
        sizes.push_back(count);
        vectors = stack(columns).reshape(sizes);
    }
    if (B.defined())
        record("lobpcg", {As, Bs}, {E, vectors}, {As, Bs, E, vectors},
               [](RuleContext& c) -> GradList { return gradients(c, true); });
    else
        record("lobpcg", {As}, {E, vectors}, {As, E, vectors},
               [](RuleContext& c) -> GradList { return {gradients(c, false)[0]}; });
    return {E, vectors};
}

} // namespace reel
