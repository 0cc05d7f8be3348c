// Batches of matrices, one after the other or on several threads, by LAPACK.
#include <reel/autograd/kernels/linalg.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <vector>

#include "cpu/linalg/lapack.hpp"
#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// A batch of matrices of T, column by column.
template <class T> struct Matrices {
    T* data;
    std::int64_t m, n, count = 1;
    Matrices(const char* op, const Tensor& t) : data(host_data<T>(t, op)), m(t.size(-1)), n(t.size(-2)) {
        for (std::int64_t d = 0; d + 2 < t.dim(); ++d) count *= t.size(d);
    }
    T* operator[](std::int64_t i) const { return data + i * m * n; }
    bool empty() const { return m == 0 || n == 0; }
};

/// Calls `f.operator()<T>()` for the element type; LAPACK knows four.
template <class F> void dispatch_lapack(const Tensor& t, const char* op, F&& f) {
    detail::dispatch<detail::Floats | detail::Complexes>(t.scalar_type(), op, std::forward<F>(f));
}
/// Runs `f(i)` for every matrix, over threads when there is enough work in each.
template <class F> void for_matrices(std::int64_t count, std::int64_t work, F&& f) {
    parallel_for(0, count, std::max<std::int64_t>(1, 50000 / std::max<std::int64_t>(work, 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     for (std::int64_t i = b; i < e; ++i) f(i);
                 });
}
/// The same where matrices without elements leave nothing to write: a batch may count 2^62 of those.
template <class T, class F> void for_filled_matrices(const Matrices<T>& batch, std::int64_t work, F&& f) {
    if (!batch.empty()) for_matrices(batch.count, work, std::forward<F>(f));
}

/// Which part of a matrix a factorization reads.
enum class Part { All, Lower, Upper };
/// LinAlgError when matrix `i` holds inf or NaN: LAPACK's iterations do not end on them, or write where they must not.
template <class T> void check_finite(const char* op, const Matrices<T>& a, std::int64_t i, Part part = Part::All) {
    for (std::int64_t c = 0; c < a.n; ++c)
        for (std::int64_t r = part == Part::Lower ? c : 0; r < (part == Part::Upper ? c + 1 : a.m); ++r) {
            const T& x = a[i][c * a.m + r];
            bool finite = std::isfinite(std::real(x));
            if constexpr (complex_v<T>) finite = finite && std::isfinite(x.imag());
            REEL_CHECK_LINALG(finite, op, ": matrix ", i, " of the batch holds ", x, " at [", r, ", ", c,
                              "]; expected finite numbers");
        }
}
void check_converged(const char* op, std::int64_t i, int info) {
    REEL_CHECK_LINALG(info == 0, op, ": matrix ", i, " of the batch: the iteration did not converge (", info, ")");
}

/// Elimination without exchanges.
template <class T> std::int32_t eliminate(T* p, std::int64_t m, std::int64_t n, std::int32_t* pivots) {
    std::int32_t info = 0;
    for (std::int64_t j = 0; j < std::min(m, n); ++j) {
        pivots[j] = std::int32_t(j + 1);
        const T d = p[j * m + j];
        if (d == T(0) && info == 0) info = std::int32_t(j + 1);
        for (std::int64_t r = j + 1; r < m; ++r) {
            const T l = p[j * m + r] /= d;
            for (std::int64_t c = j + 1; c < n; ++c) p[c * m + r] -= l * p[c * m + j];
        }
    }
    return info;
}

} // namespace

void lu_factor(const char* op, const Tensor& lu, const Tensor& pivots, const Tensor& info, bool pivot) {
    std::int32_t *exchanges = host_data<std::int32_t>(pivots, op), *failed = host_data<std::int32_t>(info, op);
    dispatch_lapack(lu, op, [&]<class T>() {
        const Matrices<T> a(op, lu);
        const std::int64_t k = std::min(a.m, a.n);
        for_matrices(a.count, a.m * a.n * k, [&](std::int64_t i) {
            if (!pivot) failed[i] = eliminate(a[i], a.m, a.n, exchanges + i * k);
            else failed[i] = a.empty() ? 0 : Lapack<T>::getrf(int(a.m), int(a.n), a[i], exchanges + i * k);
        });
    });
}

void lu_order(const char* op, const Tensor& order, const Tensor& pivots) {
    const std::int64_t m = order.size(-1), k = pivots.size(-1), all = m == 0 ? 0 : order.numel() / m,
                       count = k == 0 ? 0 : pivots.numel() / k;
    std::int64_t* const o = host_data<std::int64_t>(order, op);
    const std::int32_t* const p = host_data<std::int32_t>(pivots, op);
    for (std::int64_t i = 0; i < all; ++i) {
        std::iota(o + i * m, o + (i + 1) * m, 0);
        if (i < count)
            for (std::int64_t r = 0; r < k; ++r) std::swap(o[i * m + r], o[i * m + p[i * k + r] - 1]);
    }
}

void lu_det(const char* op, const Tensor& det, const Tensor& lu, const Tensor& pivots) {
    const std::int32_t* const p = host_data<std::int32_t>(pivots, op);
    dispatch_lapack(lu, op, [&]<class T>() {
        const Matrices<T> a(op, lu);
        T* const out = host_data<T>(det, op);
        for (std::int64_t i = 0; i < a.count; ++i) {
            T d(1);
            for (std::int64_t j = 0; j < a.n; ++j) {
                if (p[i * a.n + j] != j + 1) d = -d;
                d *= a[i][j * a.n + j];
            }
            out[i] = d;
        }
    });
}

void lu_slogdet(const char* op, const Tensor& sign, const Tensor& log, const Tensor& lu, const Tensor& pivots) {
    const std::int32_t* const p = host_data<std::int32_t>(pivots, op);
    dispatch_lapack(lu, op, [&]<class T>() {
        using R = typename Lapack<T>::Real;
        const Matrices<T> a(op, lu);
        T* const signs = host_data<T>(sign, op);
        R* const logs = host_data<R>(log, op);
        for (std::int64_t i = 0; i < a.count; ++i) {
            T s(1);
            R l(0);
            for (std::int64_t j = 0; j < a.n; ++j) {
                const T d = a[i][j * a.n + j];
                const R size = std::abs(d);
                if (p[i * a.n + j] != j + 1) s = -s;
                s *= size == R(0) ? T(0) : T(d / size);
                l += std::log(size);
            }
            signs[i] = s;
            logs[i] = l;
        }
    });
}

void linalg_solve(const char* op, const Tensor& x, const Tensor& a, const Tensor& info) {
    std::int32_t* const failed = host_data<std::int32_t>(info, op);
    dispatch_lapack(a, op, [&]<class T>() {
        const Matrices<T> lu(op, a), b(op, x);
        for_matrices(lu.count, lu.n * lu.n * (lu.n + b.n), [&](std::int64_t i) {
            failed[i] = 0;
            if (lu.n == 0) return;
            std::vector<int> pivots(static_cast<std::size_t>(lu.n));
            failed[i] = Lapack<T>::getrf(int(lu.n), int(lu.n), lu[i], pivots.data());
            if (b.n > 0) Lapack<T>::getrs('N', int(lu.n), int(b.n), lu[i], pivots.data(), b[i]);
        });
    });
}

void solve_triangular(const char* op, const Tensor& x, const Tensor& a, bool upper, bool left, bool unit) {
    dispatch_lapack(a, op, [&]<class T>() {
        const Matrices<T> t(op, a), b(op, x);
        for_filled_matrices(b, t.n * b.m * b.n, [&](std::int64_t i) {
            Lapack<T>::trsm(left ? 'L' : 'R', upper ? 'U' : 'L', 'N', unit ? 'U' : 'N', int(b.m), int(b.n), t[i],
                            int(t.m), b[i]);
        });
    });
}

void cholesky(const char* op, const Tensor& a, const Tensor& info, bool upper) {
    std::int32_t* const infos = host_data<std::int32_t>(info, op);
    dispatch_lapack(a, op, [&]<class T>() {
        const Matrices<T> b(op, a);
        for_matrices(b.count, b.n * b.n * b.n, [&](std::int64_t i) {
            T* const p = b[i];
            std::int32_t& failed = infos[i];
            failed = b.n == 0 ? 0 : Lapack<T>::potrf(upper ? 'U' : 'L', int(b.n), p);
            for (std::int64_t c = 0; c < b.n && failed == 0; ++c) // not every LAPACK looks for NaN
                if (p[c * b.n + c] != p[c * b.n + c]) failed = std::int32_t(c + 1);
            for (std::int64_t c = 0; c < b.n; ++c)
                for (std::int64_t r = 0; r < b.n; ++r)
                    if (upper ? r > c : r < c) p[c * b.n + r] = T(0);
        });
    });
}

void geqrf(const Tensor& a, const Tensor& tau) {
    dispatch_lapack(a, "geqrf", [&]<class T>() {
        const Matrices<T> b("geqrf", a);
        T* const factors = host_data<T>(tau, "geqrf");
        const std::int64_t k = std::min(b.m, b.n);
        for_filled_matrices(b, b.m * b.n * k,
                            [&](std::int64_t i) { Lapack<T>::geqrf(int(b.m), int(b.n), b[i], factors + i * k); });
    });
}

void ldl_factor(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info, bool hermitian) {
    std::int32_t *exchanges = host_data<std::int32_t>(pivots, op), *failed = host_data<std::int32_t>(info, op);
    dispatch_lapack(a, op, [&]<class T>() {
        const Matrices<T> b(op, a);
        for_matrices(b.count, b.n * b.n * b.n, [&](std::int64_t i) {
            failed[i] = b.n == 0 ? 0 : Lapack<T>::ldl(hermitian, int(b.n), b[i], exchanges + i * b.n);
        });
    });
}

void ldl_solve(const char* op, const Tensor& x, const Tensor& a, const Tensor& pivots, bool hermitian) {
    const std::int32_t* const exchanges = host_data<std::int32_t>(pivots, op);
    dispatch_lapack(a, op, [&]<class T>() {
        const Matrices<T> ld(op, a), b(op, x);
        if (b.n == 0) return;
        for_filled_matrices(ld, ld.n * ld.n * b.n, [&](std::int64_t i) {
            if constexpr (complex_v<T>) // Hermitian: D is real on its diagonal, whatever stands there
                for (std::int64_t k = 0; hermitian && k < ld.n; ++k) ld[i][k * ld.n + k].imag(0);
            Lapack<T>::ldl_solve(hermitian, int(ld.n), int(b.n), ld[i], exchanges + i * ld.n, b[i]);
        });
    });
}

void svd(const char* op, const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh, bool full_matrices) {
    dispatch_lapack(a, op, [&]<class T>() {
        using R = typename Lapack<T>::Real;
        const Matrices<T> b(op, a), left(op, u), right(op, vh);
        R* const values = host_data<R>(s, op);
        const std::int64_t k = std::min(b.m, b.n);
        const bool vectors = left.n > 0;
        for_filled_matrices(b, 10 * b.m * b.n * k, [&](std::int64_t i) {
            check_finite(op, b, i);
            T none;
            check_converged(op, i,
                            Lapack<T>::gesdd(!vectors        ? 'N'
                                             : full_matrices ? 'A'
                                                             : 'S',
                                             int(b.m), int(b.n), b[i], values + i * k, vectors ? left[i] : &none,
                                             vectors ? right[i] : &none));
        });
    });
}

void eigh(const char* op, const Tensor& a, const Tensor& w, bool upper, bool vectors) {
    dispatch_lapack(a, op, [&]<class T>() {
        using R = typename Lapack<T>::Real;
        const Matrices<T> b(op, a);
        R* const values = host_data<R>(w, op);
        for_filled_matrices(b, 10 * b.n * b.n * b.n, [&](std::int64_t i) {
            check_finite(op, b, i, upper ? Part::Upper : Part::Lower);
            check_converged(op, i,
                            Lapack<T>::heevd(vectors ? 'V' : 'N', upper ? 'U' : 'L', int(b.n), b[i], values + i * b.n));
        });
    });
}

void eig(const char* op, const Tensor& a, const Tensor& w, const Tensor& v) {
    dispatch_lapack(a, op, [&]<class T>() {
        using C = std::complex<typename Lapack<T>::Real>;
        const Matrices<T> b(op, a);
        const Matrices<C> vectors(op, v);
        C* const values = host_data<C>(w, op);
        for_filled_matrices(b, 25 * b.n * b.n * b.n, [&](std::int64_t i) {
            check_finite(op, b, i);
            check_converged(op, i,
                            Lapack<T>::geev(int(b.n), b[i], values + i * b.n, vectors.n > 0 ? vectors[i] : nullptr));
        });
    });
}

} // namespace reel::cpu
