// The toolkit's functions about memory: allocation in stream order, pools, copies.
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <reel/cuda/emulation/modes.hpp>

#include "fault.hpp"
#include "memory.hpp"
#include "runtime.hpp"

using namespace reel::cuda::emulation;

namespace {

/// Host memory that the device reads and writes by itself.
std::map<const std::byte*, std::size_t>& pinned() {
    static auto& all = *new std::map<const std::byte*, std::size_t>();
    return all;
}
bool is_pinned(const void* p) {
    auto after = pinned().upper_bound(static_cast<const std::byte*>(p));
    if (after == pinned().begin()) return false;
    --after;
    return static_cast<const std::byte*>(p) < after->first + after->second;
}

/// A copy by the device; `what` for faults.
void copy_now(void* to, const void* from, std::size_t n, int device, const char* what) {
    const DeviceWork work(device, what);
    std::memcpy(to, from, n);
}
bool holds(const Allocation* a, const void* p, std::size_t n) {
    const auto* const b = static_cast<const std::byte*>(p);
    return a && a->life != Life::freed && b >= a->begin && n <= a->bytes && b <= a->begin + (a->bytes - n);
}
cudaMemcpyKind kind_of(const void* to, const void* from) {
    if (is_device_address(to)) return is_device_address(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return is_device_address(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}
/// What lies on the device must lie there whole.
bool sound(const void* to, const void* from, std::size_t n, cudaMemcpyKind kind) {
    if (kind != cudaMemcpyDefault && kind != kind_of(to, from)) return false;
    for (const void* const p : {to, from})
        if (is_device_address(p) && !holds(allocation_at(p), p, n)) return false;
    return true;
}

cudaError_t copy(void* to, const void* from, std::size_t n, cudaMemcpyKind kind, Stream& s) {
    if (n == 0) return cudaSuccess;
    if (!sound(to, from, n, kind)) return answer(cudaErrorInvalidValue);
    switch (kind_of(to, from)) {
    case cudaMemcpyDeviceToDevice:
        enqueue(s, [=, d = s.device] { copy_now(to, from, n, d, "a copy on the device"); });
        break;
    case cudaMemcpyHostToDevice:
        if (is_pinned(from)) {
            enqueue(s, [=, d = s.device] { copy_now(to, from, n, d, "a copy to the device"); });
        } else if (s.capture) { // would be read when the graph runs, wherever it is by then
            return answer(cudaErrorStreamCaptureUnsupported);
        } else { // pageable memory has been read when the call returns
            const auto* const b = static_cast<const std::byte*>(from);
            auto staged = std::make_shared<std::vector<std::byte>>(b, b + n);
            enqueue(s, [=, d = s.device] { copy_now(to, staged->data(), n, d, "a copy to the device"); });
        }
        break;
    case cudaMemcpyDeviceToHost:
        if (s.capture && !is_pinned(to)) return answer(cudaErrorStreamCaptureUnsupported);
        enqueue(s, [=, d = s.device] { copy_now(to, from, n, d, "a copy to the host"); });
        if (!is_pinned(to)) drain(s);
        break;
    default:
        std::memcpy(to, from, n);
    }
    return cudaSuccess;
}

struct Pool {
    int device;
};
Pool& pool_of(int device) {
    static auto& pools = *new std::map<int, Pool>();
    return pools.try_emplace(device, Pool{device}).first->second;
}

} // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** p, std::size_t n, cudaStream_t stream) {
    if (this_request_fails()) return answer(cudaErrorMemoryAllocation);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    *p = nullptr;
    if (n == 0) return cudaSuccess;
    if (s->capture) return answer(cudaErrorStreamCaptureUnsupported); // memory of the graph's own: nobody here wants it
    Allocation* const a = reserve(n, s->device);
    if (!a) return answer(cudaErrorMemoryAllocation);
    *p = a->begin;
    enqueue(*s, [a] { make_live(*a); });
    return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    if (!p) return cudaSuccess;
    if (s->capture) return answer(cudaErrorStreamCaptureUnsupported);
    Allocation* const a = is_device_address(p) ? allocation_at(p) : nullptr;
    if (!a || a->begin != p) return answer(cudaErrorInvalidValue);
    if (a->life == Life::freed) fault("device memory is freed twice");
    enqueue(*s, [a] {
        if (a->life == Life::freed) fault("device memory is freed twice");
        if (a->life == Life::not_yet)
            fault("device memory is freed on a stream that did not wait for the one that makes it");
        release(*a);
    });
    return cudaSuccess;
}
cudaError_t cudaMalloc(void** p, std::size_t n) {
    if (this_request_fails()) return answer(cudaErrorMemoryAllocation);
    const std::lock_guard guard(runtime_lock());
    *p = nullptr;
    if (n == 0) return cudaSuccess;
    Allocation* const a = reserve(n, current_device());
    if (!a) return answer(cudaErrorMemoryAllocation);
    make_live(*a);
    *p = a->begin;
    return cudaSuccess;
}
cudaError_t cudaFree(void* p) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    if (!p) return cudaSuccess;
    Allocation* const a = is_device_address(p) ? allocation_at(p) : nullptr;
    if (!a || a->begin != p) return answer(cudaErrorInvalidValue);
    if (a->life == Life::freed) fault("device memory is freed twice");
    if (is_capturing(a->device)) return answer(cudaErrorStreamCaptureUnsupported);
    drain_device(a->device);
    release(*a);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void** p, std::size_t n) {
    if (this_call_fails()) return answer(cudaErrorMemoryAllocation);
    const std::lock_guard guard(runtime_lock());
    *p = ::operator new(n ? n : 1, std::align_val_t(256));
    pinned()[static_cast<const std::byte*>(*p)] = n;
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* p) {
    const std::lock_guard guard(runtime_lock());
    if (!p) return cudaSuccess;
    if (pinned().erase(static_cast<const std::byte*>(p)) == 0) return answer(cudaErrorInvalidValue);
    for (int d = 0; d < modes().devices; ++d) drain_device(d); // somebody may still read or write it
    ::operator delete(p, std::align_val_t(256));
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t n, cudaMemcpyKind kind, cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    return s ? copy(to, from, n, kind, *s) : answer(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t n, cudaMemcpyKind kind) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream& s = default_stream(current_device());
    const cudaError_t status = copy(to, from, n, kind, s);
    if (status == cudaSuccess) drain(s);
    return status;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t n,
                                cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    if (n == 0) return cudaSuccess;
    const Allocation *const a = allocation_at(to), *const b = allocation_at(from);
    if (!sound(to, from, n, cudaMemcpyDeviceToDevice) || a->device != to_device || b->device != from_device)
        return answer(cudaErrorInvalidValue);
    enqueue(*s, [=] {
        std::vector<std::byte> way(n);
        copy_now(way.data(), from, n, from_device, "a copy between devices");
        copy_now(to, way.data(), n, to_device, "a copy between devices");
    });
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* p, int value, std::size_t n, cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    if (n == 0) return cudaSuccess;
    if (!is_device_address(p) || !holds(allocation_at(p), p, n)) return answer(cudaErrorInvalidValue);
    enqueue(*s, [=, d = s->device] {
        const DeviceWork work(d, "a memset");
        std::memset(p, value, n);
    });
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    if (device < 0 || device >= modes().devices) return answer(cudaErrorInvalidDevice);
    *pool = reinterpret_cast<cudaMemPool_t>(&pool_of(device));
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
    const std::lock_guard guard(runtime_lock());
    Usage& u = usage(reinterpret_cast<Pool*>(pool)->device);
    const bool high = which == cudaMemPoolAttrUsedMemHigh || which == cudaMemPoolAttrReservedMemHigh;
    if (high && *static_cast<std::uint64_t*>(value) != 0) return answer(cudaErrorInvalidValue); // only a reset
    if (high) u.peak = u.now;
    return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
    const std::lock_guard guard(runtime_lock());
    const Usage& u = usage(reinterpret_cast<Pool*>(pool)->device);
    auto& out = *static_cast<std::uint64_t*>(value);
    switch (which) {
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrReservedMemCurrent:
        out = u.now;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
        out = u.peak;
        return cudaSuccess;
    default:
        return answer(cudaErrorInvalidValue);
    }
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }

} // extern "C"
