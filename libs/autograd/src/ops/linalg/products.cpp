// Products of vectors, tensors and chains of matrices, by way of the matrix product.
#include <limits>

#include <reel/autograd/kernels/cross.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/products.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/record.hpp>

#include "ops/reduce/reduction.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

/// sum(conj(input) other) of two vectors
REEL_OP("vdot(Tensor input, Tensor other) -> Tensor", composite, method, out_exact)
Tensor vdot(const Tensor& input, const Tensor& other) {
    REEL_CHECK(input.dim() == 1 && other.dim() == 1 && input.size(0) == other.size(0),
               "vdot: expected two vectors of one length, got shapes ", input.sizes(), " and ", other.sizes());
    REEL_CHECK(input.scalar_type() == other.scalar_type(), "vdot: input is ", dtype_name(input.scalar_type()),
               " and other is ", dtype_name(other.scalar_type()), "; both must have one dtype");
    return dot(conj(input), other);
}
/// Every product of an element of `input` and one of `vec2`: [n, m].
REEL_OP("outer(Tensor input, Tensor vec2) -> Tensor", composite, method, out, alias("ger"))
Tensor outer(const Tensor& input, const Tensor& vec2) {
    REEL_CHECK(input.dim() == 1 && vec2.dim() == 1, "outer: expected two vectors, got shapes ", input.sizes(), " and ",
               vec2.sizes());
    return unsqueeze(input, 1) * vec2;
}

namespace {

Tensor tensordot_over(const Tensor& a, const Tensor& b, IntArrayRef dims_a, IntArrayRef dims_b) {
    REEL_CHECK(dims_a.size() == dims_b.size(), "tensordot: dims name ", dims_a.size(), " dimensions of input and ",
               dims_b.size(), " of other; expected equally many");
    REEL_CHECK(a.scalar_type() == b.scalar_type(), "tensordot: input is ", dtype_name(a.scalar_type()),
               " and other is ", dtype_name(b.scalar_type()), "; both must have one dtype");
    const Dims da = wrap_dims("tensordot", dims_a, a.dim()), db = wrap_dims("tensordot", dims_b, b.dim());
    Tensor x = a, y = b;
    std::int64_t inner = 1;
    for (std::size_t i = 0; i < da.size(); ++i) {
        const std::int64_t sa = x.size(da[i]), sb = y.size(db[i]);
        REEL_CHECK(sa == sb || sa == 1 || sb == 1, "tensordot: dimension ", da[i], " of input ", a.sizes(),
                   " meets dimension ", db[i], " of other ", b.sizes(), "; their sizes must agree");
        // A dimension of size one meets the sum over the other's.
        if (sa == 1 && sb != 1) y = sum(y, db[i], true, y.scalar_type());
        else if (sb == 1 && sa != 1) x = sum(x, da[i], true, x.scalar_type());
        else inner *= sa;
    }
    Dims order_a, order_b, sizes;
    std::int64_t rows = 1, columns = 1;
    for (std::int64_t i = 0; i < x.dim(); ++i)
        if (!contains(da, i)) {
            order_a.push_back(i);
            sizes.push_back(x.size(i));
            rows *= x.size(i);
        }
    for (const std::int64_t d : da) order_a.push_back(d);
    for (const std::int64_t d : db) order_b.push_back(d);
    for (std::int64_t i = 0; i < y.dim(); ++i)
        if (!contains(db, i)) {
            order_b.push_back(i);
            sizes.push_back(y.size(i));
            columns *= y.size(i);
        }
    return reshape(mm(reshape(permute(x, order_a), {rows, inner}), reshape(permute(y, order_b), {inner, columns})),
                   sizes);
}

} // namespace

/// Sums of products over the named dimensions (a pair of lists), or over the last `dims` of a and the first of b.
REEL_OP("tensordot(Tensor a, Tensor b, Value dims=2, Tensor? out=None) -> Tensor", composite)
Tensor tensordot(const Tensor& a, const Tensor& b, const Value& dims) {
    if (dims.isSequence()) {
        REEL_CHECK(dims.elements().size() == 2, "tensordot: dims is ", dims.repr(),
                   "; expected two lists of dimensions or one number");
        const auto list = [](const Value& v) {
            return v.isSequence() ? v.toIntVector() : std::vector<std::int64_t>{v.toInt()};
        };
        return tensordot_over(a, b, list(dims.elements()[0]), list(dims.elements()[1]));
    }
    if (dims.isTensor()) {
        const Tensor t = dims.toTensor().to(kLong);
        REEL_CHECK(t.dim() == 2 && t.size(0) == 2, "tensordot: dims has shape ", t.sizes(), "; expected [2, n]");
        const HostValues<std::int64_t> p(t, "tensordot");
        const std::size_t n = std::size_t(t.size(1));
        return tensordot_over(a, b, IntArrayRef(p.begin(), n), IntArrayRef(p.begin() + n, n));
    }
    const std::int64_t n = dims.toInt();
    REEL_CHECK(n >= 0 && n <= a.dim() && n <= b.dim(), "tensordot: dims is ", n, "; operands have shapes ", a.sizes(),
               " and ", b.sizes());
    Dims da, db;
    for (std::int64_t i = 0; i < n; ++i) {
        da.push_back(a.dim() - n + i);
        db.push_back(i);
    }
    return tensordot_over(a, b, da, db);
}
REEL_OP("tensordot(Tensor input, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", composite,
        samples(call(numbers({4, 3}), numbers({3, 2}), ints({1}), ints({0}))))
Tensor tensordot(const Tensor& input, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other) {
    return tensordot_over(input, other, dims_self, dims_other);
}
/// Sum of products over the last dimension of both; a plain product when one is 0-dimensional.
REEL_OP("inner(Tensor input, Tensor other) -> Tensor", composite, method, out_exact)
Tensor inner(const Tensor& input, const Tensor& other) {
    REEL_CHECK(input.scalar_type() == other.scalar_type(), "inner: input is ", dtype_name(input.scalar_type()),
               " and other is ", dtype_name(other.scalar_type()), "; both must have one dtype");
    if (input.dim() == 0 || other.dim() == 0) return input * other;
    REEL_CHECK(input.size(-1) == other.size(-1), "inner: the last dimensions of input ", input.sizes(), " and other ",
               other.sizes(), " must have one size");
    return tensordot_over(input, other, {-1}, {-1});
}
/// sum(conj(x) y) along `dim`, broadcasting
REEL_OP("linalg.vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", composite, out_exact)
Tensor linalg_vecdot(const Tensor& x, const Tensor& y, std::int64_t dim) {
    REEL_CHECK(isDifferentiableType(x.scalar_type()) && x.scalar_type() == y.scalar_type(), "linalg.vecdot: x is ",
               dtype_name(x.scalar_type()), " and y is ", dtype_name(y.scalar_type()),
               "; expected one floating or complex dtype");
    const ScalarType wide = wide_type(x.scalar_type());
    const Tensor r = sum(conj(x).to(wide) * y.to(wide), dim);
    return wide == x.scalar_type() ? r : r.to(x.scalar_type());
}

namespace {
/// By the kernel, of operands of one shape; recorded.  ga = b x g, gb = g x a
Tensor cross_of(const char* op, const Tensor& a, const Tensor& b, std::int64_t d) {
    std::int64_t inner = 1;
    for (std::int64_t i = d + 1; i < a.dim(); ++i) inner *= a.size(i);
    const Tensor out = detail::empty_raw(a.sizes(), a);
    if (out.numel() > 0) kernels::cross(op, out, detail::contiguous_raw(a), detail::contiguous_raw(b), inner);
    record(op, {a, b}, out, {a, b}, [op, d](RuleContext& c) -> GradList {
        GradList r(2, Tensor());
        if (c.needs(0)) r[0] = cross_of(op, conj(c.saved(1)), c.grad(), d);
        if (c.needs(1)) r[1] = cross_of(op, c.grad(), conj(c.saved(0)), d);
        return r;
    });
    return out;
}
Tensor cross_along(const char* op, const Tensor& input, const Tensor& other, std::int64_t d) {
    REEL_CHECK(input.scalar_type() == other.scalar_type(), op, ": input is ", dtype_name(input.scalar_type()),
               " and other is ", dtype_name(other.scalar_type()), "; both must have one dtype");
    REEL_CHECK(input.size(d) == 3 && other.size(d) == 3, op, ": dimension ", d,
               " must have size 3; the operands have shapes ", input.sizes(), " and ", other.sizes());
    if (kernels::cross.has(input.device().type()) && input.scalar_type() != kBool) {
        const Dims sizes = broadcast_shapes(op, input.sizes(), other.sizes());
        return cross_of(op, expand(input, sizes), expand(other, sizes), d);
    }
    const auto turned = [d](const Tensor& t, std::int64_t by) {
        return cat({narrow(t, d, by, 3 - by), narrow(t, d, 0, by)}, d);
    };
    return turned(input, 1) * turned(other, 2) - turned(input, 2) * turned(other, 1);
}
} // namespace

/// Vector product along a dimension of size 3, the last or `dim`; the operands broadcast.
REEL_OP("linalg.cross(Tensor input, Tensor other, *, int dim=-1) -> Tensor", rule, out_exact)
Tensor linalg_cross(const Tensor& input, const Tensor& other, std::int64_t dim) {
    REEL_CHECK(input.dim() == other.dim(), "linalg.cross: operands have shapes ", input.sizes(), " and ", other.sizes(),
               "; expected as many dimensions");
    return cross_along("linalg.cross", input, other, wrap_dim("linalg.cross", dim, input.dim()));
}
/// The same along `dim`, or the first dimension of size 3.
REEL_OP("cross(Tensor input, Tensor other, int? dim=None) -> Tensor", rule, method, out_exact)
Tensor cross(const Tensor& input, const Tensor& other, std::optional<std::int64_t> dim) {
    REEL_CHECK(input.dim() == other.dim(), "cross: operands have shapes ", input.sizes(), " and ", other.sizes(),
               "; expected as many dimensions");
    std::int64_t d = 0;
    if (dim) d = wrap_dim("cross", *dim, input.dim());
    else
        while (d < input.dim() && input.size(d) != 3) ++d;
    REEL_CHECK(d < input.dim(), "cross: input ", input.sizes(), " has no dimension of size 3");
    return cross_along("cross", input, other, d);
}

/// out[n, o] = sum over i, j of x1[n, i] weight[o, i, j] x2[n, j], plus bias
REEL_OP("nn.functional.bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", composite)
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
    REEL_CHECK(input1.dim() > 0 && input1.dim() == input2.dim(), "bilinear: inputs have shapes ", input1.sizes(),
               " and ", input2.sizes(), "; expected as many dimensions, at least one");
    for (std::int64_t i = 0; i + 1 < input1.dim(); ++i)
        REEL_CHECK(input1.size(i) == input2.size(i), "bilinear: inputs have shapes ", input1.sizes(), " and ",
                   input2.sizes(), "; they may differ in the last dimension only");
    REEL_CHECK(weight.dim() == 3 && input1.size(-1) == weight.size(1) && input2.size(-1) == weight.size(2),
               "bilinear: weight has shape ", weight.sizes(), "; expected [out, ", input1.size(-1), ", ",
               input2.size(-1), "]");
    const std::int64_t o = weight.size(0), i = weight.size(1), j = weight.size(2);
    REEL_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == o), "bilinear: bias has shape ",
               bias.defined() ? bias.sizes() : IntArrayRef(), "; expected [", o, "]");
    std::int64_t n = 1;
    Dims sizes(input1.sizes());
    sizes.pop_back();
    for (const std::int64_t s : sizes) n *= s;
    sizes.push_back(o);
    const Tensor half = mm(reshape(input1, {n, i}), reshape(permute(weight, {1, 0, 2}), {i, o * j}));
    const Tensor y = reshape(bmm(reshape(half, {n, o, j}), reshape(input2, {n, j, 1})), sizes);
    return bias.defined() ? y + bias : y;
}

namespace {

/// Cheapest order to multiply a chain, then the product.
Tensor chain(const std::vector<Tensor>& m) {
    const std::size_t n = m.size();
    if (n == 1) return m[0];
    if (n == 2) return mm(m[0], m[1]);
    std::vector<double> size(n + 1);
    for (std::size_t i = 0; i < n; ++i) size[i] = double(m[i].size(0));
    size[n] = double(m[n - 1].size(1));
    std::vector<std::vector<double>> cost(n, std::vector<double>(n));
    std::vector<std::vector<std::size_t>> cut(n, std::vector<std::size_t>(n));
    for (std::size_t length = 1; length < n; ++length)
        for (std::size_t i = 0; i + length < n; ++i) {
            const std::size_t j = i + length;
            cost[i][j] = std::numeric_limits<double>::infinity();
            for (std::size_t k = i; k < j; ++k) {
                const double c = cost[i][k] + cost[k + 1][j] + size[i] * size[k + 1] * size[j + 1];
                if (c < cost[i][j]) {
                    cost[i][j] = c;
                    cut[i][j] = k;
                }
            }
        }
    const auto product = [&](auto&& self, std::size_t i, std::size_t j) -> Tensor {
        if (i == j) return m[i];
        return mm(self(self, i, cut[i][j]), self(self, cut[i][j] + 1, j));
    };
    return product(product, 0, n - 1);
}

} // namespace

/// Product of two or more matrices in the cheapest order; the first and the last may be vectors.
REEL_OP("linalg.multi_dot(Tensor[] tensors) -> Tensor", composite, out_exact)
Tensor linalg_multi_dot(TensorList tensors) {
    REEL_CHECK(tensors.size() >= 2, "linalg.multi_dot: got ", tensors.size(), " tensors; expected at least two");
    std::vector<Tensor> m(tensors.begin(), tensors.end());
    Dims sizes;
    for (std::size_t i = 0; i < m.size(); ++i) {
        const bool end = i == 0 || i + 1 == m.size();
        REEL_CHECK(m[i].dim() == 2 || (end && m[i].dim() == 1), "linalg.multi_dot: tensor ", i, " has shape ",
                   m[i].sizes(), "; expected a matrix", end ? " or a vector" : "");
        REEL_CHECK(m[i].scalar_type() == m[0].scalar_type(), "linalg.multi_dot: tensor ", i, " is ",
                   dtype_name(m[i].scalar_type()), ", the first is ", dtype_name(m[0].scalar_type()),
                   "; all must have one dtype");
    }
    const bool row = m.front().dim() == 1, column = m.back().dim() == 1;
    if (row) m.front() = unsqueeze(m.front(), 0);
    if (column) m.back() = unsqueeze(m.back(), 1);
    for (std::size_t i = 0; i + 1 < m.size(); ++i)
        REEL_CHECK(m[i].size(1) == m[i + 1].size(0), "linalg.multi_dot: tensors ", i, " and ", i + 1, " have shapes ",
                   m[i].sizes(), " and ", m[i + 1].sizes(), ", which do not multiply");
    if (!row) sizes.push_back(m.front().size(0));
    if (!column) sizes.push_back(m.back().size(1));
    return reshape(chain(m), sizes);
}
REEL_OP("chain_matmul(Tensor[] matrices) -> Tensor", composite, out,
        samples(call(tensors({numbers({3, 3}), numbers({3, 4}), numbers({4, 2})})),
                call(tensors({numbers({3, 3}, kComplexDouble), numbers({3, 4}, kComplexDouble),
                              numbers({4, 2}, kComplexDouble)}))))
Tensor chain_matmul(TensorList matrices) {
    REEL_CHECK(!matrices.empty(), "chain_matmul: expected at least one matrix");
    for (const Tensor& t : matrices)
        REEL_CHECK(t.dim() == 2, "chain_matmul: got a tensor of shape ", t.sizes(), "; expected matrices");
    return matrices.size() == 1 ? matrices[0] : linalg_multi_dot(matrices);
}

} // namespace reel
