// LAPACK by its Fortran symbols, which OpenBLAS carries.
#include "cpu/linalg/lapack.hpp"

#include <algorithm>
#include <cblas.h>
#include <type_traits>
#include <vector>

#include "cpu/linalg/serial_blas.hpp"
#include "cpu/linalg/small_factorizations.hpp"

namespace {
using C = std::complex<float>;
using Z = std::complex<double>;
} // namespace

// NOLINTBEGIN: the names are LAPACK's.
extern "C" {
#define REEL_LAPACK(p, T, R)                                                                                           \
    void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                                                \
    void p##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*);       \
    void p##potrf_(const char*, const int*, T*, const int*, int*);                                                     \
    void p##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                                  \
    void p##sytrf_(const char*, const int*, T*, const int*, int*, T*, const int*, int*);                               \
    void p##sytrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*);
REEL_LAPACK(s, float, float)
REEL_LAPACK(d, double, double)
REEL_LAPACK(c, C, float)
REEL_LAPACK(z, Z, double)
#undef REEL_LAPACK
#define REEL_LAPACK_REAL(p, T)                                                                                         \
    void p##orgqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);                \
    void p##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,        \
                   const int*, int*, int*);                                                                            \
    void p##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, int*);  \
    void p##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*, T*,    \
                  const int*, int*);
REEL_LAPACK_REAL(s, float)
REEL_LAPACK_REAL(d, double)
#undef REEL_LAPACK_REAL
#define REEL_LAPACK_COMPLEX(p, T, R)                                                                                   \
    void p##ungqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);                \
    void p##gesdd_(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*, T*,        \
                   const int*, R*, int*, int*);                                                                        \
    void p##heevd_(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*, const int*, int*,     \
                   const int*, int*);                                                                                  \
    void p##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,        \
                  const int*, R*, int*);                                                                               \
    void p##hetrf_(const char*, const int*, T*, const int*, int*, T*, const int*, int*);                               \
    void p##hetrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*);
REEL_LAPACK_COMPLEX(c, C, float)
REEL_LAPACK_COMPLEX(z, Z, double)
#undef REEL_LAPACK_COMPLEX
}
// NOLINTEND

namespace reel::cpu {

namespace {

template <class T> inline constexpr bool complex_v = !std::is_floating_point_v<T>;
/// Leading dimensions are at least one.
int ld(int n) { return std::max(n, 1); }
template <class T> int queried(const T& w) {
    if constexpr (complex_v<T>) return std::max(1, int(w.real()));
    else return std::max(1, int(w));
}

#define REEL_PICK(name)                                                                                                \
    [](auto... a) {                                                                                                    \
        if constexpr (std::is_same_v<T, float>) s##name(a...);                                                         \
        else if constexpr (std::is_same_v<T, double>) d##name(a...);                                                   \
        else if constexpr (std::is_same_v<T, C>) c##name(a...);                                                        \
        else z##name(a...);                                                                                            \
    }
#define REEL_PICK_REAL(name)                                                                                           \
    [](auto... a) {                                                                                                    \
        if constexpr (std::is_same_v<T, float>) s##name(a...);                                                         \
        else d##name(a...);                                                                                            \
    }
#define REEL_PICK_COMPLEX(name)                                                                                        \
    [](auto... a) {                                                                                                    \
        if constexpr (std::is_same_v<T, C>) c##name(a...);                                                             \
        else z##name(a...);                                                                                            \
    }

} // namespace

template <class T> int Lapack<T>::getrf(int m, int n, T* a, int* pivots) {
    if constexpr (std::is_floating_point_v<T>)
        if (small::takes(m, n)) return small::lu(m, n, a, pivots);
    const SerialBlas serial;
    int info = 0;
    const int lda = ld(m);
    REEL_PICK(getrf_)(&m, &n, a, &lda, pivots, &info);
    return info;
}
template <class T> int Lapack<T>::getrs(char op, int n, int columns, const T* lu, const int* pivots, T* b) {
    if constexpr (std::is_floating_point_v<T>)
        if (op == 'N' && small::takes(n, columns)) return small::lu_solve(n, columns, lu, pivots, b), 0;
    const SerialBlas serial;
    int info = 0;
    const int lda = ld(n);
    REEL_PICK(getrs_)(&op, &n, &columns, lu, &lda, pivots, b, &lda, &info);
    return info;
}
template <class T> int Lapack<T>::potrf(char uplo, int n, T* a) {
    if constexpr (std::is_floating_point_v<T>)
        if (small::takes(n, n)) return small::cholesky(uplo == 'U', n, a);
    const SerialBlas serial;
    int info = 0;
    const int lda = ld(n);
    REEL_PICK(potrf_)(&uplo, &n, a, &lda, &info);
    return info;
}
template <class T>
void Lapack<T>::trsm(char side, char uplo, char op, char diagonal, int m, int columns, const T* a, int lda, T* b) {
    const SerialBlas serial;
    const auto s = side == 'L' ? CblasLeft : CblasRight;
    const auto u = uplo == 'L' ? CblasLower : CblasUpper;
    const auto o = op == 'N' ? CblasNoTrans : op == 'T' ? CblasTrans : CblasConjTrans;
    const auto d = diagonal == 'U' ? CblasUnit : CblasNonUnit;
    const int ldb = ld(m);
    if constexpr (std::is_same_v<T, float>) cblas_strsm(CblasColMajor, s, u, o, d, m, columns, 1, a, lda, b, ldb);
    else if constexpr (std::is_same_v<T, double>) cblas_dtrsm(CblasColMajor, s, u, o, d, m, columns, 1, a, lda, b, ldb);
    else {
        const T one(1);
        if constexpr (std::is_same_v<T, C>) cblas_ctrsm(CblasColMajor, s, u, o, d, m, columns, &one, a, lda, b, ldb);
        else cblas_ztrsm(CblasColMajor, s, u, o, d, m, columns, &one, a, lda, b, ldb);
    }
}
template <class T> int Lapack<T>::gesdd(char job, int m, int n, T* a, Real* s, T* u, T* vh) {
    const SerialBlas serial;
    int info = 0, lwork = -1;
    const int k = std::min(m, n), lda = ld(m), ldu = ld(m), ldv = ld(job == 'S' ? k : n);
    std::vector<int> iwork(static_cast<std::size_t>(8 * ld(k)));
    T best{};
    if constexpr (complex_v<T>) {
        const std::size_t big = std::size_t(std::max(m, n)), small = std::size_t(ld(k));
        std::vector<Real> rwork(std::max(5 * small * small + 7 * small, 2 * big * small + 2 * small * small + small) +
                                1);
        REEL_PICK_COMPLEX(gesdd_)
        (&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldv, &best, &lwork, rwork.data(), iwork.data(), &info);
        std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
        REEL_PICK_COMPLEX(gesdd_)
        (&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldv, work.data(), &lwork, rwork.data(), iwork.data(), &info);
    } else {
        REEL_PICK_REAL(gesdd_)(&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldv, &best, &lwork, iwork.data(), &info);
        std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
        REEL_PICK_REAL(gesdd_)(&job, &m, &n, a, &lda, s, u, &ldu, vh, &ldv, work.data(), &lwork, iwork.data(), &info);
    }
    return info;
}
template <class T> int Lapack<T>::heevd(char job, char uplo, int n, T* a, Real* w) {
    const SerialBlas serial;
    int info = 0, lwork = -1, liwork = -1, ibest = 0;
    const int lda = ld(n);
    T best{};
    if constexpr (complex_v<T>) {
        int lrwork = -1;
        Real rbest{};
        REEL_PICK_COMPLEX(heevd_)(&job, &uplo, &n, a, &lda, w, &best, &lwork, &rbest, &lrwork, &ibest, &liwork, &info);
        std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
        std::vector<Real> rwork(static_cast<std::size_t>(lrwork = queried(rbest)));
        std::vector<int> iwork(static_cast<std::size_t>(liwork = std::max(1, ibest)));
        REEL_PICK_COMPLEX(heevd_)
        (&job, &uplo, &n, a, &lda, w, work.data(), &lwork, rwork.data(), &lrwork, iwork.data(), &liwork, &info);
    } else {
        REEL_PICK_REAL(syevd_)(&job, &uplo, &n, a, &lda, w, &best, &lwork, &ibest, &liwork, &info);
        std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
        std::vector<int> iwork(static_cast<std::size_t>(liwork = std::max(1, ibest)));
        REEL_PICK_REAL(syevd_)(&job, &uplo, &n, a, &lda, w, work.data(), &lwork, iwork.data(), &liwork, &info);
    }
    return info;
}
template <class T> int Lapack<T>::geev(int n, T* a, std::complex<Real>* w, std::complex<Real>* v) {
    const SerialBlas serial;
    int info = 0, lwork = -1;
    const int lda = ld(n), one = 1;
    const char no = 'N', job = v ? 'V' : 'N';
    T best{};
    if constexpr (complex_v<T>) {
        std::vector<Real> rwork(static_cast<std::size_t>(2 * ld(n)));
        const int ldv = v ? lda : 1;
        REEL_PICK_COMPLEX(geev_)
        (&no, &job, &n, a, &lda, w, static_cast<T*>(nullptr), &one, v, &ldv, &best, &lwork, rwork.data(), &info);
        std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
        REEL_PICK_COMPLEX(geev_)
        (&no, &job, &n, a, &lda, w, static_cast<T*>(nullptr), &one, v, &ldv, work.data(), &lwork, rwork.data(), &info);
    } else {
        std::vector<T> re(static_cast<std::size_t>(ld(n))), im(static_cast<std::size_t>(ld(n))),
            vectors(v ? std::size_t(n) * std::size_t(n) : 1);
        const int ldv = v ? lda : 1;
        REEL_PICK_REAL(geev_)
        (&no, &job, &n, a, &lda, re.data(), im.data(), static_cast<T*>(nullptr), &one, vectors.data(), &ldv, &best,
         &lwork, &info);
        std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
        REEL_PICK_REAL(geev_)
        (&no, &job, &n, a, &lda, re.data(), im.data(), static_cast<T*>(nullptr), &one, vectors.data(), &ldv,
         work.data(), &lwork, &info);
        for (int j = 0; j < n; ++j) w[j] = {re[std::size_t(j)], im[std::size_t(j)]};
        if (v)
            for (int j = 0; j < n; ++j) { // conjugate pairs share two columns: real parts, imaginary parts
                const T* column = vectors.data() + std::ptrdiff_t(j) * n;
                if (im[std::size_t(j)] == 0) {
                    for (int i = 0; i < n; ++i) v[std::ptrdiff_t(j) * n + i] = column[i];
                    continue;
                }
                for (int i = 0; i < n; ++i) {
                    v[std::ptrdiff_t(j) * n + i] = {column[i], column[n + i]};
                    v[std::ptrdiff_t(j + 1) * n + i] = {column[i], -column[n + i]};
                }
                ++j;
            }
    }
    return info;
}
template <class T> int Lapack<T>::geqrf(int m, int n, T* a, T* tau) {
    const SerialBlas serial;
    int info = 0, lwork = -1;
    const int lda = ld(m);
    T best{};
    REEL_PICK(geqrf_)(&m, &n, a, &lda, tau, &best, &lwork, &info);
    std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
    REEL_PICK(geqrf_)(&m, &n, a, &lda, tau, work.data(), &lwork, &info);
    return info;
}
template <class T> int Lapack<T>::orgqr(int m, int columns, int k, T* a, const T* tau) {
    const SerialBlas serial;
    int info = 0, lwork = -1;
    const int lda = ld(m);
    T best{};
    const auto call = [&](T* work) {
        if constexpr (complex_v<T>) REEL_PICK_COMPLEX(ungqr_)(&m, &columns, &k, a, &lda, tau, work, &lwork, &info);
        else REEL_PICK_REAL(orgqr_)(&m, &columns, &k, a, &lda, tau, work, &lwork, &info);
    };
    call(&best);
    std::vector<T> work(static_cast<std::size_t>(lwork = queried(best)));
    call(work.data());
    return info;
}
template <class T> int Lapack<T>::ldl(bool hermitian, int n, T* a, int* pivots) {
    const SerialBlas serial;
    int info = 0, lwork = std::max(1, 64 * n);
    const int lda = ld(n);
    const char lower = 'L';
    std::vector<T> work(static_cast<std::size_t>(lwork));
    if constexpr (complex_v<T>) {
        if (hermitian) {
            REEL_PICK_COMPLEX(hetrf_)(&lower, &n, a, &lda, pivots, work.data(), &lwork, &info);
            return info;
        }
    }
    (void)hermitian;
    REEL_PICK(sytrf_)(&lower, &n, a, &lda, pivots, work.data(), &lwork, &info);
    return info;
}
template <class T> int Lapack<T>::ldl_solve(bool hermitian, int n, int columns, const T* a, const int* pivots, T* b) {
    const SerialBlas serial;
    int info = 0;
    const int lda = ld(n);
    const char lower = 'L';
    if constexpr (complex_v<T>) {
        if (hermitian) {
            REEL_PICK_COMPLEX(hetrs_)(&lower, &n, &columns, a, &lda, pivots, b, &lda, &info);
            return info;
        }
    }
    (void)hermitian;
    REEL_PICK(sytrs_)(&lower, &n, &columns, a, &lda, pivots, b, &lda, &info);
    return info;
}

template struct Lapack<float>;
template struct Lapack<double>;
template struct Lapack<std::complex<float>>;
template struct Lapack<std::complex<double>>;

} // namespace reel::cpu
