// How ranks of one host come to have memory in common.
#include "transport/neighbours_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

namespace {
constexpr std::size_t first_ring = 4096; // behind the head; rings begin on pages
static_assert(sizeof(SegmentHead) <= first_ring);
constexpr std::size_t most_in_slot = std::size_t(1) << 17, least_in_slot = std::size_t(1) << 13;
constexpr std::size_t most_together = std::size_t(1) << 23; // of the slots of one rank's rings

/// To every other rank: where this rank listens; an empty name where it does not.
struct Offer {
    char name[32] = {};
    bool is_one() const { return name[0] != '\0'; }
};
/// With the descriptor of a segment: which of its rings is the receiver's to write.
struct Handover {
    std::int64_t rank = -1;
    std::uint64_t size = 0, ring = 0, slot_bytes = 0;
};
struct Given {
    Handover word;
    SharedSegment segment;
};

class Meeting {
public:
    explicit Meeting(const Introduction& introduction)
        : others_(introduction), deadline_(introduction.deadline), offers_(std::size_t(introduction.size)) {}

    std::unique_ptr<Neighbours> run() {
        exchange_offers();
        if (near_.empty()) return nullptr;
        make_segment();
        // Nobody waits here for one who waits for it: first all come, then all are let in, then all hear of it.
        std::vector<Descriptor> connected = come_to_those_before();
        std::vector<std::int64_t> came;
        for (const std::int64_t peer : near_)
            if (peer > others_.rank && hear(peer)) came.push_back(peer);
        for (std::size_t k = 0; k < came.size(); ++k) let_one_in();
        for (std::size_t k = 0; k < near_.size() && near_[k] < others_.rank; ++k)
            if (connected[k]) tell(near_[k], take_over(connected[k], near_[k]));
        for (const std::int64_t peer : came) {
            const bool taken_over = hear(peer);
            if (auto& let_in = let_in_[std::size_t(peer)]; let_in && taken_over) settle(std::move(*let_in));
        }
        if (!memory_ || memory_->all.empty()) return nullptr;
        return std::make_unique<Neighbours>(std::move(memory_));
    }

private:
    [[noreturn]] void fail(std::int64_t peer) const {
        throw DistError(str("init: rank ", others_.rank, " of ", others_.size, ": rank ", peer,
                            " has come, and did not answer in time"));
    }
    void tell(std::int64_t peer, bool yes) {
        const char word = yes;
        if (!others_.tell(peer, &word, 1)) fail(peer);
    }
    bool hear(std::int64_t peer) {
        char word = 0;
        if (!others_.hear(peer, &word, 1)) fail(peer);
        return word != 0;
    }

    Offer listen() {
        const char* const wish = std::getenv("REEL_SHARED_MEMORY");
        if (wish && std::strcmp(wish, "0") == 0) return {};
        Offer offer;
        std::random_device entropy;
        std::string name = "reel-";
        while (name.size() < sizeof offer.name) name += "0123456789abcdef"[entropy() % 16];
        std::memcpy(offer.name, name.data(), sizeof offer.name);
        auto listener = listen_locally(offer.name, sizeof offer.name, int(others_.size));
        if (!listener) return {};
        listener_ = std::move(*listener);
        return offer;
    }

    void exchange_offers() {
        std::vector<bool> near(offers_.size());
        for (std::int64_t p = 0; p < others_.size; ++p)
            near[std::size_t(p)] = p != others_.rank && others_.same_host(p);
        const Offer mine = std::ranges::count(near, true) ? listen() : Offer();
        for (std::int64_t p = 0; p < others_.size; ++p)
            if (p != others_.rank && !others_.tell(p, near[std::size_t(p)] ? &mine : &none_, sizeof mine)) fail(p);
        for (std::int64_t p = 0; p < others_.size; ++p) {
            if (p == others_.rank) continue;
            if (!others_.hear(p, &offers_[std::size_t(p)], sizeof(Offer))) fail(p);
            if (mine.is_one() && near[std::size_t(p)] && offers_[std::size_t(p)].is_one()) near_.push_back(p);
        }
    }

    void make_segment() {
        slot_bytes_ =
            std::clamp(std::bit_floor(most_together / RingControl::slots / near_.size()), least_in_slot, most_in_slot);
        if (auto segment = SharedSegment::make(first_ring + near_.size() * RingMemory::size(slot_bytes_)))
            memory_ = std::make_unique<Neighbours::Memory>(others_.size, std::move(*segment));
        let_in_.resize(std::size_t(others_.size));
    }
    std::size_t ring_of(std::int64_t peer) const {
        const auto k = std::size_t(std::find(near_.begin(), near_.end(), peer) - near_.begin());
        return first_ring + k * RingMemory::size(slot_bytes_);
    }
    bool hand_over(const Descriptor& socket, std::int64_t to) {
        const bool can = memory_ != nullptr;
        const Handover mine{can ? others_.rank : -1, can ? memory_->segment.size() : 0, ring_of(to), slot_bytes_};
        return send_with(socket, &mine, sizeof mine, can ? memory_->segment.descriptor() : -1) && can;
    }

    std::vector<Descriptor> come_to_those_before() {
        std::vector<Descriptor> connected(near_.size());
        for (std::size_t k = 0; k < near_.size() && near_[k] < others_.rank; ++k) {
            const Offer& there = offers_[std::size_t(near_[k])];
            auto socket = connect_locally(there.name, sizeof there.name);
            const bool came = socket && hand_over(*socket, near_[k]);
            if (came) connected[k] = std::move(*socket);
            tell(near_[k], came);
        }
        return connected;
    }
    /// Whoever is the next to have come; it hears whether this rank can.
    void let_one_in() {
        const auto socket = accept_locally(listener_, deadline_);
        if (!socket) return;
        auto theirs = receive(*socket);
        if (theirs && theirs->word.rank >= 0 && theirs->word.rank < others_.size &&
            hand_over(*socket, theirs->word.rank))
            let_in_[std::size_t(theirs->word.rank)].emplace(std::move(*theirs));
    }
    bool take_over(const Descriptor& socket, std::int64_t peer) {
        auto theirs = receive(socket);
        if (!theirs || theirs->word.rank != peer) return false;
        settle(std::move(*theirs));
        return true;
    }
    std::optional<Given> receive(const Descriptor& socket) const {
        Handover word;
        Descriptor fd;
        if (!receive_with(socket, &word, sizeof word, fd, deadline_)) return std::nullopt;
        auto segment = SharedSegment::map(std::move(fd), word.size);
        if (!segment || word.ring + RingMemory::size(word.slot_bytes) > word.size) return std::nullopt;
        return Given{word, std::move(*segment)};
    }
    void settle(Given theirs) {
        const RingMemory read = RingMemory::at(memory_->segment.bytes() + ring_of(theirs.word.rank), slot_bytes_);
        const RingMemory written = RingMemory::at(theirs.segment.bytes() + theirs.word.ring, theirs.word.slot_bytes);
        memory_->add(std::make_unique<Neighbour>(theirs.word.rank, std::move(theirs.segment), written, read));
    }

    const Introduction& others_;
    Deadline deadline_;
    const Offer none_;
    std::vector<Offer> offers_;
    std::vector<std::int64_t> near_; ///< those who want to, in order
    Descriptor listener_;
    std::size_t slot_bytes_ = 0;
    std::unique_ptr<Neighbours::Memory> memory_;
    std::vector<std::optional<Given>> let_in_; ///< by rank
};
} // namespace

std::unique_ptr<Neighbours> Neighbours::meet(const Introduction& introduction) { return Meeting(introduction).run(); }

} // namespace reel::distributed::detail
