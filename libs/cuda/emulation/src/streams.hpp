// Streams as queues that run as late as they may.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include <cuda_runtime_api.h>

namespace reel::cuda::emulation {

/// A point in a stream's work.
struct Mark {
    struct Stream* stream = nullptr;
    bool reached = false;
    std::shared_ptr<struct Capture> capture; ///< in which it was recorded: it is a point of a graph, not of the stream
    std::size_t place = 0;                   ///< there
    double milliseconds = 0;                 ///< when that was
};
/// Names a point; recording it again names another, and who waits for the first one still does.
struct Event {
    unsigned flags = 0;
    int device = 0;
    std::shared_ptr<Mark> mark; ///< null until it is recorded
};

/// Something to do, at the earliest when `until` has been reached.
struct Task {
    std::function<void()> run;
    std::shared_ptr<const Mark> until;
    std::uint64_t number = 0; ///< over all streams, in the order of the program
};

struct Stream {
    int device = 0;
    bool legacy = false;   ///< the default one, which is ordered with all that block
    bool blocking = false; ///< ordered with the default one
    bool alive = true;
    std::shared_ptr<struct Capture> capture; ///< what is enqueued becomes part of a graph instead
    std::deque<Task> queue;
};

/// One for all calls of the runtime: they may come from several threads.
std::recursive_mutex& runtime_lock();
/// The stream of a handle on the current device; null for one that is none (any more).
Stream* stream_of(cudaStream_t handle);
Stream& default_stream(int device);
Stream* make_stream(int device, bool blocking);

void enqueue(Stream& s, std::function<void()> run);
void enqueue_wait(Stream& s, const Event& event);
void enqueue_record(Stream& s, Event& event);
/// Runs what is queued in `s`, with all that it waits for.
void drain(Stream& s);
void drain_device(int device);
/// Runs one task of `s`, if there is one: what a program that polls may count on.
void advance(Stream& s);
void drain_until(const Mark& mark);
/// Is work of any stream of the device being captured?
bool is_capturing(int device);

} // namespace reel::cuda::emulation
