// Streams and events: the order in which a device works.
#pragma once

#include <memory>

#include <reel/autograd/device.hpp>

struct CUstream_st; // what the toolkit's cudaStream_t points to

namespace reel::cuda {

class Event;

/// A queue of work on one device. A handle: copies name the same queue. Ops go to the calling thread's current stream.
/// Queues live as long as the process; each device has 32 of either priority, handed out in turn.
class Stream {
public:
    /// The next of the device's queues of usual priority: it does not wait for the device's default one. Throws Error
    /// with the reason without a device.
    explicit Stream(DeviceIndex index = -1);
    DeviceIndex device_index() const;
    Device device() const { return Device(kCUDA, device_index()); }
    /// As the driver counts: 0 is usual, negative is preferred.
    int priority() const;
    /// Has everything queued so far ended?
    bool query() const;
    void synchronize() const;
    /// What is queued from now on waits for `event`.
    void wait(const Event& event) const;
    /// The driver's handle, a `cudaStream_t`.
    CUstream_st* stream() const;
    void* native() const { return stream(); }
    friend bool operator==(const Stream& a, const Stream& b) { return a.impl_ == b.impl_; }

private:
    struct Impl;
    explicit Stream(const Impl* impl) : impl_(impl) {}
    friend struct StreamAccess;
    const Impl* impl_;
};

/// The calling thread's stream on that device; the device's default stream until a guard changes it.
Stream current_stream(DeviceIndex index = -1);
/// The stream that all threads use where they say nothing else. Not the driver's legacy one: it waits for nobody.
Stream default_stream(DeviceIndex index = -1);
/// The next of the device's queues of that priority.
Stream get_stream_from_pool(bool high_priority = false, DeviceIndex index = -1);
void set_current_stream(const Stream& stream);

/// Makes a stream current for a scope, and its device.
class StreamGuard {
public:
    explicit StreamGuard(const Stream& stream);
    ~StreamGuard();
    StreamGuard(const StreamGuard&) = delete;
    StreamGuard& operator=(const StreamGuard&) = delete;

private:
    Stream before_;
    DeviceIndex device_before_;
};

/// A point in a stream's work.
class Event {
public:
    explicit Event(bool timing = false);
    void record(const Stream& stream);
    /// On the calling thread's current stream.
    void record() { record(current_stream()); }
    /// What is queued on `stream` from now on waits for this point.
    void block(const Stream& stream) const { stream.wait(*this); }
    /// Has it been reached? True for one that was never recorded.
    bool query() const;
    void synchronize() const;
    /// Milliseconds from this event to `end`; both need `timing`.
    float elapsed_time(const Event& end) const;

private:
    friend class Stream;
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

// libtorch's names
using CUDAStream = Stream;
using CUDAStreamGuard = StreamGuard;
using CUDAEvent = Event;
inline Stream getCurrentCUDAStream(DeviceIndex index = -1) { return current_stream(index); }
inline Stream getDefaultCUDAStream(DeviceIndex index = -1) { return default_stream(index); }
inline Stream getStreamFromPool(bool high_priority = false, DeviceIndex index = -1) {
    return get_stream_from_pool(high_priority, index);
}
inline void setCurrentCUDAStream(const Stream& stream) { set_current_stream(stream); }

} // namespace reel::cuda
