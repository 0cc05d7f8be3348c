// Sparse tensors: making them, their parts, their dense form.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/index/index.hpp>
#include <reel/autograd/ops/index/unique.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/sparse.hpp>

#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/autograd/type_promotion.hpp>

#include "tensor/raw.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace detail {

SparseParts& sparse_parts(const char* op, const Tensor& t) {
    REEL_CHECK(t.is_sparse(), op, ": expected a sparse tensor, got a strided one of shape ", t.sizes(),
               "; to_sparse() makes one");
    return *static_cast<SparseParts*>(t.storage()->data());
}

Tensor sparse_raw(IntArrayRef sizes, SparseParts parts) {
    const Device device = parts.values.device();
    const ScalarType dtype = parts.values.scalar_type();
    const StoragePtr storage = Storage::wrap(
        new SparseParts(std::move(parts)), 0, device,
        [](void* p, std::size_t, void*) { delete static_cast<SparseParts*>(p); }, nullptr);
    TensorImplPtr impl(new TensorImpl(storage, dtype, device));
    impl->is_inference = thread_modes.inference;
    impl->set_sparse(sizes);
    return Tensor(std::move(impl));
}

std::vector<Tensor> places(const Tensor& indices) {
    std::vector<Tensor> r;
    for (std::int64_t d = 0; d < indices.size(0); ++d) r.push_back(select_raw(indices, 0, d));
    return r;
}

namespace {
/// `values` at `indices`, which lie within `sizes`.
Tensor make(IntArrayRef sizes, const Tensor& indices, const Tensor& values, bool coalesced) {
    const Tensor out = sparse_raw(sizes, {indices, alias_raw(values), coalesced});
    record("sparse_coo_tensor", {values}, out, {indices},
           [](RuleContext& c) -> GradList { return {reel::index_op(c.grad().to_dense(), places(c.saved(0)))}; });
    return out;
}
} // namespace

Tensor with_values(const Tensor& t, const Tensor& values, bool coalesced) {
    return make(t.sizes(), sparse_parts("sparse", t).indices, values, coalesced);
}

namespace {
/// The number of each place, counted row by row.
Tensor place_numbers(const Tensor& indices, IntArrayRef sizes) {
    Tensor n = select_raw(indices, 0, 0);
    for (std::int64_t d = 1; d < indices.size(0); ++d) n = n * sizes[std::size_t(d)] + select_raw(indices, 0, d);
    return n;
}
/// Each value's gradient is that of its place. A sparse gradient adds up what it has in one place, so those of values
/// that share one are shares.
Tensor shares(const Tensor& g, const Tensor& indices, IntArrayRef sizes) {
    const auto [numbers, inverse, counts] = reel::unique(place_numbers(indices, sizes), true, true, true);
    Dims column(std::size_t(g.dim()), 1);
    column[0] = g.size(0);
    return g / counts.index_select(0, inverse).reshape(column).to(g.scalar_type());
}
} // namespace

Tensor recorded_values(const char* op, const Tensor& t) {
    const SparseParts& p = sparse_parts(op, t);
    const Tensor out = alias_raw(p.values);
    record("values", {t}, out, {p.indices},
           [sizes = Dims(t.sizes()), coalesced = p.coalesced](RuleContext& c) -> GradList {
               const Tensor indices = c.saved(0);
               return {make(sizes, indices, coalesced ? c.grad() : shares(c.grad(), indices, sizes), coalesced)};
           });
    return out;
}

void throw_sparse(const TensorImpl& t) {
    const std::string op = op_called();
    REEL_THROW(NotImplementedError, op, op.empty() ? "" : ": ", "a sparse tensor of shape ", t.sizes(),
               " was given where elements are read one behind the other; expected a strided one: use .to_dense(), or "
               "work on .coalesce().values()");
}

} // namespace detail

namespace {

/// How many places the sparse dimensions have.
std::int64_t places_of(IntArrayRef sizes, std::int64_t sparse_dim) {
    std::int64_t n = 1;
    for (std::int64_t d = 0; d < sparse_dim; ++d) n *= sizes[std::size_t(d)];
    return n;
}
Tensor places_numbered(Tensor n, IntArrayRef sizes, std::int64_t sparse_dim) {
    const Tensor indices = empty_raw({sparse_dim, n.numel()}, kLong, n.device());
    for (std::int64_t d = sparse_dim; d-- > 0;) {
        const std::int64_t size = std::max<std::int64_t>(sizes[std::size_t(d)], 1);
        assign_raw(select_raw(indices, 0, d), d == 0 ? n : n.remainder(size));
        if (d > 0) n = n.floor_divide(size);
    }
    return indices;
}

void check_parts(const Tensor& indices, const Tensor& values) {
    const char* const op = "sparse_coo_tensor";
    REEL_CHECK(isIntegralType(indices.scalar_type()), op, ": indices are ", dtype_name(indices.scalar_type()),
               "; expected integers");
    REEL_CHECK(indices.dim() == 2 && indices.size(0) > 0, op, ": indices have shape ", indices.sizes(),
               "; expected [sparse_dim, nnz] with at least one sparse dimension");
    REEL_CHECK(values.dim() >= 1 && values.size(0) == indices.size(1), op, ": values have shape ", values.sizes(),
               "; expected ", indices.size(1), " of them along the first dimension, one for each column of indices");
    REEL_CHECK(indices.device() == values.device(), op, ": indices live on ", indices.device(), ", values on ",
               values.device(), "; move one of them with to()");
}
void check_places(const Tensor& indices, IntArrayRef size) {
    if (indices.numel() == 0 || indices.is_meta()) return;
    for (std::int64_t d = 0; d < indices.size(0); ++d) {
        const Tensor at = select_raw(indices, 0, d);
        const std::int64_t low = at.min().item<std::int64_t>(), high = at.max().item<std::int64_t>();
        REEL_CHECK_INDEX(low >= 0 && high < size[std::size_t(d)], "sparse_coo_tensor: index ", low < 0 ? low : high,
                         " is out of range for sparse dimension ", d, " of size ", size[std::size_t(d)]);
    }
}

} // namespace

Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values, IntArrayRef size, const TensorOptions& options,
                         std::optional<bool> is_coalesced) {
    check_parts(indices, values);
    const std::int64_t sparse = indices.size(0), dense = values.dim() - 1;
    REEL_CHECK(std::int64_t(size.size()) == sparse + dense, "sparse_coo_tensor: size ", size, " has ", size.size(),
               " dimensions; expected ", sparse, " sparse ones (rows of indices) and ", dense,
               " dense ones (dimensions of values behind the first)");
    for (std::int64_t d = 0; d < dense; ++d)
        REEL_CHECK(size[std::size_t(sparse + d)] == values.size(d + 1), "sparse_coo_tensor: values have shape ",
                   values.sizes(), ", which is not that of the dense dimensions of size ", size);
    check_places(indices, size);
    const ScalarType dtype = options.has_dtype() ? options.dtype().toScalarType() : values.scalar_type();
    const Device device = options.has_device() ? options.device() : values.device();
    const bool wants_grad = options.requires_grad();
    const Tensor out =
        make(size, indices.detach().to(device, kLong),
             wants_grad ? values.detach().to(device, dtype) : values.to(device, dtype), is_coalesced.value_or(false));
    return wants_grad ? out.requires_grad_() : out;
}
Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values, const TensorOptions& options,
                         std::optional<bool> is_coalesced) {
    check_parts(indices, values);
    Dims size;
    for (std::int64_t d = 0; d < indices.size(0); ++d)
        size.push_back(indices.size(1) == 0 ? 0 : select_raw(indices, 0, d).max().item<std::int64_t>() + 1);
    for (std::int64_t d = 1; d < values.dim(); ++d) size.push_back(values.size(d));
    return sparse_coo_tensor(indices, values, size, options, is_coalesced);
}
Tensor sparse_coo_tensor(IntArrayRef size, const TensorOptions& options) {
    REEL_CHECK(!size.empty(), "sparse_coo_tensor: size has no dimensions; expected at least a sparse one");
    const TensorOptions like = TensorOptions(options.dtype()).device(options.device());
    return sparse_coo_tensor(reel::zeros({std::int64_t(size.size()), 0}, like.dtype(kLong)), reel::zeros({0}, like),
                             size, options, true);
}

namespace {
/// What `out`, which holds the elements of `t` in another form, gets back goes to `t` as it comes.
Tensor same_elements(const char* op, const Tensor& t, const Tensor& out) {
    record(op, {t}, out, {}, [](RuleContext& c) -> GradList { return {c.grad()}; });
    return out;
}
} // namespace

Tensor Tensor::to_dense(std::optional<ScalarType> dtype) const {
    if (!is_sparse()) return dtype ? to(*dtype) : *this;
    const SparseParts& p = sparse_parts("to_dense", *this);
    const Tensor out = zeros_raw(sizes(), p.values);
    if (p.values.numel() > 0) reel::index_put_(out, places(p.indices), p.values, /*accumulate=*/!p.coalesced);
    const Tensor dense = same_elements("to_dense", *this, out);
    return dtype ? dense.to(*dtype) : dense;
}

Tensor Tensor::to_sparse(std::optional<std::int64_t> sparse_dim) const {
    if (is_sparse()) return *this;
    const std::int64_t n = sparse_dim.value_or(dim());
    REEL_CHECK(n > 0 && n <= dim(), "to_sparse: sparse_dim is ", n, "; expected 1 to ", dim(),
               ", the number of dimensions of input");
    const Tensor own = alias_raw(*this);
    Tensor used = own.ne(0);
    if (n < dim()) used = used.flatten(n).any(n);
    const Tensor indices = used.nonzero().t().contiguous();
    const Tensor out = sparse_raw(sizes(), {indices, reel::index_op(own, places(indices)), true});
    record("to_sparse", {*this}, out, {}, [](RuleContext& c) -> GradList { return {c.grad().to_dense()}; });
    return out;
}

Tensor Tensor::coalesce() const {
    const SparseParts& p = sparse_parts("coalesce", *this);
    if (p.coalesced) return *this;
    const std::int64_t n = p.indices.size(0);
    const auto [numbers, inverse, counts] = reel::unique(detail::place_numbers(p.indices, sizes()), true, true);
    Dims value_sizes(p.values.sizes());
    value_sizes[0] = numbers.numel();
    const Tensor sums = zeros_raw(value_sizes, p.values);
    if (p.values.numel() > 0) reel::index_put_(sums, std::vector<Tensor>{inverse}, p.values, true);
    return same_elements("coalesce", *this, sparse_raw(sizes(), {places_numbered(numbers, sizes(), n), sums, true}));
}

bool Tensor::is_coalesced() const { return sparse_parts("is_coalesced", *this).coalesced; }
Tensor Tensor::_indices() const { return alias_raw(sparse_parts("_indices", *this).indices); }
Tensor Tensor::_values() const { return alias_raw(sparse_parts("_values", *this).values); }
Tensor Tensor::indices() const {
    REEL_CHECK(is_coalesced(), "indices: the sparse tensor is not coalesced; call coalesce() first, or _indices()");
    return _indices();
}
Tensor Tensor::values() const {
    REEL_CHECK(is_coalesced(), "values: the sparse tensor is not coalesced; call coalesce() first, or _values()");
    return recorded_values("values", *this);
}
std::int64_t Tensor::_nnz() const { return sparse_parts("_nnz", *this).values.size(0); }
std::int64_t Tensor::sparse_dim() const { return sparse_parts("sparse_dim", *this).indices.size(0); }
std::int64_t Tensor::dense_dim() const { return dim() - sparse_dim(); }

namespace detail {

namespace {
void check_same_shape(const char* op, const Tensor& a, const Tensor& b) {
    REEL_CHECK(a.sizes().equals(b.sizes()), op, ": operands have shapes ", a.sizes(), " and ", b.sizes(),
               "; expected the same one where an operand is sparse: to_dense() broadcasts");
}
Tensor times(const Tensor& values, const Scalar& alpha) {
    return alpha.isIntegral(true) && alpha.toLong() == 1 ? values : reel::mul(values, alpha);
}
bool is_number(const Tensor& t) { return !t.is_sparse() && t.dim() == 0; }
} // namespace

Tensor add_sparse(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha) {
    check_same_shape(op, a, b);
    const ScalarType t = result_type(a, b);
    if (!b.is_sparse()) { // sparse + dense
        return reel::index_put(times(b, alpha).to(t), places(a._indices()), recorded_values(op, a).to(t), true);
    }
    const Tensor added = times(recorded_values(op, b), alpha).to(t);
    if (!a.is_sparse()) return reel::index_put(a.to(t), places(b._indices()), added, true);
    const SparseParts &x = sparse_parts(op, a), &y = sparse_parts(op, b);
    REEL_CHECK(x.indices.size(0) == y.indices.size(0), op, ": the operands have ", x.indices.size(0), " and ",
               y.indices.size(0), " sparse dimensions; expected the same number");
    const Tensor sum = make(a.sizes(), reel::cat({x.indices, y.indices}, 1),
                            reel::cat({recorded_values(op, a).to(t), added}, 0), false);
    // More entries than places: sums of many would grow without end.
    return sum._nnz() > places_of(a.sizes(), x.indices.size(0)) ? sum.coalesce() : sum;
}

void add_sparse_into(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha) {
    check_same_shape(op, a, b);
    const ScalarType t = result_type(a, b);
    REEL_CHECK(can_cast(t, a.scalar_type()), op, ": the result is ", dtype_name(t),
               ", which cannot be written into input of dtype ", dtype_name(a.scalar_type()),
               "; use the out-of-place form");
    reel::index_put_(a, places(b._indices()), times(recorded_values(op, b), alpha).to(a.scalar_type()), true);
}

Tensor mul_sparse(const Tensor& a, const Tensor& b) {
    if (!a.is_sparse() || is_number(a)) return mul_sparse(b, a);
    if (is_number(b)) return with_values(a, reel::mul(recorded_values("mul", a), b), a.is_coalesced());
    check_same_shape("mul", a, b);
    const Tensor x = a.coalesce(), dense = b.to_dense();
    return with_values(x, x.values() * reel::index_op(dense, places(x._indices())), true);
}

Tensor div_sparse(const Tensor& a, const Tensor& b) {
    REEL_CHECK_NOT_IMPLEMENTED(a.is_sparse() && is_number(b), "div: a sparse tensor is divided by numbers alone, got ",
                               b.is_sparse() ? "a sparse divisor" : "a divisor", " of shape ", b.sizes(),
                               "; use .to_dense()");
    return with_values(a, reel::div(recorded_values("div", a), b), a.is_coalesced());
}

void write_sparse(const char* op, const Tensor& self, const Tensor& result) {
    REEL_CHECK(result.is_sparse() && self.is_sparse(), op, ": the result is ",
               result.is_sparse() ? "sparse and input strided" : "strided and input sparse",
               ", so it cannot be written into it; use the out-of-place form");
    SparseParts parts = sparse_parts(op, result);
    parts.values = cast_raw(parts.values, self.scalar_type()).to(self.device());
    parts.indices = parts.indices.to(self.device());
    sparse_parts(op, self) = std::move(parts);
}

} // namespace detail

} // namespace reel
