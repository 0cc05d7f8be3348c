// Symmetric matrices that need not be positive, by cuSOLVER.
#include "linalg/solver.hpp"

#if __has_include(<cusolverDn.h>)

#include "linalg/solver_call.hpp"

namespace reel::cuda::solver {

namespace {

/// cuSOLVER has a function for each dtype.
template <class Size, class Factor> struct Sytrf;
template <class T>
struct Sytrf<cusolverStatus_t (*)(cusolverDnHandle_t, int, T*, int, int*),
             cusolverStatus_t (*)(cusolverDnHandle_t, cublasFillMode_t, int, T*, int, int*, T*, int, int*)> {
    cusolverStatus_t (*size)(cusolverDnHandle_t, int, T*, int, int*);
    cusolverStatus_t (*factor)(cusolverDnHandle_t, cublasFillMode_t, int, T*, int, int*, T*, int, int*);

    void run(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info) const {
        const Handle& h = handle(op, a.device().index());
        const Batch b(a);
        const int n = int(b.rows);
        int count = 0;
        check(size(h.raw.get(), n, static_cast<T*>(a.data_ptr()), n, &count), op, "cusolverDn*sytrf_bufferSize");
        Room room;
        room.there_bytes = std::size_t(count) * sizeof(T);
        room.take(a);
        for (std::int64_t i = 0; i < b.count; ++i)
            check(factor(h.raw.get(), CUBLAS_FILL_MODE_LOWER, n, static_cast<T*>(nth(a, i, b.each())), n,
                         static_cast<int*>(nth(pivots, i, b.rows)), static_cast<T*>(room.data()), count,
                         nth_info(info, i)),
                  op, "cusolverDn*sytrf");
    }
};
template <class Size, class Factor> Sytrf(Size, Factor) -> Sytrf<Size, Factor>;

} // namespace

void sytrf(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info) {
    const DeviceGuard guard(a.device().index());
    const Api& f = *api();
    switch (a.scalar_type()) {
    case kFloat:
        return Sytrf{f.cusolverDnSsytrf_bufferSize, f.cusolverDnSsytrf}.run(op, a, pivots, info);
    case kDouble:
        return Sytrf{f.cusolverDnDsytrf_bufferSize, f.cusolverDnDsytrf}.run(op, a, pivots, info);
    case kComplexFloat:
        return Sytrf{f.cusolverDnCsytrf_bufferSize, f.cusolverDnCsytrf}.run(op, a, pivots, info);
    default:
        return Sytrf{f.cusolverDnZsytrf_bufferSize, f.cusolverDnZsytrf}.run(op, a, pivots, info);
    }
}

void sytrs(const char* op, const Tensor& x, const Tensor& a, const Tensor& pivots) {
    const DeviceGuard guard(a.device().index());
    const Handle& h = handle(op, a.device().index());
    const Batch m(a), b(x);
    const Tensor info = integers(a, 1);
    const auto exchanges = [&](std::int64_t i) { return static_cast<const std::int64_t*>(nth(pivots, i, m.rows)); };
    Room room;
    check(api()->cusolverDnXsytrs_bufferSize(h.raw.get(), CUBLAS_FILL_MODE_LOWER, m.rows, b.columns, m.type,
                                             a.data_ptr(), m.rows, exchanges(0), b.type, x.data_ptr(), b.rows,
                                             &room.there_bytes, &room.here_bytes),
          op, "cusolverDnXsytrs_bufferSize");
    room.take(a);
    for (std::int64_t i = 0; i < b.count; ++i)
        check(api()->cusolverDnXsytrs(h.raw.get(), CUBLAS_FILL_MODE_LOWER, m.rows, b.columns, m.type,
                                      nth(a, i, m.each()), m.rows, exchanges(i), b.type, nth(x, i, b.each()), b.rows,
                                      room.data(), room.there_bytes, room.host(), room.here_bytes, nth_info(info, 0)),
              op, "cusolverDnXsytrs");
}

} // namespace reel::cuda::solver

#endif
