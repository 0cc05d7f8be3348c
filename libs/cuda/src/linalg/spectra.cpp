// Singular values, and eigenvalues of any matrices, by cuSOLVER.
#include "linalg/solver.hpp"

#if __has_include(<cusolverDn.h>)

#include "linalg/solver_call.hpp"

namespace reel::cuda::solver {

void gesvd(const char* op, const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh, const Tensor& info,
           bool full) {
    const DeviceGuard guard(a.device().index());
    const Handle& h = handle(op, a.device().index());
    const Batch b(a);
    const bool vectors = u.numel() > 0;
    const auto job = static_cast<signed char>(!vectors ? 'N' : full ? 'A' : 'S');
    const std::int64_t k = std::min(b.rows, b.columns), of_u = u.numel() / b.count, of_v = vh.numel() / b.count;
    const cudaDataType real = type_of(s.scalar_type());
    const auto left = [&](std::int64_t i) { return vectors ? nth(u, i, of_u) : nullptr; };
    const auto right = [&](std::int64_t i) { return vectors ? nth(vh, i, of_v) : nullptr; };
    Room room;
    check(api()->cusolverDnXgesvd_bufferSize(h.raw.get(), h.params.get(), job, job, b.rows, b.columns, b.type,
                                             a.data_ptr(), b.rows, real, s.data_ptr(), b.type, left(0), b.rows, b.type,
                                             right(0), b.columns, b.type, &room.there_bytes, &room.here_bytes),
          op, "cusolverDnXgesvd_bufferSize");
    room.take(a);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXgesvd(h.raw.get(), h.params.get(), job, job, b.rows, b.columns, b.type,
                                      nth(a, i, b.each()), b.rows, real, nth(s, i, k), b.type, left(i), b.rows, b.type,
                                      right(i), b.columns, b.type, room.data(), room.there_bytes, room.host(),
                                      room.here_bytes, nth_info(info, i)),
              op, "cusolverDnXgesvd");
}

void geev(const char* op, const Tensor& a, const Tensor& w, const Tensor& v, const Tensor& info) {
    const DeviceGuard guard(a.device().index());
    const Handle& h = handle(op, a.device().index());
    const Batch b(a);
    const cudaDataType complex = type_of(w.scalar_type());
    const bool vectors = v.numel() > 0;
    const cusolverEigMode_t right = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const auto found = [&](std::int64_t i) { return vectors ? nth(v, i, b.each()) : nullptr; };
    Room room;
    check(api()->cusolverDnXgeev_bufferSize(h.raw.get(), h.params.get(), CUSOLVER_EIG_MODE_NOVECTOR, right, b.rows,
                                            b.type, a.data_ptr(), b.rows, complex, w.data_ptr(), b.type, nullptr,
                                            b.rows, b.type, found(0), b.rows, b.type, &room.there_bytes,
                                            &room.here_bytes),
          op, "cusolverDnXgeev_bufferSize");
    room.take(a);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXgeev(h.raw.get(), h.params.get(), CUSOLVER_EIG_MODE_NOVECTOR, right, b.rows, b.type,
                                     nth(a, i, b.each()), b.rows, complex, nth(w, i, b.rows), b.type, nullptr, b.rows,
                                     b.type, found(i), b.rows, b.type, room.data(), room.there_bytes, room.host(),
                                     room.here_bytes, nth_info(info, i)),
              op, "cusolverDnXgeev");
}

} // namespace reel::cuda::solver

#endif
