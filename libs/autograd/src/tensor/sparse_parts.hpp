// The inside of sparse tensors: what their storage owns, and how ops work on the values alone.
#pragma once

#include <reel/autograd/sparse.hpp>

namespace reel::detail {

/// A sparse tensor's storage owns these, so aliases of it share them and an in-place write shows in all.
struct SparseParts {
    Tensor indices; ///< [sparse_dim, nnz], int64
    Tensor values;  ///< [nnz, ...dense dimensions], without history: that is the sparse tensor's own
    bool coalesced = false;
};

/// Of a sparse tensor; Error naming `op` for a strided one.
SparseParts& sparse_parts(const char* op, const Tensor& t);
/// A sparse tensor without history.
Tensor sparse_raw(IntArrayRef sizes, SparseParts parts);
/// The same indices, other values, of which the gradient goes on: `values` are those of `t`, put through ops.
Tensor with_values(const Tensor& t, const Tensor& values, bool coalesced);
/// The values of `t` as they are, with history.
Tensor recorded_values(const char* op, const Tensor& t);
/// One index tensor for each sparse dimension, as `index` takes them.
std::vector<Tensor> places(const Tensor& indices);

// Ops of which an operand is sparse. Error, naming `op`, where the result would be neither sparse nor dense.
/// a + alpha b: sparse if both are, else dense.
Tensor add_sparse(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha);
/// Adds alpha b, which is sparse, into `a`, which is strided.
void add_sparse_into(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha);
/// Sparse times a number, a 0-dim tensor, or a tensor of the same shape: sparse.
Tensor mul_sparse(const Tensor& a, const Tensor& b);
/// Sparse over a number or a 0-dim tensor: sparse.
Tensor div_sparse(const Tensor& a, const Tensor& b);
/// Writes `result`, of an op on it, into the sparse `self`, without recording.
void write_sparse(const char* op, const Tensor& self, const Tensor& result);
/// Is it, or is `b`, sparse?
inline bool any_sparse(const Tensor& a, const Tensor& b) { return a.is_sparse() || b.is_sparse(); }

/// NotImplementedError naming the op that was called, for one that reads elements where they lie.
[[noreturn]] void throw_sparse(const TensorImpl& t);
/// The outermost op of this library on the stack; empty where there is none.
std::string op_called();

} // namespace reel::detail
