// What ops on matrices share: batches of column-major matrices, checks, small tensor helpers.
#pragma once

#include <functional>

#include <reel/autograd/kernels/linalg.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel::matrices {

using namespace reel::detail;
using autograd::GradList;
using autograd::record;
using autograd::RuleContext;

/// A fresh column-major copy of a batch of matrices [..., m, n].
struct Batch {
    Tensor data; ///< dense [..., n, m]: each matrix stands in memory column by column
    std::int64_t m, n, count;
    explicit Batch(const Tensor& t);
    /// Uninitialised matrices [batch..., m, n].
    Batch(IntArrayRef batch, std::int64_t m, std::int64_t n, ScalarType dtype, Device device);
    /// The matrices as a tensor [..., m, n] on the same memory.
    Tensor matrices() const;
};

/// Sizes without the last `drop` dims.
Dims batch_sizes(const Tensor& t, std::int64_t drop = 2);
Dims with(const Dims& batch, std::initializer_list<std::int64_t> more);
/// Broadcasts the batch dims (all but the last two) of both operands.
std::pair<Tensor, Tensor> broadcast_batches(const char* op, const Tensor& a, const Tensor& b);
/// Throws unless `a` is a batch of (square) matrices of float32, float64, complex64 or complex128.
void check_matrices(const char* op, const char* name, const Tensor& a, bool square);
void check_same_dtype(const char* op, const Tensor& a, const Tensor& b);
/// Throws unless `pivots` are as many exchanges as factors `lu` have, each with a row that there is.
void check_pivots(const char* op, const char* name, const Tensor& lu, const Tensor& pivots);
/// The conjugate transpose of the last two dims.
Tensor adjoint_of(const Tensor& t);
Tensor identity_like(const Tensor& a);
/// Gradient of `a` from the gradient `g` of its pseudo-inverse `p`. Differentiable. `cuts`: singular values that are
/// more than rounding may count as zero in `p`.
Tensor pinv_gradient(const Tensor& a, const Tensor& p, const Tensor& g, bool cuts);
/// The gradient of det(A) where A may be singular, of any rank: conj of the cofactors. Differentiable.
Tensor conj_cofactors(const Tensor& a);

/// The gradient of an op by way of the same function made of tensor ops: `again` is run on what the rule saved (operand
/// i is saved i, for the first `n`) and differentiated, further orders included. `again` returns one tensor per output.
GradList gradient_of(RuleContext& c, std::size_t n, const std::function<std::vector<Tensor>(const TensorList&)>& again);
/// What LAPACK computes for given pivots, made of tensor ops.
Tensor ldl_factor_again(const Tensor& a, const Tensor& pivots, bool hermitian);
Tensor ldl_solve_again(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian);

/// LinAlgError for the first matrix of a batch whose factorization failed.
void check_infos(const char* op, const Tensor& info, const char* meaning);

} // namespace reel::matrices
