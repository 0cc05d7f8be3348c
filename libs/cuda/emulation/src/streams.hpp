// Streams as queues that run as late as they may.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include <cuda_runtime_api.h>

namespace reel::cuda::emulation {

struct Event {
    unsigned flags = 0;
    int device = 0;
    std::uint64_t recorded = 0; ///< how often a stream was told to
    std::uint64_t reached = 0;  ///< the last of them that has run
    double milliseconds = 0;    ///< when that was
    struct Stream* stream = nullptr;
};

/// Something to do, at the earliest when `until` has been reached `times` times.
struct Task {
    std::function<void()> run;
    std::shared_ptr<Event> until;
    std::uint64_t times = 0;
    std::uint64_t number = 0; ///< over all streams, in the order of the program
};

struct Stream {
    int device = 0;
    bool legacy = false;   ///< the default one, which is ordered with all that block
    bool blocking = false; ///< ordered with the default one
    bool alive = true;
    std::deque<Task> queue;
};

/// One for all calls of the runtime: they may come from several threads.
std::recursive_mutex& runtime_lock();
/// The stream of a handle on the current device; null for one that is none (any more).
Stream* stream_of(cudaStream_t handle);
Stream& default_stream(int device);
Stream* make_stream(int device, bool blocking);

void enqueue(Stream& s, std::function<void()> run);
void enqueue_wait(Stream& s, const std::shared_ptr<Event>& event);
void enqueue_record(Stream& s, const std::shared_ptr<Event>& event);
/// Runs what is queued in `s`, with all that it waits for.
void drain(Stream& s);
void drain_device(int device);
/// Runs one task of `s`, if there is one: what a program that polls may count on.
void advance(Stream& s);
void drain_until(const std::shared_ptr<Event>& event);

} // namespace reel::cuda::emulation
