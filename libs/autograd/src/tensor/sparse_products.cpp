// Products of a sparse matrix and a strided one, composed of ops over the values.
#include "tensor/sparse_products.hpp"

#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "tensor/raw.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel::detail {

namespace {
/// The sum over entries e of `terms[e]`, which goes to row `rows[e]` of `n`.
Tensor added_to_rows(std::int64_t n, const Tensor& rows, const Tensor& terms) {
    return terms.new_zeros({n, terms.size(1)}).index_add(0, rows, terms);
}
/// A matrix of entries `values[e]` at `(rows[e], columns[e])`, with `n` rows, times `dense`.
Tensor entries_times(std::int64_t n, const Tensor& rows, const Tensor& columns, const Tensor& values,
                     const Tensor& dense) {
    return added_to_rows(n, rows, reel::unsqueeze(values, 1) * dense.index_select(0, columns));
}
} // namespace

Tensor mm_sparse(const char* op, const Tensor& a, const Tensor& b) {
    REEL_CHECK_NOT_IMPLEMENTED(!a.is_sparse() || !b.is_sparse(), op, ": both operands are sparse, of shapes ",
                               a.sizes(), " and ", b.sizes(), "; expected a strided one: use .to_dense() of either");
    const Tensor& sparse = a.is_sparse() ? a : b;
    const Tensor values = recorded_values(op, sparse), &indices = sparse_parts(op, sparse).indices;
    const Tensor rows = select_raw(indices, 0, 0);
    if (sparse.sparse_dim() == 1) // whole rows
        return a.is_sparse() ? added_to_rows(a.size(0), rows, reel::mm(values, b))
                             : reel::mm(a.index_select(1, rows), values);
    const Tensor columns = select_raw(indices, 0, 1);
    if (a.is_sparse()) return entries_times(a.size(0), rows, columns, values, b);
    return reel::t(entries_times(b.size(1), columns, rows, values, reel::t(a))); // (b^T a^T)^T
}

} // namespace reel::detail
