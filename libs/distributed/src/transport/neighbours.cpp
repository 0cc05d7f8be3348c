#include "transport/neighbours_memory.hpp"

#include <algorithm>
#include <utility>

namespace reel::distributed::detail {

Neighbour::Neighbour(std::int64_t peer, SharedSegment segment, const RingMemory& written, const RingMemory& read)
    : rank(peer), theirs(std::move(segment)), head(*reinterpret_cast<SegmentHead*>(theirs.bytes())), writer(written),
      reader(read, head.bell) {}

Neighbours::Memory::~Memory() {
    if (!collector.joinable()) return;
    ending = true;
    head().full.ring();
    collector.join();
}

void Neighbours::Memory::add(std::unique_ptr<Neighbour> neighbour) {
    by_rank[std::size_t(neighbour->rank)] = neighbour.get();
    all.push_back(std::move(neighbour));
}

void Neighbours::Memory::begin() {
    collector = std::thread([this] {
        for (;;) {
            const std::uint32_t heard = head().full.rung();
            if (ending) return;
            collect();
            head().full.sleep(heard, Deadline::max());
        }
    });
}

/// So that those who write have room. Any thread.
void Neighbours::Memory::collect() {
    for (const auto& n : all) {
        const std::lock_guard lock(n->reading);
        for (Message message; n->reader.next(message, true); message = {}) n->collected.push_back(std::move(message));
    }
}

Neighbours::Neighbours(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) { memory_->begin(); }
Neighbours::~Neighbours() = default;
bool Neighbours::has(std::int64_t rank) const { return memory_->by_rank[std::size_t(rank)] != nullptr; }
std::int64_t Neighbours::count() const { return std::int64_t(memory_->all.size()); }

void Neighbours::serve(Mailbox& box, std::function<bool()> pump, bool rings) const {
    // who spins needs a core that nobody else does
    const bool spin = std::int64_t(std::thread::hardware_concurrency()) > count();
    box.set_pump(std::move(pump), rings ? &memory_->head().bell : nullptr, spin);
}

bool Neighbours::send(std::int64_t rank, const Envelope& envelope, const void* bytes, Deadline deadline,
                      const std::function<bool()>& gone) {
    constexpr auto patience = std::chrono::microseconds(200), between = std::chrono::microseconds(20'000);
    Neighbour& to = *memory_->by_rank[std::size_t(rank)];
    SharedBell& bell = memory_->head().bell;
    const std::lock_guard one_at_a_time(to.writing);
    const auto put = [&](std::size_t offset, std::size_t here) {
        if (!to.writer.put(envelope, bytes, offset, here)) return false;
        to.head.bell.ring();
        return true;
    };
    std::size_t done = 0;
    do {
        const std::size_t here = std::min<std::size_t>(envelope.payload - done, to.writer.most());
        Deadline nudged = Clock::now() + patience;
        while (!put(done, here)) {
            const std::uint32_t heard = bell.rung();
            to.writer.want_room();
            memory_->collect(); // who waits for room, too, may wait for this rank
            if (put(done, here)) break;
            const Deadline now = Clock::now();
            if (now >= deadline || gone()) return false;
            if (now >= nudged) {
                to.head.full.ring();
                nudged = now + between;
            }
            bell.sleep(heard, std::min(deadline, nudged));
        }
        done += here;
    } while (done < envelope.payload);
    return true;
}

bool Neighbours::pump(Mailbox& box) {
    const std::lock_guard order(memory_->delivering); // messages of one rank are delivered one after the other
    bool any = false;
    for (const auto& n : memory_->all)
        for (;;) {
            Message message;
            {
                const std::lock_guard lock(n->reading);
                if (!n->collected.empty()) {
                    message = std::move(n->collected.front());
                    n->collected.pop_front();
                } else if (!n->reader.next(message, false)) break;
            }
            box.deliver(n->rank, std::move(message));
            any = true;
        }
    return any;
}

} // namespace reel::distributed::detail
