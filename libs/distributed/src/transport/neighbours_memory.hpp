// What is behind Neighbours: segments, and a ring for each way.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <reel/distributed/detail/neighbours.hpp>

#include "transport/shared_ring.hpp"
#include "transport/shared_segment.hpp"

namespace reel::distributed::detail {

/// At the beginning of a rank's segment.
struct SegmentHead {
    SharedBell bell;             ///< something has come
    alignas(64) SharedBell full; ///< somebody finds no room, and this rank looks at nothing
};

/// Memory that this rank and another one have.
struct Neighbour {
    std::int64_t rank;
    SharedSegment theirs; ///< has the ring that this rank writes
    SegmentHead& head;    ///< of it
    std::mutex writing;
    RingWriter writer;
    std::mutex reading; ///< of what follows
    RingReader reader;
    std::deque<Message> collected; ///< taken out of the ring before anybody asked for it
    Neighbour(std::int64_t peer, SharedSegment segment, const RingMemory& written, const RingMemory& read);
};

struct Neighbours::Memory {
    /// `own` has this rank's bells, and the rings of which it is the reader.
    Memory(std::int64_t world, SharedSegment own) : segment(std::move(own)), by_rank(std::size_t(world)) {}
    ~Memory();
    SegmentHead& head() const { return *reinterpret_cast<SegmentHead*>(segment.bytes()); }
    void add(std::unique_ptr<Neighbour> neighbour);
    /// From here on a thread takes out of the rings what others find no room behind; it sleeps else.
    void begin();
    void collect();

    SharedSegment segment;
    std::vector<Neighbour*> by_rank;
    std::vector<std::unique_ptr<Neighbour>> all;
    std::mutex delivering;
    std::atomic<bool> ending = false;
    std::thread collector;
};

} // namespace reel::distributed::detail
