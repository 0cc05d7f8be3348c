// Graphs: a step that is captured once and replayed without the host's work.
#pragma once

#include <memory>
#include <optional>

#include <reel/cuda/stream.hpp>

namespace reel::cuda {

/// Work of one device, captured by a `CaptureGuard` and run again by `replay()`: same kernels, same addresses, whatever
/// numbers lie there by then. Tensors made during the capture live in memory of the graph's own and hold what the last
/// replay wrote; they may outlive it. Random numbers: each replay goes on with its generators' streams, which it takes
/// as far as one run without a graph does. Indices are not looked at by the host: one out of range is noted by the
/// device, which takes a valid one instead.
class Graph {
public:
    Graph();
    ~Graph();
    Graph(Graph&&) noexcept;
    Graph& operator=(Graph&&) noexcept;

    /// Begins a capture on `stream` (default: the next of the pool), which becomes the calling thread's current stream
    /// until `capture_end`. Errors: Error when a capture is under way on this thread, or the graph holds one.
    void capture_begin(std::optional<Stream> stream = std::nullopt);
    /// Errors: Error when the capture broke (something waited for the device), or a stream that took part was not
    /// waited for.
    void capture_end();
    /// Queues the work on the calling thread's current stream. Errors: Error when nothing was captured, IndexError when
    /// a replay before this one met an index out of range.
    void replay() const;
    /// Waits for the device. Errors: IndexError when a replay met an index out of range.
    void check_indices() const;
    /// Forgets the work; its memory is freed with the last tensor in it.
    void reset();
    /// Does it hold work?
    explicit operator bool() const;

private:
    friend class CaptureGuard;
    void abandon() noexcept;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};
using CUDAGraph = Graph; ///< libtorch's name

/// Captures into `graph` for a scope. When the scope ends by an exception, nothing is captured.
class CaptureGuard {
public:
    explicit CaptureGuard(Graph& graph, std::optional<Stream> stream = std::nullopt);
    ~CaptureGuard() noexcept(false);
    CaptureGuard(const CaptureGuard&) = delete;
    CaptureGuard& operator=(const CaptureGuard&) = delete;

private:
    Graph& graph_;
    int exceptions_before_;
};

/// Is the calling thread capturing?
bool is_current_stream_capturing();

} // namespace reel::cuda
