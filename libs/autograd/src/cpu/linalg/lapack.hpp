// Dense factorizations of one column-major matrix. lapack.cpp is the only file that sees LAPACK.
#pragma once

#include <complex>
#include <cstdint>

namespace reel::cpu {

template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<std::complex<T>> { using type = T; };

/// Column-major LAPACK for T = float, double and their complex forms. Every function returns LAPACK's `info`; workspace
/// is its own affair. Matrices are overwritten as LAPACK does.
template <class T> struct Lapack {
    using Real = typename RealOf<T>::type;
    /// LU with row exchanges; m by n.
    static int getrf(int m, int n, T* a, int* pivots);
    /// Solves op(A) X = B after getrf; op: 'N', 'T' or 'C'.
    static int getrs(char op, int n, int columns, const T* lu, const int* pivots, T* b);
    /// Cholesky factor of the lower (upper) triangle.
    static int potrf(char uplo, int n, T* a);
    /// op(A) X = B (side 'L') or X op(A) = B (side 'R') for triangular A; b is m by columns.
    static void trsm(char side, char uplo, char op, char diagonal, int m, int columns, const T* a, int lda, T* b);
    /// Singular values, and with job 'S' or 'A' the vectors: u is m by (k or m), vh (k or n) by n.
    static int gesdd(char job, int m, int n, T* a, Real* s, T* u, T* vh);
    /// Eigenvalues of a Hermitian matrix in ascending order; with job 'V' the vectors replace `a`.
    static int heevd(char job, char uplo, int n, T* a, Real* w);
    /// Eigenvalues and right eigenvectors (null: none) of a general matrix.
    static int geev(int n, T* a, std::complex<Real>* w, std::complex<Real>* v);
    /// QR: R above the diagonal, reflectors below it with their factors in tau.
    static int geqrf(int m, int n, T* a, T* tau);
    /// The first `columns` columns of the product of the k reflections that geqrf left in the first k columns of `a`, m
    /// by columns.
    static int orgqr(int m, int columns, int k, T* a, const T* tau);
    /// Symmetric or Hermitian indefinite factorization of the lower triangle, and the solution with it.
    static int ldl(bool hermitian, int n, T* a, int* pivots);
    static int ldl_solve(bool hermitian, int n, int columns, const T* a, const int* pivots, T* b);
};

extern template struct Lapack<float>;
extern template struct Lapack<double>;
extern template struct Lapack<std::complex<float>>;
extern template struct Lapack<std::complex<double>>;

} // namespace reel::cpu
