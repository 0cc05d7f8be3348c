// Norms of vectors and matrices, and distances.
#include <cmath>
#include <limits>

#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "ops/reduce/reduction.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor norm_raw(const char* op, const Tensor& x, double p, const Dims& dims, bool keepdim) {
    std::int64_t inner = 1;
    Tensor out = empty_raw(reduced_sizes(x, dims, keepdim), toRealValueType(x.scalar_type()), x.device());
    const Tensor rows = rows_last(x, dims, inner);
    REEL_CHECK(inner > 0 || out.numel() == 0 || (p >= 0 && p != infinity), op, ": the norm of order ", p,
               " of an empty vector is not defined; input has shape ", x.sizes());
    kernels::vector_norm(op, out, rows, inner, p);
    return out;
}
/// d|x|_p = sum of sgn(x) |x|^(p-1) / |x|_p^(p-1); zero where the norm has no gradient.
Tensor norm_gradient(const Tensor& g, const Tensor& x, const Tensor& y, double p, const Dims& dims) {
    if (p == 0) return zeros_like(x);
    if (p == 1) return sgn(x) * g;
    if (p == infinity || p == -infinity) {
        const Tensor size = abs(x), mask = logical_or(size == y, logical_and(isnan(size), isnan(y)));
        return sgn(x) * share(g, mask, dims);
    }
    // Where the norm is zero so is the gradient, and every derivative of it.
    const Tensor norm = p > 0 ? masked_fill(y, y == 0, p == 2 ? infinity : 1) : y;
    if (p == 2) return x * (g / norm);
    // Powers below one have no slope at zero; the sign makes the product zero there in any case.
    const Tensor size = abs(x), base = p < 2 ? masked_fill(size, size == 0, 1) : size;
    return sgn(x) * pow(base, p - 1) * (p < 1 ? g * pow(norm, 1 - p) : g / pow(norm, p - 1));
}
} // namespace

Tensor reduction::vector_norm(const char* op, const Tensor& input, double p, OptionalIntArrayRef dim, bool keepdim,
                              std::optional<ScalarType> dtype) {
    if (input.is_sparse() && !dim && p >= 0) // zeros count for negative orders alone
        return vector_norm(op, recorded_values(op, input.coalesce()), p, dim, false, dtype);
    const ScalarType t = dtype.value_or(input.scalar_type());
    REEL_CHECK(isDifferentiableType(t) && isDifferentiableType(input.scalar_type()), op, ": input is ",
               dtype_name(input.scalar_type()), "; expected a floating or complex dtype");
    REEL_CHECK(isComplexType(t) == input.is_complex(), op, ": dtype is ", dtype_name(t), " and input is ",
               dtype_name(input.scalar_type()), "; both must be real or both complex");
    const Tensor x = t == input.scalar_type() ? input : input.to(t);
    const Dims dims = reduced_dims(op, x, dim);
    Tensor out = norm_raw(op, x, p, dims, keepdim);
    record("linalg.vector_norm", {x}, out, {x, out}, [p, dims, keepdim](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        const Dims shape(x.sizes());
        return {norm_gradient(keep_dims(c.grad(), shape, dims, keepdim), x, keep_dims(c.saved(1), shape, dims, keepdim),
                              p, dims)};
    });
    return out;
}

namespace {

/// The largest or smallest along `dim`; 0 where there is none.
Tensor bound(const Tensor& t, bool largest, std::int64_t dim, bool keepdim) {
    if (t.size(dim) == 0) return sum(t, dim, keepdim);
    return largest ? amax(t, dim, keepdim) : amin(t, dim, keepdim);
}
double order_of(const char* op, const Value& p) {
    REEL_CHECK(p.isScalar() && !p.isComplexDouble(), op, ": the order is ", p.repr(),
               "; expected a real number, 'fro' or 'nuc'");
    return p.toDouble();
}

} // namespace

/// Norm of order `ord` of the vectors along `dim` (all elements when absent): 0 counts, inf and -inf are extrema.
REEL_OP("linalg.vector_norm(Tensor input, Scalar ord=2, int[]? dim=None, bool keepdim=False, *, Dtype? dtype=None) "
        "-> Tensor",
        rule, out_exact)
Tensor linalg_vector_norm(const Tensor& x, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
    return vector_norm("linalg.vector_norm", x, ord.toDouble(), dim, keepdim, dtype);
}
/// Matrix norm over two dimensions: 'fro', 'nuc', 2 and -2 (singular values), 1 and -1 (columns), inf and -inf (rows).
REEL_OP("linalg.matrix_norm(Tensor input, Value ord='fro', int[] dim=[-2,-1], bool keepdim=False, *, Dtype? "
        "dtype=None) -> Tensor",
        rule, out_exact)
Tensor linalg_matrix_norm(const Tensor& A, const Value& ord, IntArrayRef dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
    REEL_CHECK(A.dim() >= 2, "linalg.matrix_norm: A has shape ", A.sizes(), "; expected at least two dimensions");
    REEL_CHECK(dim.size() == 2, "linalg.matrix_norm: dim is ", dim, "; expected two dimensions");
    const Dims d = wrap_dims("linalg.matrix_norm", dim, A.dim());
    const char* op = "linalg.matrix_norm";
    const bool text = ord.isString();
    const double p = text ? 0 : order_of(op, ord);
    REEL_CHECK(!text || ord.toStringRef() == "fro" || ord.toStringRef() == "nuc", op, ": ord is '", ord.toStringRef(),
               "'; expected 'fro', 'nuc' or a number");
    REEL_CHECK(text || std::abs(p) == 1 || std::abs(p) == 2 || std::abs(p) == infinity, op, ": ord is ", p,
               "; expected 1, 2 or inf, or the negative of one");
    if (text && ord.toStringRef() == "fro") return vector_norm(op, A, 2, IntArrayRef(d), keepdim, dtype);
    REEL_CHECK(isDifferentiableType(A.scalar_type()), op, ": A is ", dtype_name(A.scalar_type()),
               "; expected a floating or complex dtype");
    const Tensor x = dtype ? A.to(*dtype) : A;
    if (text || std::abs(p) == 2) {
        Dims order;
        for (std::int64_t i = 0; i < x.dim(); ++i)
            if (!contains(d, i)) order.push_back(i);
        order.push_back(d[0]);
        order.push_back(d[1]);
        const Tensor s = linalg_svdvals(permute(x, order), std::nullopt);
        const Tensor r = text ? sum(s, -1) : bound(s, p > 0, -1, false);
        return keepdim ? keep_dims(r, Dims(x.sizes()), d, false) : r;
    }
    // Sums over one dimension, the extremum over the other.
    const bool rows = std::abs(p) == infinity;
    const std::int64_t summed = rows ? d[1] : d[0];
    std::int64_t other = rows ? d[0] : d[1];
    const Tensor s = vector_norm(op, x, 1, summed, keepdim, std::nullopt);
    if (!keepdim && other > summed) --other;
    return bound(s, p > 0, other, keepdim);
}
/// Vector or matrix norm, by `ord` and the number of dimensions; without `ord` the 2-norm of all elements.
REEL_OP("linalg.norm(Tensor input, Value ord=None, int[]? dim=None, bool keepdim=False, *, Dtype? dtype=None) -> "
        "Tensor",
        rule, out_exact)
Tensor linalg_norm(const Tensor& A, const Value& ord, OptionalIntArrayRef dim, bool keepdim,
                   std::optional<ScalarType> dtype) {
    const char* op = "linalg.norm";
    REEL_CHECK(!dim || (*dim).size() == 1 || (*dim).size() == 2, op, ": dim is ", dim ? *dim : IntArrayRef(),
               "; expected one or two dimensions");
    if (ord.isNone()) return vector_norm(op, A, 2, dim, keepdim, dtype);
    REEL_CHECK(dim || A.dim() == 1 || A.dim() == 2, op, ": A has shape ", A.sizes(),
               "; without dim it must be a vector or a matrix when ord is given");
    const Dims d = dim ? wrap_dims(op, *dim, A.dim()) : all_dims(A);
    if (d.size() == 1) {
        REEL_CHECK(!ord.isString(), op, ": ord is ", ord.repr(), "; a vector norm needs a number");
        return vector_norm(op, A, order_of(op, ord), IntArrayRef(d), keepdim, dtype);
    }
    return linalg_matrix_norm(A, ord, d, keepdim, dtype);
}
/// p-norm over `dim` (all elements when absent); 'fro' is the 2-norm, 'nuc' the sum of singular values.
REEL_OP("norm(Tensor input, Value p='fro', int[]? dim=None, bool keepdim=False, Tensor? out=None, Dtype? dtype=None) "
        "-> Tensor",
        rule, method)
Tensor norm(const Tensor& input, const Value& p, OptionalIntArrayRef dim, bool keepdim,
            std::optional<ScalarType> dtype) {
    if (p.isString()) {
        REEL_CHECK(p.toStringRef() == "fro" || p.toStringRef() == "nuc", "norm: p is '", p.toStringRef(),
                   "'; expected a number, 'fro' or 'nuc'");
        if (p.toStringRef() == "nuc") {
            const Dims last{-2, -1};
            return linalg_matrix_norm(input, p, dim ? *dim : IntArrayRef(last), keepdim, dtype);
        }
        return vector_norm("norm", input, 2, dim, keepdim, dtype);
    }
    return vector_norm("norm", input, p.isNone() ? 2 : order_of("norm", p), dim, keepdim, dtype);
}
/// p-norm of input - other
REEL_OP("dist(Tensor input, Tensor other, Scalar p=2) -> Tensor", rule, method)
Tensor dist(const Tensor& input, const Tensor& other, const Scalar& p) {
    return vector_norm("dist", input - other, p.toDouble(), std::nullopt, false, std::nullopt);
}
/// Distances between all pairs of rows i < j of [N, M], in one vector.
REEL_OP("nn.functional.pdist(Tensor input, float p=2.0) -> Tensor", rule, alias("pdist"))
Tensor pdist(const Tensor& input, double p) {
    REEL_CHECK(input.dim() == 2 && input.is_floating_point(), "pdist: input is ", dtype_name(input.scalar_type()),
               " of shape ", input.sizes(), "; expected a floating matrix");
    REEL_CHECK(p >= 0, "pdist: p is ", p, "; expected a value of at least 0");
    const std::int64_t n = input.size(0), pairs = checked_mul("pdist", "the number of pairs", n, n - 1) / 2;
    check_sizes("pdist", {pairs, std::max<std::int64_t>(input.size(1), 1)}, kLong);
    std::vector<std::int64_t> rows, others;
    checked_reserve("pdist", "the pairs", rows, pairs);
    checked_reserve("pdist", "the pairs", others, pairs);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = i + 1; j < n; ++j) {
            rows.push_back(i);
            others.push_back(j);
        }
    const Tensor first = tensor_of(rows).to(input.device()), second = tensor_of(others).to(input.device());
    return vector_norm("pdist", index_select(input, 0, first) - index_select(input, 0, second), p, -1, false,
                       std::nullopt);
}
/// p-norm of x1 - x2 + eps along the last dimension
REEL_OP(
    "nn.functional.pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False) -> Tensor",
    rule, alias("pairwise_distance"))
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
    return vector_norm("pairwise_distance", x1 - x2 + eps, p, -1, keepdim, std::nullopt);
}
/// Cosine of the angle between the vectors along `dim`; norms below `eps` count as `eps`.
REEL_OP("nn.functional.cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", rule,
        alias("cosine_similarity"))
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, std::int64_t dim, double eps) {
    const ScalarType t = promote_types(x1.scalar_type(), x2.scalar_type());
    REEL_CHECK(isFloatingType(t), "cosine_similarity: x1 is ", dtype_name(x1.scalar_type()), " and x2 is ",
               dtype_name(x2.scalar_type()), "; expected floating dtypes");
    const ScalarType wide = wide_type(t);
    const std::vector<Tensor> x = broadcast_tensors({x1.to(wide), x2.to(wide)});
    const std::int64_t d = wrap_dim("cosine_similarity", dim, x[0].dim());
    const auto unit = [&](const Tensor& v) {
        const Tensor n = vector_norm("cosine_similarity", v, 2, d, true, std::nullopt);
        // The lower bound does not take part in the gradient.
        const Tensor lift = clamp_min(n.detach(), eps) - n.detach();
        return v / (n + lift);
    };
    const Tensor r = sum(unit(x[0]) * unit(x[1]), d);
    return wide == t ? r : r.to(t);
}
/// input / max(its p-norm along `dim`, eps)
REEL_OP("nn.functional.normalize(Tensor input, float p=2.0, int[] dim=1, float eps=1e-12, Tensor? out=None) -> Tensor",
        rule)
Tensor normalize(const Tensor& input, double p, IntArrayRef dim, double eps) {
    return input / clamp_min(vector_norm("normalize", input, p, dim, true, std::nullopt), eps);
}
/// Slices along `dim` whose p-norm exceeds `maxnorm` are scaled down to it.
REEL_OP("renorm(Tensor input, Scalar p, int dim, Scalar maxnorm) -> Tensor", rule, method, out_exact, inplace)
Tensor renorm(const Tensor& input, const Scalar& p, std::int64_t dim, const Scalar& maxnorm) {
    REEL_CHECK(input.dim() > 1, "renorm: input has shape ", input.sizes(), "; expected at least two dimensions");
    REEL_CHECK(!p.isComplex() && p.toDouble() > 0, "renorm: p is ", p, "; expected a positive number");
    REEL_CHECK(!maxnorm.isComplex() && maxnorm.toDouble() >= 0, "renorm: maxnorm is ", maxnorm,
               "; expected a number of at least 0");
    const std::int64_t d = wrap_dim("renorm", dim, input.dim());
    Dims dims;
    for (std::int64_t i = 0; i < input.dim(); ++i)
        if (i != d) dims.push_back(i);
    const ScalarType wide = wide_type(input.scalar_type());
    const Tensor n = vector_norm("renorm", wide == input.scalar_type() ? input : input.to(wide), p.toDouble(),
                                 IntArrayRef(dims), true, std::nullopt);
    const Tensor factor = where(n > maxnorm, maxnorm.toDouble() / (n + 1e-7), Scalar(1.0));
    return (wide == input.scalar_type() ? input : input.to(wide)).mul(factor).to(input.scalar_type());
}

} // namespace reel
