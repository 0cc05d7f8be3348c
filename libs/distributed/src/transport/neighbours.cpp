#include "transport/neighbours.hpp"

#include <algorithm>
#include <utility>

namespace reel::distributed::detail {

Neighbour::Neighbour(std::int64_t peer, SharedSegment segment, const RingMemory& written, const RingMemory& read)
    : rank(peer), theirs(std::move(segment)), bell(*reinterpret_cast<SharedBell*>(theirs.bytes())), writer(written),
      reader(read, bell) {}

void Neighbours::add(std::unique_ptr<Neighbour> neighbour) {
    by_rank_[std::size_t(neighbour->rank)] = neighbour.get();
    all_.push_back(std::move(neighbour));
}

bool Neighbours::put(Neighbour& to, const Envelope& envelope, const void* bytes, std::size_t offset, std::size_t here) {
    if (!to.writer.put(envelope, bytes, offset, here)) return false;
    to.bell.ring();
    return true;
}

bool Neighbours::send(std::int64_t rank, const Envelope& envelope, const void* bytes, Deadline deadline,
                      const std::function<bool()>& gone, const std::function<void()>& nudge) {
    constexpr auto patience = std::chrono::microseconds(200), between = std::chrono::microseconds(20'000);
    Neighbour& to = *by_rank_[std::size_t(rank)];
    std::size_t done = 0;
    do {
        const std::size_t here = std::min<std::size_t>(envelope.payload - done, to.writer.most());
        Deadline nudged = Clock::now() + patience;
        while (!put(to, envelope, bytes, done, here)) {
            const std::uint32_t heard = bell().rung();
            to.writer.want_room();
            collect(); // who waits for room, too, may wait for this rank
            if (put(to, envelope, bytes, done, here)) break;
            const Deadline now = Clock::now();
            if (now >= deadline || gone()) return false;
            if (now >= nudged) {
                nudge();
                nudged = now + between;
            }
            bell().sleep(heard, std::min(deadline, nudged));
        }
        done += here;
    } while (done < envelope.payload);
    return true;
}

bool Neighbours::pump(const std::function<void(std::int64_t, Message)>& deliver) {
    const std::lock_guard order(delivering_); // messages of one rank are delivered one after the other
    bool any = false;
    for (const auto& n : all_)
        for (;;) {
            Message message;
            {
                const std::lock_guard lock(n->reading);
                if (!n->collected.empty()) {
                    message = std::move(n->collected.front());
                    n->collected.pop_front();
                } else if (!n->reader.next(message, false)) break;
            }
            deliver(n->rank, std::move(message));
            any = true;
        }
    return any;
}

void Neighbours::collect() {
    for (const auto& n : all_) {
        const std::lock_guard lock(n->reading);
        for (Message message; n->reader.next(message, true); message = {}) n->collected.push_back(std::move(message));
    }
}

} // namespace reel::distributed::detail
