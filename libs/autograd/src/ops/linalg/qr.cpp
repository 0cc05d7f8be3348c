// Reflections: QR and its parts; symmetric indefinite systems.
#include <array>

#include <reel/autograd/kernels/orgqr.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/qr.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>

#include "ops/linalg/linalg.hpp"
#include "tensor/host_values.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace matrices;

namespace {

/// Reflector i of packed factors [..., m, k]: zeros above i, one at i, the stored part below. [..., m, 1].
Tensor reflector(const Tensor& packed, std::int64_t i) {
    const std::int64_t m = packed.size(-2);
    const Dims batch = batch_sizes(packed);
    std::vector<Tensor> parts;
    if (i > 0) parts.push_back(zeros_raw(with(batch, {i, 1}), packed));
    parts.push_back(ones(with(batch, {1, 1}), packed.options()));
    parts.push_back(narrow(narrow(packed, -1, i, 1), -2, i + 1, m - i - 1)); // of no rows, too: it hangs on packed
    return cat(parts, -2);
}
/// x - factor v (v^H x)
Tensor reflect(const Tensor& x, const Tensor& v, const Tensor& factor) {
    return x - unsqueeze(unsqueeze(factor, -1), -1) * matmul(v, matmul(adjoint_of(v), x));
}
/// Q x (Q^H x) for Q = H_1 H_2 ... H_k, H_i = 1 - tau_i v_i v_i^H.
Tensor apply_reflectors(const Tensor& packed, const Tensor& tau, Tensor x, bool adjoint) {
    const std::int64_t k = tau.size(-1);
    if (k == 0) { // nothing to subtract: a sum without terms, which hangs on all operands
        const Tensor none = narrow(packed, -1, 0, 0);
        return x - matmul(none * unsqueeze(tau, -2), matmul(adjoint_of(none), x));
    }
    for (std::int64_t j = 0; j < k; ++j) {
        const std::int64_t i = adjoint ? j : k - 1 - j;
        const Tensor f = select(tau, -1, i);
        x = reflect(x, reflector(packed, i), adjoint ? conj(f) : f);
    }
    return x;
}
void check_reflectors(const char* op, const Tensor& a, const Tensor& tau) {
    check_matrices(op, "input", a, false);
    check_same_dtype(op, a, tau);
    REEL_CHECK(tau.dim() >= 1 && tau.dim() == a.dim() - 1 && batch_sizes(tau, 1) == batch_sizes(a), op,
               ": tau has shape ", tau.sizes(), "; expected one vector per matrix of input ", a.sizes());
    REEL_CHECK(tau.size(-1) <= a.size(-1) || tau.size(-1) <= a.size(-2), op, ": tau has ", tau.size(-1),
               " reflectors, input ", a.sizes(), " holds fewer");
}

} // namespace

/// The first n columns of the product of Householder reflections stored as geqrf leaves them.
REEL_OP("linalg.householder_product(Tensor input, Tensor tau) -> Tensor", composite, out,
        alias("orgqr(Tensor input, Tensor input2)"), samples(call(numbers({4, 3}), numbers({3})).as("orgqr")))
Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
    const char* op = "linalg.householder_product";
    check_reflectors(op, input, tau);
    REEL_CHECK(input.size(-2) >= input.size(-1), op, ": input has shape ", input.sizes(),
               "; expected at least as many rows as columns");
    REEL_CHECK(tau.size(-1) <= input.size(-1), op, ": tau has ", tau.size(-1), " reflectors for ", input.size(-1),
               " columns");
    const Tensor start = expand(eye(input.size(-2), input.size(-1), input.options()), input.sizes());
    return apply_reflectors(input, tau, start, false);
}
/// Q other, Q^H other, other Q or other Q^H for the square Q of the reflections.
REEL_OP("ormqr(Tensor input, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor", composite,
        method, out_exact, samples(call(numbers({3, 2}), numbers({0}), numbers({3, 2}))))
Tensor ormqr(const Tensor& input, const Tensor& tau, const Tensor& other, bool left, bool transpose) {
    check_reflectors("ormqr", input, tau);
    check_matrices("ormqr", "other", other, false);
    check_same_dtype("ormqr", input, other);
    REEL_CHECK(tau.size(-1) <= input.size(-1) && tau.size(-1) <= input.size(-2), "ormqr: tau has ", tau.size(-1),
               " reflectors, input ", input.sizes(), " holds fewer");
    REEL_CHECK(other.dim() == input.dim() && batch_sizes(other) == batch_sizes(input) &&
                   other.size(left ? -2 : -1) == input.size(-2),
               "ormqr: other has shape ", other.sizes(), ", which does not fit reflectors of shape ", input.sizes());
    if (left) return apply_reflectors(input, tau, other, transpose);
    return adjoint_of(apply_reflectors(input, tau, adjoint_of(other), !transpose));
}
namespace {

/// What geqrf computes, column by column and made of tensor ops, in LAPACK's signs.
std::vector<Tensor> reflect_columns(const Tensor& input) {
    const std::int64_t k = std::min(input.size(-2), input.size(-1));
    std::vector<Tensor> columns, rows, factors; // of R on and right of the diagonal, of reflectors below it
    Tensor rest = input;
    for (std::int64_t i = 0; i < k; ++i) {
        const Tensor head = narrow(narrow(rest, -2, 0, 1), -1, 0, 1), tail = narrow(slice(rest, -2, 1), -1, 0, 1);
        const Tensor others = slice(rest, -1, 1), first = real(head);
        Tensor beyond = sum(square(real(tail)), -2, true); // zero: nothing to reflect
        if (tail.is_complex()) beyond = beyond + sum(square(imag(tail)), -2, true) + square(imag(head));
        const Tensor none = beyond == Scalar(0);
        const Tensor length = sqrt(masked_fill(square(first) + beyond, none, 1));
        const Tensor turned = where(first < Scalar(0), length, -length);
        const Tensor beta = where(none, first, turned).to(rest.scalar_type());
        const Tensor tau = masked_fill((beta - head) / masked_fill(beta, none, 1), none, 0);
        const Tensor v = cat({ones_like(head), tail / masked_fill(head - beta, none, 1)}, -2);
        const Tensor reflected = others - conj(tau) * matmul(v, matmul(adjoint_of(v), others));
        columns.push_back(cat({beta, slice(v, -2, 1)}, -2));
        rows.push_back(narrow(reflected, -2, 0, 1));
        factors.push_back(squeeze(tau, -1));
        rest = slice(reflected, -2, 1);
    }
    for (std::int64_t i = k; i-- > 0;) rest = cat({columns[std::size_t(i)], cat({rows[std::size_t(i)], rest}, -2)}, -1);
    return {rest, factors.empty() ? zeros_raw(with(batch_sizes(input), {0}), input) : cat(factors, -1)};
}

} // namespace

/// R on and above the diagonal, reflectors below it, their factors. Differentiable to every order.
REEL_OP("geqrf(Tensor input) -> (Tensor a, Tensor tau)", rule, method, out,
        samples(call(numbers({3, 3})), call(numbers({3, 3}, kComplexDouble))))
std::tuple<Tensor, Tensor> geqrf(const Tensor& input) {
    check_matrices("geqrf", "input", input, false);
    const Batch b(input.detach());
    const std::int64_t k = std::min(b.m, b.n);
    const Tensor tau = empty_raw(with(batch_sizes(input), {k}), input.scalar_type(), input.device());
    kernels::geqrf(b.data, tau);
    const Tensor packed = b.matrices();
    record("geqrf", TensorList{input}, {packed, tau}, {input}, [](RuleContext& c) -> GradList {
        return gradient_of(c, 1, [](const TensorList& operands) { return reflect_columns(operands[0]); });
    });
    return {packed, tau};
}
namespace {
/// The first columns of the product of what geqrf left; nothing is recorded.
Tensor product_of_reflections(const Tensor& packed, const Tensor& tau, std::int64_t columns) {
    const std::int64_t m = packed.size(-2), k = tau.size(-1);
    const Dims batch = batch_sizes(packed);
    if (!kernels::orgqr.has(packed.device().type()))
        return apply_reflectors(packed, tau, expand(eye(m, columns, packed.options()), with(batch, {m, columns})),
                                false);
    const Batch b(batch, m, columns, packed.scalar_type(), packed.device());
    const std::int64_t last = packed.dim() - 1;
    copy_raw(narrow_raw(b.matrices(), last, 0, k), narrow_raw(packed, last, 0, k));
    kernels::orgqr(b.data, tau);
    return contiguous_raw(b.matrices());
}
} // namespace

/// A = Q R. mode 'reduced' (thin), 'complete' or 'r' (Q empty, no gradient).
REEL_OP("linalg.qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)", rule, out,
        samples(call(numbers({3, 3})), call(numbers({4, 3})), call(numbers({3, 4})),
                call(numbers({3, 3}, kComplexDouble)), call(numbers({4, 3}, kComplexDouble)),
                call(numbers({3, 4}, kComplexDouble))))
std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode) {
    check_matrices("linalg.qr", "A", A, false);
    REEL_CHECK_VALUE(mode == "reduced" || mode == "complete" || mode == "r", "linalg.qr: mode is '", mode,
                     "'; expected reduced, complete or r");
    const std::int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n), columns = mode == "complete" ? m : k;
    Tensor q, r;
    {
        NoGradGuard guard;
        const auto [packed, tau] = geqrf(A.detach());
        r = triu(columns <= m ? narrow(packed, -2, 0, columns) : packed);
        q = mode == "r" ? zeros_raw({0}, A) : product_of_reflections(packed, tau, columns);
    }
    const bool complete = mode == "complete", only_r = mode == "r";
    record("linalg.qr", TensorList{A}, {q, r}, {q, r}, [complete, only_r, m, n, k](RuleContext& c) -> GradList {
        REEL_CHECK(!only_r, "linalg.qr: mode 'r' has no gradient, Q is needed for it");
        REEL_CHECK(!complete || m <= n, "linalg.qr: mode 'complete' has no gradient for tall matrices; use 'reduced'");
        const Tensor q = c.saved(0), r = c.saved(1), &gq = c.grad(0), &gr = c.grad(1);
        if (!gq.defined() && !gr.defined()) return {Tensor()};
        // With R square: gA = (gQ + Q copyltu(M)) R^-H, M = R gR^H - gQ^H Q; copyltu mirrors the lower triangle.
        const auto square = [](const Tensor& q, const Tensor& r, const Tensor& gq, const Tensor& gr) {
            Tensor w;
            if (gr.defined()) w = matmul(gr, adjoint_of(r));
            if (gq.defined()) {
                const Tensor x = matmul(adjoint_of(q), gq);
                w = w.defined() ? w - x : -x;
            }
            // trilImInvAdjSkew: W upper part plus the adjoint of what stands above the diagonal
            const Tensor up = triu(w, 1);
            const Tensor d = diagonal(w, 0, -2, -1);
            Tensor g = matmul(q, up + adjoint_of(up) + diag_embed(q.is_complex() ? real(d).to(q.scalar_type()) : d));
            if (gq.defined()) g = g + gq;
            return linalg_solve_triangular(adjoint_of(r), g, false, false, false);
        };
        if (m >= n) return {square(q, r, gq, gr)};
        // Wide: A = [X Y], R = [U V]; Y = Q V.
        const Tensor y_r = narrow(r, -1, k, n - k), u = narrow(r, -1, 0, k);
        Tensor g2, gq_all = gq;
        if (gr.defined()) {
            const Tensor gv = narrow(gr, -1, k, n - k);
            g2 = matmul(q, gv);
            const Tensor from_v = matmul(matmul(q, y_r), adjoint_of(gv));
            gq_all = gq.defined() ? gq + from_v : from_v;
        } else g2 = zeros_raw(with(batch_sizes(q), {m, n - k}), q);
        return {cat({square(q, u, gq_all, gr.defined() ? narrow(gr, -1, 0, k) : Tensor()), g2}, -1)};
    });
    return {q, r};
}
REEL_OP("qr(Tensor input, bool some=True) -> (Tensor Q, Tensor R)", composite, method, out,
        samples(call(numbers({3, 3})), call(numbers({4, 3})), call(numbers({3, 4})),
                call(numbers({3, 3}, kComplexDouble)), call(numbers({4, 3}, kComplexDouble)),
                call(numbers({3, 4}, kComplexDouble))))
std::tuple<Tensor, Tensor> qr(const Tensor& input, bool some) {
    return linalg_qr(input, some ? "reduced" : "complete");
}

/// Factors of symmetric (Hermitian) indefinite matrices, from the lower triangle, which alone is read and gets a
/// gradient: blocks of D on the diagonal of LD, L below them, zeros above.
REEL_OP("linalg.ldl_factor_ex(Tensor input, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor "
        "pivots, Tensor info)",
        rule, out, samples(call(definite(3)), call(definite(3, kComplexDouble))))
std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& A, bool hermitian, bool check_errors) {
    check_matrices("linalg.ldl_factor_ex", "A", A, true);
    const Batch b(A.detach());
    const Tensor pivots = empty_raw(batch_sizes(A, 1), kInt, A.device()),
                 info = empty_raw(batch_sizes(A), kInt, A.device());
    kernels::ldl_factor("linalg.ldl_factor_ex", b.data, pivots, info, hermitian);
    if (check_errors) check_infos("linalg.ldl_factor_ex", info, "a block of D is singular");
    const Tensor ld = tril(b.matrices());
    record("linalg.ldl_factor", TensorList{A}, {ld, pivots, info}, {A, pivots},
           [hermitian](RuleContext& c) -> GradList {
               const Tensor pivots = c.saved(1);
               return gradient_of(c, 1, [&](const TensorList& operands) {
                   return std::vector<Tensor>{ldl_factor_again(operands[0], pivots, hermitian)};
               });
           });
    return {ld, pivots, info};
}
REEL_OP("linalg.ldl_factor(Tensor input, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", composite, out,
        samples(call(definite(3)), call(definite(3, kComplexDouble))))
std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& A, bool hermitian) {
    const auto [ld, pivots, info] = linalg_ldl_factor_ex(A, hermitian, false);
    return {ld, pivots};
}
namespace {
/// Pivots as ldl_factor gives them: rows from 1 on, and those of a 2 x 2 block negative, twice the same.
void check_blocks(const char* op, const Tensor& pivots) {
    if (!has_values(pivots)) return;
    const HostValues<std::int64_t> all(pivots, op);
    const std::int64_t n = pivots.size(-1), *v = all.begin();
    for (std::int64_t start = 0; start < all.size(); start += n, v += n)
        for (std::int64_t k = 0; k < n; ++k) {
            const bool single = v[k] >= 1 && v[k] <= n;
            const bool block = v[k] <= -1 && v[k] >= -n && k + 1 < n && v[k + 1] == v[k];
            REEL_CHECK_VALUE(single || block, op, ": pivots hold ", v[k], " at ", k, "; expected rows from 1 to ", n,
                             ", or twice the same negative one, as ldl_factor returns them");
            k += block;
        }
}
} // namespace

/// X with A X = B for A given by its LDL factors.  gB = A^-H g
REEL_OP("linalg.ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", rule, out_exact,
        samples(call(numbers({0, 0}), longs({}).to(kInt), numbers({0, 5}))))
Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
    const char* op = "linalg.ldl_solve";
    check_matrices(op, "LD", LD, true);
    check_matrices(op, "B", B, false);
    check_same_dtype(op, LD, B);
    REEL_CHECK(isIntegralType(pivots.scalar_type()), op, ": pivots is ", dtype_name(pivots.scalar_type()),
               "; expected integers");
    REEL_CHECK(B.size(-2) == LD.size(-1) && pivots.sizes().equals(batch_sizes(LD, 1)), op, ": LD has shape ",
               LD.sizes(), ", pivots ", pivots.sizes(), " and B ", B.sizes(), ", which do not fit");
    check_blocks(op, pivots);
    const auto [ld, rhs] = broadcast_batches(op, LD, B);
    const Dims batch = batch_sizes(ld);
    const Batch a(ld.detach()), x(rhs.detach());
    const Tensor p = contiguous_raw(cast_raw(expand_raw(pivots, with(batch, {a.n})), kInt));
    kernels::ldl_solve(op, x.data, a.data, p, hermitian);
    Tensor out = x.matrices();
    record(op, {ld, rhs}, out, {ld, rhs, p}, [hermitian](RuleContext& c) -> GradList {
        const Tensor pivots = c.saved(2);
        if (!c.needs(0)) { // A is its own adjoint, or its own transpose
            const Tensor ld = c.saved(0), &g = c.grad();
            return {Tensor(), hermitian ? linalg_ldl_solve(ld, pivots, g, true)
                                        : conj(linalg_ldl_solve(ld, pivots, conj(g), false))};
        }
        return gradient_of(c, 2, [&](const TensorList& operands) {
            return std::vector<Tensor>{ldl_solve_again(operands[0], pivots, operands[1], hermitian)};
        });
    });
    return out;
}

} // namespace reel
