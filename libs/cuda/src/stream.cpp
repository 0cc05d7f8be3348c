// Streams and events.
#include <reel/cuda/stream.hpp>

#include <array>

#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"

namespace reel::cuda {

struct Stream::Impl {
    cudaStream_t stream = nullptr;
    DeviceIndex device = 0;
    bool owned = false;
    ~Impl() {
        if (owned) cudaStreamDestroy(stream);
    }
};

struct StreamAccess {
    using Impl = Stream::Impl;
    static Stream make(std::shared_ptr<Impl> impl) { return Stream(std::move(impl)); }
    static const std::shared_ptr<Impl>& impl(const Stream& s) { return s.impl_; }
};

namespace {
constexpr int max_devices = 64;
/// What each thread has made current, by device; null is the default stream.
thread_local std::array<std::shared_ptr<StreamAccess::Impl>, max_devices> current;

std::shared_ptr<StreamAccess::Impl> default_impl(DeviceIndex index) {
    auto impl = std::make_shared<StreamAccess::Impl>();
    impl->device = index;
    return impl;
}
} // namespace

Stream::Stream(DeviceIndex index) : impl_(std::make_shared<Impl>()) {
    const DeviceGuard guard(impl_->device = checked_index(index));
    REEL_CUDA(cudaStreamCreateWithFlags(&impl_->stream, cudaStreamNonBlocking));
    impl_->owned = true;
}
DeviceIndex Stream::device_index() const { return impl_->device; }
void* Stream::native() const { return impl_->stream; }
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
    const DeviceGuard guard(impl_->device);
    REEL_CUDA(cudaStreamSynchronize(impl_->stream));
}

Stream default_stream(DeviceIndex index) { return StreamAccess::make(default_impl(checked_index(index))); }
Stream current_stream(DeviceIndex index) {
    index = checked_index(index);
    const auto& impl = current[std::size_t(index)];
    return StreamAccess::make(impl ? impl : default_impl(index));
}
void set_current_stream(const Stream& stream) {
    current[std::size_t(stream.device_index())] = stream.native() ? StreamAccess::impl(stream) : nullptr;
}
cudaStream_t raw_stream(DeviceIndex index) {
    const auto& impl = current[std::size_t(index)];
    return impl ? impl->stream : nullptr;
}

StreamGuard::StreamGuard(const Stream& stream) : before_(current_stream(stream.device_index())) {
    set_current_stream(stream);
}
StreamGuard::~StreamGuard() { set_current_stream(before_); }

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
    REEL_CUDA(cudaEventRecord(impl_->event, static_cast<cudaStream_t>(stream.native())));
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
