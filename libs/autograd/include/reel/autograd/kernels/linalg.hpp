// Kernels of linear algebra: factorizations of batches of matrices, and what follows from the factors.
#pragma once

#include <reel/autograd/kernel.hpp>

namespace reel {

// Matrices are float32, float64, complex64 or complex128 and stand column by column: `a`, `x`, `lu`, `u`, `vh` and `v`
// are dense [..., columns, rows], and hold as many matrices as each other. Vectors of each matrix ([..., k]) and one
// number for each (`info`, determinants) are dense as well. What is named before the operands is filled or overwritten.
namespace cpu {
void lu_factor(const char* op, const Tensor& lu, const Tensor& pivots, const Tensor& info, bool pivot);
void lu_order(const char* op, const Tensor& order, const Tensor& pivots);
void lu_det(const char* op, const Tensor& det, const Tensor& lu, const Tensor& pivots);
void lu_slogdet(const char* op, const Tensor& sign, const Tensor& log, const Tensor& lu, const Tensor& pivots);
void linalg_solve(const char* op, const Tensor& x, const Tensor& a, const Tensor& info);
void solve_triangular(const char* op, const Tensor& x, const Tensor& a, bool upper, bool left, bool unit);
void cholesky(const char* op, const Tensor& a, const Tensor& info, bool upper);
void geqrf(const Tensor& a, const Tensor& tau);
void ldl_factor(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info, bool hermitian);
void ldl_solve(const char* op, const Tensor& x, const Tensor& a, const Tensor& pivots, bool hermitian);
void svd(const char* op, const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh, bool full_matrices);
void eigh(const char* op, const Tensor& a, const Tensor& w, bool upper, bool vectors);
void eig(const char* op, const Tensor& a, const Tensor& w, const Tensor& v);
} // namespace cpu

namespace kernels {
/// A becomes its factors L (ones on the diagonal, below it) and U. `pivots` (int32, from 1): the row that each row was
/// exchanged with, itself without `pivot`; `info` (int32): 0, or the place of the first zero on U's diagonal.
inline constinit Kernel<decltype(cpu::lu_factor), Writes<1, 2, 3>> lu_factor{"linalg.lu_factor", &cpu::lu_factor};
/// order[i] (int64) = the row of A that stands at i after the exchanges.
inline constinit Kernel<decltype(cpu::lu_order), Writes<1>> lu_order{"lu_unpack", &cpu::lu_order};
/// Determinants of what was factored.
inline constinit Kernel<decltype(cpu::lu_det), Writes<1>> lu_det{"linalg.det", &cpu::lu_det};
/// Their signs, on the unit circle, and the logarithms (real) of their absolute values.
inline constinit Kernel<decltype(cpu::lu_slogdet), Writes<1, 2>> lu_slogdet{"linalg.slogdet", &cpu::lu_slogdet};
/// x = A^-1 x; overwrites A. `info` as `lu_factor`.
inline constinit Kernel<decltype(cpu::linalg_solve), Writes<1, 2, 3>> linalg_solve{"linalg.solve", &cpu::linalg_solve};
/// x = A^-1 x, or x A^-1 unless `left`, for triangular A, whose other triangle (and diagonal, if `unit`) is not read.
inline constinit Kernel<decltype(cpu::solve_triangular), Writes<1>> solve_triangular{"linalg.solve_triangular",
                                                                                     &cpu::solve_triangular};
/// A becomes its factor, zeros in the other triangle; `info` (int32): 0, or the first leading minor that is not
/// positive.
inline constinit Kernel<decltype(cpu::cholesky), Writes<1, 2>> cholesky{"linalg.cholesky", &cpu::cholesky};
/// A becomes R on and above the diagonal, reflectors below it; `tau` are their factors, as LAPACK's.
inline constinit Kernel<decltype(cpu::geqrf), Writes<0, 1>> geqrf{"geqrf", &cpu::geqrf};
/// The lower triangle becomes L and the blocks of D, as LAPACK's; `pivots` and `info` are int32.
inline constinit Kernel<decltype(cpu::ldl_factor), Writes<1, 2, 3>> ldl_factor{"linalg.ldl_factor_ex",
                                                                               &cpu::ldl_factor};
/// x = A^-1 x by the factors in `a`.
inline constinit Kernel<decltype(cpu::ldl_solve), Writes<1>> ldl_solve{"linalg.ldl_solve", &cpu::ldl_solve};
/// A = u diag(s) vh, s falling and real; overwrites A. Thin factors unless `full_matrices`; no vectors where `u` has no
/// columns. Throws LinAlgError for what is not finite, and where the iteration does not converge; so below.
inline constinit Kernel<decltype(cpu::svd), Writes<1, 2, 3, 4>> svd{"linalg.svd", &cpu::svd};
/// Eigenvalues (rising, real) of Hermitian matrices given by one triangle, which A is overwritten with the vectors, or
/// with anything.
inline constinit Kernel<decltype(cpu::eigh), Writes<1, 2>> eigh{"linalg.eigh", &cpu::eigh};
/// Eigenvalues and, where `v` has columns, right eigenvectors, both complex; overwrites A.
inline constinit Kernel<decltype(cpu::eig), Writes<1, 2, 3>> eig{"linalg.eig", &cpu::eig};
} // namespace kernels

} // namespace reel
