// beta * input + alpha * product: the family of addmm.
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/matmul_add.hpp>
#include <reel/autograd/ops/linalg/products.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/type_promotion.hpp>

#include "ops/reduce/reduction.hpp"
#include "tensor/plain_numbers.hpp"

#include <cmath>

namespace reel {

using namespace autograd;
using reel::detail::is_one;
using namespace reduction;

namespace {

/// A factor in the type of the operands: integers drop its fraction.
Scalar factor_of(const char* op, const char* name, const Scalar& v, ScalarType t) {
    REEL_CHECK(isComplexType(t) || !v.isComplex(), op, ": ", name, " is complex; the operands are ", dtype_name(t));
    if (isDifferentiableType(t) || v.isIntegral(true)) return v;
    REEL_CHECK(std::abs(v.toDouble()) < 0x1p63, op, ": ", name, " is ", v, "; operands of ", dtype_name(t),
               " need a number that an integer can be");
    return Scalar(v.toLong());
}
bool is_zero(const Scalar& s) { return s.isComplex() ? !s.toBool() : s.toDouble() == 0; }
Tensor scaled(const Tensor& t, const Scalar& by) { return is_one(by) ? t : t * by; }
Scalar conjugate(const Scalar& s) { return s.isComplex() ? Scalar(std::conj(s.toComplexDouble())) : s; }

bool expands(IntArrayRef from, IntArrayRef to) {
    if (from.size() > to.size()) return false;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::int64_t have = from[from.size() - 1 - i], want = to[to.size() - 1 - i];
        if (have != want && have != 1) return false;
    }
    return true;
}
/// The sum, in the type of `input`. With beta = 0 the values of `input` (NaN included) do not count.
Tensor blend(const char* op, const Tensor& input, const Tensor& product, const Scalar& beta_, const Scalar& alpha_) {
    const ScalarType t = product.scalar_type();
    REEL_CHECK(input.scalar_type() == t || wide_type(input.scalar_type()) == t, op, ": input is ",
               dtype_name(input.scalar_type()), " and the matrices are ", dtype_name(t), "; all must have one dtype");
    const Scalar beta = factor_of(op, "beta", beta_, t), alpha = factor_of(op, "alpha", alpha_, t);
    const Dims sizes(product.sizes());
    REEL_CHECK(expands(input.sizes(), sizes), op, ": input has shape ", input.sizes(),
               ", which does not expand to the shape of the product, ", product.sizes());
    Tensor out;
    {
        NoGradGuard guard;
        out = scaled(product.detach(), alpha); // memory that nobody else has
        if (!is_zero(beta)) out.add_(input.detach().to(t), beta);
        if (input.scalar_type() != t) out = out.to(input.scalar_type());
    }
    record(op, {input, product}, out, {}, [beta, alpha](RuleContext& c) -> GradList {
        GradList r{Tensor(), Tensor()};
        if (c.needs(0)) r[0] = scaled(c.grad(), conjugate(beta));
        if (c.needs(1)) r[1] = scaled(c.grad(), conjugate(alpha));
        return r;
    });
    return out;
}
/// 16-bit operands meet in float32, so that the sum is rounded once.
Tensor widened(const Tensor& t) {
    const ScalarType wide = wide_type(t.scalar_type());
    return wide == t.scalar_type() ? t : t.to(wide);
}
void check_types(const char* op, const Tensor& input, const Tensor& a, const Tensor& b) {
    REEL_CHECK(input.scalar_type() == a.scalar_type() && a.scalar_type() == b.scalar_type(), op, ": input is ",
               dtype_name(input.scalar_type()), ", the operands are ", dtype_name(a.scalar_type()), " and ",
               dtype_name(b.scalar_type()), "; all must have one dtype");
}
void check_rank(const char* op, const char* name, const Tensor& t, std::int64_t rank) {
    REEL_CHECK(t.dim() == rank, op, ": ", name, " has shape ", t.sizes(), "; expected ", rank, " dimension",
               rank == 1 ? "" : "s");
}

} // namespace

/// beta input + alpha (mat1 mat2)
REEL_OP("addmm(Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule, method,
        out_exact, inplace)
Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
    check_types("addmm", input, mat1, mat2);
    check_rank("addmm", "mat1", mat1, 2);
    check_rank("addmm", "mat2", mat2, 2);
    return blend("addmm", input, mm(widened(mat1), widened(mat2)), beta, alpha);
}
/// beta input + alpha (mat vec)
REEL_OP("addmv(Tensor input, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule, method,
        out_exact, inplace)
Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
    check_types("addmv", input, mat, vec);
    check_rank("addmv", "mat", mat, 2);
    check_rank("addmv", "vec", vec, 1);
    return blend("addmv", input, mv(widened(mat), widened(vec)), beta, alpha);
}
/// beta input + alpha (vec1 vec2^T), in the dtype that all three have together
REEL_OP("addr(Tensor input, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule, method, out,
        inplace)
Tensor addr(const Tensor& input, const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha) {
    check_rank("addr", "vec1", vec1, 1);
    check_rank("addr", "vec2", vec2, 1);
    const ScalarType vectors = promote_types(vec1.scalar_type(), vec2.scalar_type());
    const ScalarType dtype = result_type(input, vec1.to(vectors));
    for (const Scalar* v : {&beta, &alpha}) {
        const char* const name = v == &beta ? "beta" : "alpha";
        REEL_CHECK(isDifferentiableType(dtype) || v->isIntegral(true), "addr: ", name, " is ", *v, "; for ",
                   dtype_name(dtype), " operands it must be an integer");
        REEL_CHECK(!v->isBoolean() || dtype == kBool, "addr: ", name, " is a bool; that is for bool operands only, ",
                   "these are ", dtype_name(dtype));
    }
    if (input.scalar_type() != dtype || vec1.scalar_type() != dtype || vec2.scalar_type() != dtype)
        return addr(input.to(dtype), vec1.to(dtype), vec2.to(dtype), beta, alpha);
    if (dtype == kBool) {
        const Tensor product = logical_and(unsqueeze(vec1, 1), vec2);
        const Tensor p = alpha.toBool() ? product : zeros_like(product);
        return beta.toBool() ? logical_or(p, input) : p;
    }
    return blend("addr", input, outer(widened(vec1), widened(vec2)), beta, alpha);
}
/// beta input + alpha (sum of the products of two batches)
REEL_OP("addbmm(Tensor input, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule, method,
        out_exact, inplace)
Tensor addbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
    check_types("addbmm", input, batch1, batch2);
    check_rank("addbmm", "batch1", batch1, 3);
    check_rank("addbmm", "batch2", batch2, 3);
    const Tensor p = bmm(widened(batch1), widened(batch2));
    return blend("addbmm", input, sum(p, 0, false, p.scalar_type()), beta, alpha);
}
/// beta input + alpha (batch1 batch2), batch by batch
REEL_OP("baddbmm(Tensor input, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule, method,
        out_exact, inplace)
Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
    check_types("baddbmm", input, batch1, batch2);
    check_rank("baddbmm", "batch1", batch1, 3);
    check_rank("baddbmm", "batch2", batch2, 3);
    return blend("baddbmm", input, bmm(widened(batch1), widened(batch2)), beta, alpha);
}

} // namespace reel
