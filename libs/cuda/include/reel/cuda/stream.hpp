// Streams and events: the order in which a device works.
#pragma once

#include <memory>

#include <reel/autograd/device.hpp>

namespace reel::cuda {

class Event;

/// A queue of work on one device. A handle: copies name the same queue. Ops go to the calling thread's current stream.
class Stream {
public:
    /// A new queue that does not wait for the device's default one. Throws Error with the reason without a device.
    explicit Stream(DeviceIndex index = -1);
    DeviceIndex device_index() const;
    /// Has everything queued so far ended?
    bool query() const;
    void synchronize() const;
    /// What is queued from now on waits for `event`.
    void wait(const Event& event) const;
    /// The driver's handle, a `cudaStream_t`.
    void* native() const;
    friend bool operator==(const Stream& a, const Stream& b) { return a.native() == b.native(); }

private:
    struct Impl;
    explicit Stream(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    friend struct StreamAccess;
    std::shared_ptr<Impl> impl_;
};

/// The calling thread's stream on that device; the device's default stream until a guard changes it.
Stream current_stream(DeviceIndex index = -1);
Stream default_stream(DeviceIndex index = -1);
void set_current_stream(const Stream& stream);

/// Makes a stream current for a scope.
class StreamGuard {
public:
    explicit StreamGuard(const Stream& stream);
    ~StreamGuard();
    StreamGuard(const StreamGuard&) = delete;
    StreamGuard& operator=(const StreamGuard&) = delete;

private:
    Stream before_;
};

/// A point in a stream's work.
class Event {
public:
    explicit Event(bool timing = false);
    void record(const Stream& stream);
    bool query() const;
    void synchronize() const;
    /// Milliseconds from this event to `end`; both need `timing`.
    float elapsed_time(const Event& end) const;

private:
    friend class Stream;
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace reel::cuda
