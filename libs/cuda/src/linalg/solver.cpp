#include "linalg/solver.hpp"

#if __has_include(<cusolverDn.h>)

#include <cusolverDn.h>

#include <memory>
#include <vector>

#include <dlfcn.h>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/cuda/device.hpp>

#include "capturing.hpp"
#include "check.hpp"
#include "library.hpp"

#define REEL_TEXT_OF(x) #x
#define REEL_TEXT(x) REEL_TEXT_OF(x)

namespace reel::cuda::solver {

namespace {

#define REEL_CUSOLVER_FUNCTIONS(f)                                                                                     \
    f(cusolverDnCreate) f(cusolverDnDestroy) f(cusolverDnSetStream) f(cusolverDnCreateParams)                          \
        f(cusolverDnDestroyParams) f(cusolverDnXpotrf_bufferSize) f(cusolverDnXpotrf) f(cusolverDnXgetrf_bufferSize)   \
            f(cusolverDnXgetrf) f(cusolverDnXgetrs) f(cusolverDnXgeqrf_bufferSize) f(cusolverDnXgeqrf)                 \
                f(cusolverDnXsyevd_bufferSize) f(cusolverDnXsyevd)

struct Api {
#define REEL_CUSOLVER_MEMBER(name) decltype(&::name) name = nullptr;
    REEL_CUSOLVER_FUNCTIONS(REEL_CUSOLVER_MEMBER)
#undef REEL_CUSOLVER_MEMBER
    bool whole = true;
};
const Api* api() {
    static const Api found = [] {
        Api a;
        std::string missing;
        const std::optional<void*> library = find_library("cusolverDnXpotrf", "REEL_CUSOLVER_LIBRARY",
                                                          "libcusolver.so." REEL_TEXT(CUSOLVER_VER_MAJOR), missing);
#define REEL_CUSOLVER_FIND(name)                                                                                       \
    a.name = library ? reinterpret_cast<decltype(&::name)>(dlsym(*library, #name)) : nullptr;                          \
    a.whole = a.whole && a.name;
        REEL_CUSOLVER_FUNCTIONS(REEL_CUSOLVER_FIND)
#undef REEL_CUSOLVER_FIND
        return a;
    }();
    return found.whole ? &found : nullptr;
}

const char* text_of(cusolverStatus_t status) {
    switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
        return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
        return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
        return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
        return "CUSOLVER_STATUS_EXECUTION_FAILED";
    default:
        return "CUSOLVER_STATUS_INTERNAL_ERROR";
    }
}
void check(cusolverStatus_t status, const char* op, const char* call) {
    if (status == CUSOLVER_STATUS_SUCCESS) [[likely]]
        return;
    REEL_THROW(Error, op, ": cuSOLVER: ", call, ": ", text_of(status), " (", int(status), ")");
}

template <class Raw, cusolverStatus_t (*Api::*destroy)(Raw*)> struct Destroy {
    void operator()(Raw* raw) const { (api()->*destroy)(raw); }
};
/// The calling thread's handle on the device, which must be current; it works on the thread's current stream.
struct Handle {
    std::unique_ptr<cusolverDnContext, Destroy<cusolverDnContext, &Api::cusolverDnDestroy>> raw;
    std::unique_ptr<cusolverDnParams, Destroy<cusolverDnParams, &Api::cusolverDnDestroyParams>> params;
};
const Handle& handle(const char* op, DeviceIndex index) {
    static thread_local Handle handles[64];
    Handle& h = handles[std::size_t(index)];
    if (!h.raw) {
        cusolverDnHandle_t raw = nullptr;
        check(api()->cusolverDnCreate(&raw), op, "cusolverDnCreate");
        h.raw.reset(raw);
    }
    if (!h.params) {
        cusolverDnParams_t params = nullptr;
        check(api()->cusolverDnCreateParams(&params), op, "cusolverDnCreateParams");
        h.params.reset(params);
    }
    check(api()->cusolverDnSetStream(h.raw.get(), raw_stream(index)), op, "cusolverDnSetStream");
    return h;
}

cudaDataType type_of(ScalarType t) {
    switch (t) {
    case kFloat:
        return CUDA_R_32F;
    case kDouble:
        return CUDA_R_64F;
    case kComplexFloat:
        return CUDA_C_32F;
    default:
        return CUDA_C_64F;
    }
}

/// The `i`-th of things of `count` elements each.
void* nth(const Tensor& t, std::int64_t i, std::int64_t count) {
    return static_cast<std::byte*>(t.data_ptr()) + std::size_t(i * count) * elementSize(t.scalar_type());
}
struct Batch {
    std::int64_t rows, columns, count;
    cudaDataType type;
    explicit Batch(const Tensor& t)
        : rows(t.size(-1)), columns(t.size(-2)), count(t.numel() == 0 ? 0 : t.numel() / (rows * columns)),
          type(type_of(t.scalar_type())) {}
    std::int64_t each() const { return rows * columns; }
};
/// Working memory, here and there: the matrices of a batch have it one after the other, in the order of the stream.
struct Room {
    std::size_t there_bytes = 0, here_bytes = 0;
    Tensor there;
    std::vector<std::byte> here;
    void take(const Tensor& where) {
        there = reel::empty({std::int64_t(there_bytes)}, where.options().requires_grad(false).dtype(kByte));
        here.resize(here_bytes);
    }
    void* data() { return there_bytes ? there.data_ptr() : nullptr; }
    void* host() { return here_bytes ? here.data() : nullptr; }
};
Tensor integers(const Tensor& where, std::int64_t count) {
    return reel::empty({count}, where.options().requires_grad(false).dtype(kInt));
}
int* nth_info(const Tensor& info, std::int64_t i) { return static_cast<int*>(nth(info, i, 1)); }
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

} // namespace reel::cuda::solver

#endif
