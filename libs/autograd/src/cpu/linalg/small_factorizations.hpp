// Factorizations of matrices so small that LAPACK's blocks, buffers and checks take longer than the arithmetic. Column
// by column, as LAPACK's unblocked forms do it and with what these return.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace reel::cpu::small {

/// The largest number of rows or columns that comes here.
inline constexpr int most = 16;
constexpr bool takes(int m, int n) { return std::max(m, n) <= most; }

/// to -= factor * from
template <class T> inline void subtract(T* to, const T* from, T factor, int n) {
#pragma omp simd
    for (int i = 0; i < n; ++i) to[i] -= factor * from[i];
}
/// sum of a b
template <class T> inline T dot(const T* a, const T* b, int n) {
    T sum(0);
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}
/// A matrix row by row, each row filled up to W numbers: loops over rows are vectors then.
template <class T, int W> struct Rows {
    T of[W][W] = {};
    Rows(const T* columns, int m, int n) {
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < m; ++r) of[r][c] = columns[c * m + r];
    }
    void put_into(T* columns, int m, int n) const {
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < m; ++r) columns[c * m + r] = of[r][c];
    }
    /// row `to` -= factor * row `from`
    void subtract(int to, int from, T factor) {
#pragma omp simd
        for (int c = 0; c < W; ++c) of[to][c] -= factor * of[from][c];
    }
    void divide(int row, T by) {
#pragma omp simd
        for (int c = 0; c < W; ++c) of[row][c] /= by;
    }
    void exchange(int i, int j) {
        if (i != j) std::swap(of[i], of[j]);
    }
    /// The first row from `j` on whose entry in column `j` is largest; NaN is passed over, unless it comes first.
    int pivot_row(int j, int m) const {
        int best = j;
        for (int i = j + 1; i < m; ++i)
            if (std::abs(of[i][j]) > std::abs(of[best][j])) best = i;
        return best;
    }
};

template <int W, class T> int lu_in(int m, int n, T* a, int* pivots) {
    Rows<T, W> upper(a, m, n), lower(a, 0, 0); // apart, so that a row of U has zeros in front
    int info = 0;
    for (int j = 0; j < std::min(m, n); ++j) {
        const int p = upper.pivot_row(j, m);
        pivots[j] = p + 1;
        upper.exchange(j, p);
        lower.exchange(j, p);
        const T pivot = upper.of[j][j];
        if (pivot == T(0) && info == 0) info = j + 1;
        for (int i = j + 1; i < m; ++i) {
            const T factor = pivot == T(0) ? upper.of[i][j] : upper.of[i][j] / pivot; // 0 or NaN below a pivot of 0
            if (pivot != T(0)) upper.subtract(i, j, factor);
            lower.of[i][j] = factor;
            upper.of[i][j] = T(0);
        }
    }
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < m; ++r) a[c * m + r] = r > c ? lower.of[r][c] : upper.of[r][c];
    return info;
}
/// LU with row exchanges of the m by n matrix `a`; pivots count from 1. Returns the place of the first zero on the
/// diagonal of U, counted from 1, or 0.
template <class T> int lu(int m, int n, T* a, int* pivots) {
    return std::max(m, n) <= most / 2 ? lu_in<most / 2>(m, n, a, pivots) : lu_in<most>(m, n, a, pivots);
}

template <int W, class T> void lu_solve_in(int n, int columns, const T* a, const int* pivots, T* b) {
    Rows<T, W> x(b, n, columns);
    for (int j = 0; j < n; ++j) x.exchange(j, pivots[j] - 1);
    for (int j = 0; j < n; ++j)
        for (int i = j + 1; i < n; ++i) x.subtract(i, j, a[j * n + i]);
    for (int j = n - 1; j >= 0; --j) {
        x.divide(j, a[j * n + j]);
        for (int i = 0; i < j; ++i) x.subtract(i, j, a[j * n + i]);
    }
    x.put_into(b, n, columns);
}
/// Solves A X = B after `lu`, in place of `b`, which has `columns` columns.
template <class T> void lu_solve(int n, int columns, const T* a, const int* pivots, T* b) {
    if (std::max(n, columns) <= most / 2) lu_solve_in<most / 2>(n, columns, a, pivots, b);
    else lu_solve_in<most>(n, columns, a, pivots, b);
}

/// Cholesky factor of the lower or the upper triangle, in its place. Returns the place of the first pivot that is not
/// positive, counted from 1, or 0.
template <class T> int cholesky(bool upper, int n, T* a) {
    for (int j = 0; j < n; ++j) {
        T* const column = a + j * n;
        if (upper)
            for (int i = 0; i < j; ++i) column[i] = (column[i] - dot(a + i * n, column, i)) / a[i * n + i];
        const T square = upper ? column[j] - dot(column, column, j) : column[j];
        if (!(square > T(0))) return j + 1;
        column[j] = std::sqrt(square);
        if (upper) continue;
        for (int i = j + 1; i < n; ++i) column[i] /= column[j];
        for (int c = j + 1; c < n; ++c) subtract(a + c * n + c, column + c, column[c], n - c);
    }
    return 0;
}

} // namespace reel::cpu::small
