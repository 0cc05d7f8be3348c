// What ops on matrices share: batches of column-major matrices, checks, small tensor helpers.
#pragma once

#include <cmath>
#include <complex>
#include <functional>

#include <reel/autograd/host_data.hpp>

#include "cpu/lapack.hpp"
#include "ops/reduce/reduction.hpp"

namespace reel::matrices {

using namespace reel::detail;
using autograd::GradList;
using autograd::record;
using autograd::RuleContext;

/// A fresh column-major copy of a batch of matrices [..., m, n].
struct Batch {
    const char* op; ///< on behalf of which the host reads
    Tensor data;    ///< dense [..., n, m]: each matrix stands in memory column by column
    std::int64_t m, n, count;
    Batch(const char* op, const Tensor& t);
    /// Uninitialised matrices [batch..., m, n].
    Batch(const char* op, IntArrayRef batch, std::int64_t m, std::int64_t n, ScalarType dtype, Device device);
    template <class T> T* at(std::int64_t i) const { return static_cast<T*>(host_data(data, op)) + i * m * n; }
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

/// Calls `f.operator()<T>()` for the element type; LAPACK knows four.
template <class F> void dispatch_lapack(ScalarType t, const char* op, F&& f) {
    dispatch<Floats | Complexes>(t, op, std::forward<F>(f));
}
/// Runs `f(i)` for every matrix of a batch, over threads when there is enough work. Nothing on meta.
template <class F> void for_matrices(const Batch& batch, std::int64_t work, F&& f) {
    if (batch.data.is_meta()) return;
    parallel_for(0, batch.count, std::max<std::int64_t>(1, 50000 / std::max<std::int64_t>(work, 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     for (std::int64_t i = b; i < e; ++i) f(i);
                 });
}
/// The same where matrices without elements leave nothing to write: a batch may count 2^62 of those.
template <class F> void for_filled_matrices(const Batch& batch, std::int64_t work, F&& f) {
    if (batch.m > 0 && batch.n > 0) for_matrices(batch, work, std::forward<F>(f));
}
/// Which part of a matrix a factorization reads.
enum class Part { All, Lower, Upper };
/// LinAlgError when matrix `i` holds inf or NaN: LAPACK's iterations do not end on them, or write where they must not.
template <class T> void check_finite(const char* op, const Batch& batch, std::int64_t i, Part part = Part::All) {
    const T* const p = batch.at<T>(i);
    for (std::int64_t c = 0; c < batch.n; ++c)
        for (std::int64_t r = part == Part::Lower ? c : 0; r < (part == Part::Upper ? c + 1 : batch.m); ++r) {
            const T& x = p[c * batch.m + r];
            bool finite = std::isfinite(std::real(x));
            if constexpr (reduction::complex_v<T>) finite = finite && std::isfinite(x.imag());
            REEL_CHECK_LINALG(finite, op, ": matrix ", i, " of the batch holds ", x, " at [", r, ", ", c,
                              "]; expected finite numbers");
        }
}
/// The gradient of an op by way of the same function made of tensor ops: `again` is run on what the rule saved (operand
/// i is saved i, for the first `n`) and differentiated, further orders included. `again` returns one tensor per output.
GradList gradient_of(RuleContext& c, std::size_t n, const std::function<std::vector<Tensor>(const TensorList&)>& again);
/// What LAPACK computes for given pivots, made of tensor ops.
Tensor ldl_factor_again(const Tensor& a, const Tensor& pivots, bool hermitian);
Tensor ldl_solve_again(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian);

/// LinAlgError for the first matrix of a batch whose factorization failed.
void check_infos(const char* op, const Tensor& info, const char* meaning);

} // namespace reel::matrices
