// The toolkit's functions about streams and events.
#include <map>
#include <utility>

#include "capture.hpp"
#include "memory.hpp"
#include "runtime.hpp"

using namespace reel::cuda::emulation;

namespace {

std::map<cudaEvent_t, std::shared_ptr<Event>>& events() {
    static auto& all = *new std::map<cudaEvent_t, std::shared_ptr<Event>>();
    return all;
}
std::shared_ptr<Event> event_of(cudaEvent_t handle) {
    const auto found = events().find(handle);
    return found == events().end() ? nullptr : found->second;
}

/// Waiting for what is only noted breaks the capture.
bool refuses_to_wait(const std::shared_ptr<Capture>& c) {
    if (c) c->broken = true;
    return bool(c);
}

} // namespace

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5; // as on the devices seen
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    if (this_call_fails()) return answer(cudaErrorMemoryAllocation);
    const std::lock_guard guard(runtime_lock());
    *stream = reinterpret_cast<cudaStream_t>(make_stream(current_device(), (flags & cudaStreamNonBlocking) == 0));
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s || s->legacy) return answer(cudaErrorInvalidResourceHandle);
    s->alive = false; // what is queued still runs
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    if (refuses_to_wait(s->capture)) return answer(cudaErrorStreamCaptureUnsupported);
    if (s->queue.empty()) return cudaSuccess;
    advance(*s);
    return cudaErrorNotReady;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    if (refuses_to_wait(s->capture)) return answer(cudaErrorStreamCaptureUnsupported);
    drain(*s);
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    const auto e = event_of(event);
    if (!s || !e) return answer(cudaErrorInvalidResourceHandle);
    if (!e->mark) return cudaSuccess;
    if (e->mark->capture ? e->mark->capture->ended : bool(s->capture)) { // not of the same graph
        if (s->capture) s->capture->broken = true;
        return answer(e->mark->capture ? cudaErrorCapturedEvent : cudaErrorStreamCaptureIsolation);
    }
    enqueue_wait(*s, *e);
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t f, void* data) {
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    enqueue(*s, [f, data] {
        close_memory();
        f(data);
    });
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    if (this_call_fails()) return answer(cudaErrorMemoryAllocation);
    const std::lock_guard guard(runtime_lock());
    auto e = std::make_shared<Event>();
    e->flags = flags;
    e->device = current_device();
    *event = reinterpret_cast<cudaEvent_t>(e.get());
    events()[*event] = std::move(e);
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const std::lock_guard guard(runtime_lock());
    return answer(events().erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    const auto e = event_of(event);
    Stream* const s = stream_of(stream);
    if (!e || !s || s->device != e->device) return answer(cudaErrorInvalidResourceHandle);
    enqueue_record(*s, *e);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    const auto e = event_of(event);
    if (!e) return answer(cudaErrorInvalidResourceHandle);
    if (e->mark && refuses_to_wait(e->mark->capture)) return answer(cudaErrorCapturedEvent);
    if (!e->mark || e->mark->reached) return cudaSuccess;
    advance(*e->mark->stream);
    return cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    const std::lock_guard guard(runtime_lock());
    const auto e = event_of(event);
    if (!e) return answer(cudaErrorInvalidResourceHandle);
    if (e->mark && refuses_to_wait(e->mark->capture)) return answer(cudaErrorCapturedEvent);
    if (e->mark) drain_until(*std::shared_ptr(e->mark)); // its work may record it again
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
    const std::lock_guard guard(runtime_lock());
    const auto a = event_of(start), b = event_of(end);
    if (!a || !b || !a->mark || !b->mark) return answer(cudaErrorInvalidResourceHandle);
    if (((a->flags | b->flags) & cudaEventDisableTiming) != 0) return answer(cudaErrorInvalidResourceHandle);
    if (!a->mark->reached || !b->mark->reached) return cudaErrorNotReady;
    *ms = float(b->mark->milliseconds - a->mark->milliseconds);
    return cudaSuccess;
}

} // extern "C"
