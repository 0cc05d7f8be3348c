#include "transport/handover.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

namespace {
constexpr std::size_t first_ring = 4096; // behind the bell; rings begin on pages
constexpr std::size_t most_in_slot = std::size_t(1) << 17, least_in_slot = std::size_t(1) << 13;
constexpr std::size_t most_together = std::size_t(1) << 23; // of the slots of one rank's rings

/// Over the connection: where this rank listens; an empty name where it does not.
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
    Meeting(const Place& place, std::vector<tcp::socket>& links, Deadline deadline)
        : place_(place), links_(links), deadline_(deadline), offers_(links.size()) {}

    std::unique_ptr<Neighbours> run() {
        exchange_offers();
        if (near_.empty()) return nullptr;
        make_segment();
        // Nobody waits here for one who waits for it: first all come, then all are let in, then all hear of it.
        std::vector<Descriptor> connected = come_to_those_before();
        std::vector<std::int64_t> came;
        for (const std::int64_t peer : near_)
            if (peer > place_.rank && hear(peer)) came.push_back(peer);
        for (std::size_t k = 0; k < came.size(); ++k) let_one_in();
        for (std::size_t k = 0; k < near_.size() && near_[k] < place_.rank; ++k)
            if (connected[k]) tell(near_[k], take_over(connected[k], near_[k]));
        for (const std::int64_t peer : came) {
            const bool taken_over = hear(peer);
            if (auto& let_in = let_in_[std::size_t(peer)]; let_in && taken_over) settle(std::move(*let_in));
        }
        return neighbours_ && neighbours_->count() > 0 ? std::move(neighbours_) : nullptr;
    }

private:
    tcp::socket& link(std::int64_t peer) { return links_[std::size_t(peer)]; }
    [[noreturn]] void fail(std::int64_t peer) const {
        throw DistError(str("init: rank ", place_.rank, " of ", place_.size, ": rank ", peer,
                            " has come, and did not answer in time"));
    }
    void tell(std::int64_t peer, bool yes) {
        const char word = yes;
        if (!write_all(link(peer), &word, 1, nullptr, 0, deadline_)) fail(peer);
    }
    bool hear(std::int64_t peer) {
        char word = 0;
        if (!read_all(link(peer), &word, 1, deadline_)) fail(peer);
        return word != 0;
    }

    /// Both ends of a connection within one host have one address.
    bool same_host(std::int64_t peer) {
        boost::system::error_code error;
        const auto here = link(peer).local_endpoint(error).address();
        return !error && here == link(peer).remote_endpoint(error).address() && !error;
    }

    Offer listen() {
        const char* const wish = std::getenv("REEL_SHARED_MEMORY");
        if (wish && std::strcmp(wish, "0") == 0) return {};
        Offer offer;
        std::random_device entropy;
        std::string name = "reel-";
        while (name.size() < sizeof offer.name) name += "0123456789abcdef"[entropy() % 16];
        std::memcpy(offer.name, name.data(), sizeof offer.name);
        auto listener = listen_locally(offer.name, sizeof offer.name, int(place_.size));
        if (!listener) return {};
        listener_ = std::move(*listener);
        return offer;
    }

    void exchange_offers() {
        bool any = false;
        for (std::int64_t p = 0; p < place_.size; ++p) any |= p != place_.rank && same_host(p);
        const Offer mine = any ? listen() : Offer();
        for (std::int64_t p = 0; p < place_.size; ++p)
            if (p != place_.rank &&
                !write_all(link(p), same_host(p) ? &mine : &none_, sizeof mine, nullptr, 0, deadline_))
                fail(p);
        for (std::int64_t p = 0; p < place_.size; ++p) {
            if (p == place_.rank) continue;
            if (!read_all(link(p), &offers_[std::size_t(p)], sizeof(Offer), deadline_)) fail(p);
            if (mine.is_one() && same_host(p) && offers_[std::size_t(p)].is_one()) near_.push_back(p);
        }
    }

    void make_segment() {
        slot_bytes_ =
            std::clamp(std::bit_floor(most_together / RingControl::slots / near_.size()), least_in_slot, most_in_slot);
        if (auto segment = SharedSegment::make(first_ring + near_.size() * RingMemory::size(slot_bytes_)))
            neighbours_ = std::make_unique<Neighbours>(place_.size, std::move(*segment));
        let_in_.resize(std::size_t(place_.size));
    }
    std::size_t ring_of(std::int64_t peer) const {
        const auto k = std::size_t(std::find(near_.begin(), near_.end(), peer) - near_.begin());
        return first_ring + k * RingMemory::size(slot_bytes_);
    }
    bool hand_over(const Descriptor& socket, std::int64_t to) {
        const bool can = neighbours_ != nullptr;
        const Handover mine{can ? place_.rank : -1, can ? neighbours_->segment().size() : 0, ring_of(to), slot_bytes_};
        return send_with(socket, &mine, sizeof mine, can ? neighbours_->segment().descriptor() : -1) && can;
    }

    std::vector<Descriptor> come_to_those_before() {
        std::vector<Descriptor> connected(near_.size());
        for (std::size_t k = 0; k < near_.size() && near_[k] < place_.rank; ++k) {
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
        if (theirs && theirs->word.rank >= 0 && theirs->word.rank < place_.size &&
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
        const RingMemory read = RingMemory::at(neighbours_->segment().bytes() + ring_of(theirs.word.rank), slot_bytes_);
        const RingMemory written = RingMemory::at(theirs.segment.bytes() + theirs.word.ring, theirs.word.slot_bytes);
        neighbours_->add(std::make_unique<Neighbour>(theirs.word.rank, std::move(theirs.segment), written, read));
    }

    const Place& place_;
    std::vector<tcp::socket>& links_;
    Deadline deadline_;
    const Offer none_;
    std::vector<Offer> offers_;
    std::vector<std::int64_t> near_; ///< those who want to, in order
    Descriptor listener_;
    std::size_t slot_bytes_ = 0;
    std::unique_ptr<Neighbours> neighbours_;
    std::vector<std::optional<Given>> let_in_; ///< by rank
};
} // namespace

std::unique_ptr<Neighbours> share_memory(const Place& place, std::vector<tcp::socket>& links, Deadline deadline) {
    return Meeting(place, links, deadline).run();
}

} // namespace reel::distributed::detail
