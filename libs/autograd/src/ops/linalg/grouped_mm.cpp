// Products of groups of matrices, as experts have them: one weight each, and as many rows as were sent to it.
#include <reel/autograd/kernels/grouped_mm.hpp>
#include <reel/autograd/ops/linalg/grouped_mm.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/record.hpp>

#include "op/dispatch.hpp"
#include "op/kept_for.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {
constexpr const char* op = "grouped_mm";

Tensor adjoint_of(const Tensor& t) { return conj(transpose(t, -2, -1)); }

/// Shapes, dtypes and devices; the values of `offs` are the kernel's to check.
void check_operands(const Tensor& a, const Tensor& b, const Tensor& offs) {
    const auto is_2d_or_3d = [](const Tensor& t) { return t.dim() == 2 || t.dim() == 3; };
    REEL_CHECK(is_2d_or_3d(a) && is_2d_or_3d(b), op, ": mat_a and mat_b must have 2 or 3 dimensions, got sizes ",
               a.sizes(), " and ", b.sizes());
    check_floating_complex(a.scalar_type(), op);
    REEL_CHECK(a.scalar_type() == b.scalar_type(), op, ": mat_a is ", dtype_name(a.scalar_type()), " and mat_b is ",
               dtype_name(b.scalar_type()), "; both must have one dtype");
    check_one_device(op, a, {&b, &offs});
    const bool batches = a.dim() == 3 && b.dim() == 3;
    REEL_CHECK(offs.defined() != batches, op,
               batches ? ": offs cuts a dimension of a matrix, but mat_a and mat_b have 3 dimensions both"
                       : ": expected offs, which say where the groups of the 2-dimensional operand end",
               "; got sizes ", a.sizes(), " and ", b.sizes());
    REEL_CHECK(a.size(-1) == b.size(-2), op, ": inner dimensions differ: mat_a is ", a.sizes(), ", mat_b is ",
               b.sizes());
    if (!offs.defined()) return;
    REEL_CHECK_TYPE(offs.scalar_type() == kInt, op, ": offs must be int32, got ", dtype_name(offs.scalar_type()));
    REEL_CHECK(offs.dim() == 1, op, ": offs must have one dimension, got sizes ", offs.sizes());
    for (const Tensor* t : {&a, &b})
        REEL_CHECK(t->dim() == 2 || t->size(0) == offs.size(0), op, ": ", t == &a ? "mat_a" : "mat_b", " has ",
                   t->size(0), " matrices, offs has ", offs.size(0), " elements; expected one for each group");
}
} // namespace

/// One product for each group, `mat_a[i] mat_b[i]`. A 2-dimensional operand holds its groups one behind the other, and
/// `offs[i]` (int32) says where group i ends; no other offsets are asked for than that they do not go down. By shapes:
///     [M, K] and [G, K, N]: rows of mat_a go in groups, [M, N];
///     [G, M, K] and [K, N]: columns of mat_b go in groups, [M, N];
///     [M, K] and [K, N]: the inner dimension is cut, [G, M, N];
///     [G, M, K] and [G, K, N] without `offs`: `bmm`.
/// What lies behind the last group counts as zeros. Floating and complex dtypes. `bias` is refused, and `out_dtype`
/// must be the operands' dtype.  ga = grouped_mm(g, mat_b^H), gb = grouped_mm(mat_a^H, g), with the same offsets.
REEL_OP("nn.functional.grouped_mm(Tensor mat_a, Tensor mat_b, *, Tensor? offs=None, Tensor? bias=None, "
        "Dtype? out_dtype=None) -> Tensor",
        rule,
        samples(call(numbers({5, 3}), numbers({3, 3, 2}, 4)).with("offs", longs({2, 2, 5}).to(kInt)),
                call(numbers({2, 3, 2}), numbers({2, 5}, 4)).with("offs", longs({1, 4}).to(kInt)),
                call(numbers({3, 5}), numbers({5, 2}, 4)).with("offs", longs({2, 5}).to(kInt)),
                call(numbers({2, 3, 2}), numbers({2, 2, 3}, 4)),
                call(numbers({4, 3}, kComplexDouble), numbers({2, 3, 2}, kComplexDouble))
                    .with("offs", longs({1, 4}).to(kInt))))
Tensor grouped_mm(const Tensor& mat_a, const Tensor& mat_b, const Tensor& offs, const Tensor& bias,
                  std::optional<ScalarType> out_dtype) {
    check_operands(mat_a, mat_b, offs);
    REEL_CHECK(!bias.defined(), op, ": bias is not supported; add it to the result");
    REEL_CHECK(!out_dtype || *out_dtype == mat_a.scalar_type(), op, ": out_dtype is ",
               dtype_name(out_dtype.value_or(kFloat)), "; expected the operands' ", dtype_name(mat_a.scalar_type()));
    if (!offs.defined()) return bmm(mat_a, mat_b);
    const std::int64_t m = mat_a.size(-2), n = mat_b.size(-1);
    const bool inner = mat_a.dim() == 2 && mat_b.dim() == 2;
    Tensor out = empty_raw(inner ? Dims{offs.size(0), m, n} : Dims{m, n}, mat_a.scalar_type(), mat_a.device());
    const Tensor ends = contiguous_raw(offs);
    kernels::grouped_mm(out, mat_a, mat_b, ends);
    record({"grouped_mm", Work::kProduct}, {mat_a, mat_b}, out, {kept_for(mat_b, mat_a), kept_for(mat_a, mat_b), ends},
           [](RuleContext& c) -> GradList {
               const Tensor &g = c.grad(), ends = c.saved(2);
               GradList r{Tensor(), Tensor()};
               if (c.needs(0)) r[0] = grouped_mm(g, adjoint_of(c.saved(1)), ends, Tensor(), std::nullopt);
               if (c.needs(1)) r[1] = grouped_mm(adjoint_of(c.saved(0)), g, ends, Tensor(), std::nullopt);
               return r;
           });
    return out;
}

} // namespace reel
