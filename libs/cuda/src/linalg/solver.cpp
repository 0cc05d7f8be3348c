#include "linalg/solver.hpp"

#if __has_include(<cusolverDn.h>)

#include "capturing.hpp"
#include "linalg/solver_call.hpp"

namespace reel::cuda::solver {

namespace {
cublasFillMode_t triangle(bool upper) { return upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; }
} // namespace

bool takes(const Tensor& matrices) {
    constexpr std::int64_t small = 32;
    if (!api() || matrices.numel() == 0) return false;
    const Batch b(matrices);
    return b.count == 1 || std::max(b.rows, b.columns) > small || capture_memory(matrices.device().index());
}

void potrf(const char* op, const Tensor& a, const Tensor& info, bool upper) {
    const DeviceGuard guard(a.device().index());
    const Handle& h = handle(op, a.device().index());
    const Batch b(a);
    Room room;
    check(api()->cusolverDnXpotrf_bufferSize(h.raw.get(), h.params.get(), triangle(upper), b.rows, b.type, a.data_ptr(),
                                             b.rows, b.type, &room.there_bytes, &room.here_bytes),
          op, "cusolverDnXpotrf_bufferSize");
    room.take(a);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXpotrf(h.raw.get(), h.params.get(), triangle(upper), b.rows, b.type, nth(a, i, b.each()),
                                      b.rows, b.type, room.data(), room.there_bytes, room.host(), room.here_bytes,
                                      nth_info(info, i)),
              op, "cusolverDnXpotrf");
}

void getrf(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info) {
    const DeviceGuard guard(a.device().index());
    const Handle& h = handle(op, a.device().index());
    const Batch b(a);
    Room room;
    check(api()->cusolverDnXgetrf_bufferSize(h.raw.get(), h.params.get(), b.rows, b.columns, b.type, a.data_ptr(),
                                             b.rows, b.type, &room.there_bytes, &room.here_bytes),
          op, "cusolverDnXgetrf_bufferSize");
    room.take(a);
    const std::int64_t exchanges = std::min(b.rows, b.columns);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXgetrf(
                  h.raw.get(), h.params.get(), b.rows, b.columns, b.type, nth(a, i, b.each()), b.rows,
                  pivots.defined() ? static_cast<std::int64_t*>(nth(pivots, i, exchanges)) : nullptr, b.type,
                  room.data(), room.there_bytes, room.host(), room.here_bytes, nth_info(info, i)),
              op, "cusolverDnXgetrf");
}

void getrs(const char* op, const Tensor& x, const Tensor& lu, const Tensor& pivots) {
    const DeviceGuard guard(lu.device().index());
    const Handle& h = handle(op, lu.device().index());
    const Batch a(lu), b(x);
    const Tensor info = integers(lu, 1);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXgetrs(h.raw.get(), h.params.get(), CUBLAS_OP_N, a.rows, b.columns, a.type,
                                      nth(lu, i, a.each()), a.rows,
                                      static_cast<const std::int64_t*>(nth(pivots, i, a.rows)), b.type,
                                      nth(x, i, b.each()), b.rows, nth_info(info, 0)),
              op, "cusolverDnXgetrs");
}

void geqrf(const char* op, const Tensor& a, const Tensor& tau) {
    const DeviceGuard guard(a.device().index());
    const Handle& h = handle(op, a.device().index());
    const Batch b(a);
    const Tensor info = integers(a, 1);
    Room room;
    check(api()->cusolverDnXgeqrf_bufferSize(h.raw.get(), h.params.get(), b.rows, b.columns, b.type, a.data_ptr(),
                                             b.rows, b.type, tau.data_ptr(), b.type, &room.there_bytes,
                                             &room.here_bytes),
          op, "cusolverDnXgeqrf_bufferSize");
    room.take(a);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXgeqrf(h.raw.get(), h.params.get(), b.rows, b.columns, b.type, nth(a, i, b.each()),
                                      b.rows, b.type, nth(tau, i, std::min(b.rows, b.columns)), b.type, room.data(),
                                      room.there_bytes, room.host(), room.here_bytes, nth_info(info, 0)),
              op, "cusolverDnXgeqrf");
}

void syevd(const char* op, const Tensor& a, const Tensor& w, const Tensor& info, bool upper, bool vectors) {
    const DeviceGuard guard(a.device().index());
    const Handle& h = handle(op, a.device().index());
    const Batch b(a);
    const cudaDataType real = type_of(w.scalar_type());
    const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    Room room;
    check(api()->cusolverDnXsyevd_bufferSize(h.raw.get(), h.params.get(), mode, triangle(upper), b.rows, b.type,
                                             a.data_ptr(), b.rows, real, w.data_ptr(), b.type, &room.there_bytes,
                                             &room.here_bytes),
          op, "cusolverDnXsyevd_bufferSize");
    room.take(a);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXsyevd(h.raw.get(), h.params.get(), mode, triangle(upper), b.rows, b.type,
                                      nth(a, i, b.each()), b.rows, real, nth(w, i, b.rows), b.type, room.data(),
                                      room.there_bytes, room.host(), room.here_bytes, nth_info(info, i)),
              op, "cusolverDnXsyevd");
}

} // namespace reel::cuda::solver

#else

namespace reel::cuda::solver {

bool takes(const Tensor&) { return false; }
void potrf(const char*, const Tensor&, const Tensor&, bool) {}
void getrf(const char*, const Tensor&, const Tensor&, const Tensor&) {}
void getrs(const char*, const Tensor&, const Tensor&, const Tensor&) {}
void geqrf(const char*, const Tensor&, const Tensor&) {}
void syevd(const char*, const Tensor&, const Tensor&, const Tensor&, bool, bool) {}
void gesvd(const char*, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, bool) {}
void geev(const char*, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {}
void sytrf(const char*, const Tensor&, const Tensor&, const Tensor&) {}
void sytrs(const char*, const Tensor&, const Tensor&, const Tensor&) {}

} // namespace reel::cuda::solver

#endif
