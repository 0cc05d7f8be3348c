// Graphs: work that is noted instead of run, with the order that events gave it, and run again as often as wanted.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "streams.hpp"

namespace reel::cuda::emulation {

/// What one of the captured streams is to do: run, wait for the end of an earlier step of another stream, or mark one.
struct Step {
    std::size_t stream = 0; ///< among the capture's
    std::function<void()> run;
    std::ptrdiff_t waits_for = -1; ///< the step that is a mark; -1: does not wait
};

/// A graph while it is made. Streams other than the first come in by waiting for one that is in, and must be waited for
/// before the end.
struct Capture : std::enable_shared_from_this<Capture> {
    std::vector<Stream*> streams;
    std::vector<Step> steps;
    std::vector<std::vector<std::size_t>> seen; ///< by stream: how many steps of each stream come before its next one
    std::vector<std::size_t> counts;            ///< steps of each stream
    bool ended = false;
    bool broken = false; ///< something asked for what a capture cannot do

    std::size_t number_of(Stream& s);
    void add(Stream& s, std::function<void()> run);
    void mark(Stream& s, Mark& m);
    void wait(Stream& s, const Mark& m);
    /// Did the first stream wait for all others?
    bool is_joined() const;

private:
    std::vector<std::vector<std::size_t>> seen_at_; ///< by step, for marks
};

/// A graph that can run: each captured stream has one that stands for it.
struct GraphWork {
    explicit GraphWork(const Capture& c);
    /// After what `on` has queued, and before what it is given next.
    void launch(Stream& on);
    std::vector<Step> steps;
    std::vector<Stream*> streams;
};

} // namespace reel::cuda::emulation
