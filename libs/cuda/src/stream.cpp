// Streams and events.
#include <reel/cuda/stream.hpp>

#include <array>
#include <atomic>
#include <mutex>

#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "capturing.hpp"
#include "check.hpp"
#include "stream.hpp"

namespace reel::cuda {

struct Stream::Impl {
    cudaStream_t stream = nullptr;
    DeviceIndex device = 0;
    int priority = 0;
};

struct StreamAccess {
    using Impl = Stream::Impl;
    static Stream make(const Impl* impl) { return Stream(impl); }
    static const Impl* impl(const Stream& s) { return s.impl_; }
};

namespace {

using Impl = StreamAccess::Impl;
constexpr int max_devices = 64;
constexpr unsigned streams_of_a_priority = 32;

/// The queues of one device, made when first asked for. None is ever destroyed: memory is given back in their order.
struct DeviceStreams {
    std::once_flag default_once;
    Impl usual; ///< the default stream
    struct Pool {
        std::array<std::once_flag, streams_of_a_priority> once;
        std::array<Impl, streams_of_a_priority> streams;
        std::atomic<unsigned> next{0};
    };
    Pool usual_pool, preferred_pool;
};
DeviceStreams& streams_of(DeviceIndex index) {
    static auto& all = *new std::array<DeviceStreams, max_devices>();
    return all[std::size_t(index)];
}

void open(Impl& impl, DeviceIndex index, bool preferred) {
    const DeviceGuard guard(index);
    int least = 0, greatest = 0;
    REEL_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    impl.device = index;
    impl.priority = preferred ? greatest : least;
    REEL_CUDA(cudaStreamCreateWithPriority(&impl.stream, cudaStreamNonBlocking, impl.priority));
}
const Impl* default_impl(DeviceIndex index) {
    DeviceStreams& s = streams_of(index);
    std::call_once(s.default_once, [&] { open(s.usual, index, false); });
    return &s.usual;
}
const Impl* next_impl(DeviceIndex index, bool preferred) {
    auto& pool = preferred ? streams_of(index).preferred_pool : streams_of(index).usual_pool;
    const unsigned i = pool.next.fetch_add(1, std::memory_order_relaxed) % streams_of_a_priority;
    std::call_once(pool.once[i], [&] { open(pool.streams[i], index, preferred); });
    return &pool.streams[i];
}

/// What each thread has made current, by device; null is the default stream.
thread_local std::array<const Impl*, max_devices> current{};
const Impl* current_impl(DeviceIndex index) {
    const Impl* const impl = current[std::size_t(index)];
    return impl ? impl : default_impl(index);
}

} // namespace

Stream::Stream(DeviceIndex index) : impl_(next_impl(checked_index(index), false)) {}
DeviceIndex Stream::device_index() const { return impl_->device; }
int Stream::priority() const { return impl_->priority; }
CUstream_st* Stream::stream() const { return impl_->stream; }
bool Stream::query() const {
    const DeviceGuard guard(impl_->device);
    const cudaError_t status = cudaStreamQuery(impl_->stream);
    if (status == cudaErrorNotReady) {
        cudaGetLastError();
        return false;
    }
    check(status, "cudaStreamQuery");
    return true;
}
void Stream::synchronize() const {
    refuse_to_wait("Stream::synchronize()");
    const DeviceGuard guard(impl_->device);
    REEL_CUDA(cudaStreamSynchronize(impl_->stream));
}

Stream default_stream(DeviceIndex index) { return StreamAccess::make(default_impl(checked_index(index))); }
Stream current_stream(DeviceIndex index) { return StreamAccess::make(current_impl(checked_index(index))); }
Stream get_stream_from_pool(bool high_priority, DeviceIndex index) {
    return StreamAccess::make(next_impl(checked_index(index), high_priority));
}
void set_current_stream(const Stream& stream) {
    const Impl* const impl = StreamAccess::impl(stream);
    current[std::size_t(impl->device)] = impl == &streams_of(impl->device).usual ? nullptr : impl;
}
cudaStream_t raw_stream(DeviceIndex index) { return current_impl(index)->stream; }

StreamGuard::StreamGuard(const Stream& stream)
    : before_(current_stream(stream.device_index())), device_before_(current_device()) {
    set_device(stream.device_index()); // may throw: nothing has changed then
    set_current_stream(stream);
}
StreamGuard::~StreamGuard() {
    set_current_stream(before_);
    cudaSetDevice(device_before_);
}

// What the tape knows of streams: a number, 0 for a device's default one.
std::uintptr_t stream_token(DeviceIndex index) { return std::uintptr_t(current[std::size_t(index)]); }
void set_stream_token(DeviceIndex index, std::uintptr_t token) {
    current[std::size_t(index)] = reinterpret_cast<const Impl*>(token);
}
namespace {
const Impl& of_token(DeviceIndex index, std::uintptr_t token) {
    return token ? *reinterpret_cast<const Impl*>(token) : *default_impl(index);
}
} // namespace
cudaStream_t raw_stream(DeviceIndex index, std::uintptr_t token) { return of_token(index, token).stream; }
void order_streams(DeviceIndex before, std::uintptr_t token_before, DeviceIndex after, std::uintptr_t token_after) {
    // one for each device and thread is enough: who waits for it waits for what it names now
    static thread_local std::array<cudaEvent_t, max_devices> events{};
    cudaEvent_t& done = events[std::size_t(before)];
    const DeviceGuard guard(before);
    if (!done) REEL_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    REEL_CUDA(cudaEventRecord(done, raw_stream(before, token_before)));
    REEL_CUDA(cudaStreamWaitEvent(raw_stream(after, token_after), done, 0));
}

struct Event::Impl {
    cudaEvent_t event = nullptr;
    DeviceIndex device = -1; ///< where it was made: at the first record
    unsigned flags = 0;
    ~Impl() {
        if (event) cudaEventDestroy(event);
    }
};

Event::Event(bool timing) : impl_(std::make_shared<Impl>()) {
    impl_->flags = timing ? cudaEventDefault : cudaEventDisableTiming;
}
void Event::record(const Stream& stream) {
    const DeviceGuard guard(stream.device_index());
    REEL_CHECK(impl_->device < 0 || impl_->device == stream.device_index(),
               "cuda::Event::record: the event belongs to device ", int(impl_->device), ", the stream to device ",
               int(stream.device_index()));
    if (!impl_->event) {
        REEL_CUDA(cudaEventCreateWithFlags(&impl_->event, impl_->flags));
        impl_->device = stream.device_index();
    }
    REEL_CUDA(cudaEventRecord(impl_->event, stream.stream()));
}
bool Event::query() const {
    if (!impl_->event) return true;
    const cudaError_t status = cudaEventQuery(impl_->event);
    if (status == cudaErrorNotReady) {
        cudaGetLastError();
        return false;
    }
    check(status, "cudaEventQuery");
    return true;
}
void Event::synchronize() const {
    refuse_to_wait("Event::synchronize()");
    if (impl_->event) REEL_CUDA(cudaEventSynchronize(impl_->event));
}
float Event::elapsed_time(const Event& end) const {
    REEL_CHECK(impl_->event && end.impl_->event && impl_->flags == cudaEventDefault &&
                   end.impl_->flags == cudaEventDefault,
               "cuda::Event::elapsed_time: both events must be made with timing and recorded");
    float ms = 0;
    REEL_CUDA(cudaEventElapsedTime(&ms, impl_->event, end.impl_->event));
    return ms;
}
void Stream::wait(const Event& event) const {
    if (event.impl_->event) REEL_CUDA(cudaStreamWaitEvent(impl_->stream, event.impl_->event));
}

} // namespace reel::cuda
