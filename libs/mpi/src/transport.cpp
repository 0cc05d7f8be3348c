// Messages over MPI: an envelope, with what is short; what is long follows by itself. Ranks of one host write theirs
// into memory that they have in common.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <list>
#include <thread>

#include <unistd.h>

#include <boost/mpi/exception.hpp>
#include <boost/mpi/nonblocking.hpp>

#include <reel/autograd/error.hpp>
#include <reel/distributed/detail/lifeline.hpp>
#include <reel/distributed/detail/neighbours.hpp>
#include <reel/distributed/detail/transport.hpp>

#include "environment.hpp"

namespace reel::mpi {

namespace {
using namespace distributed::detail;
namespace mpi = boost::mpi;

constexpr int envelope_tag = 0, payload_tag = 1, introduction_tag = 2;
constexpr std::size_t inline_bytes = 16384;               // copied, and behind the envelope
constexpr std::size_t piece_bytes = std::size_t(1) << 30; // MPI counts in ints

/// A message on its way in; those of one sender are delivered in order.
struct Arriving {
    Message message;
    std::vector<mpi::request> pieces;
    bool complete() {
        while (!pieces.empty() && pieces.back().test()) pieces.pop_back();
        return pieces.empty();
    }
};

/// A message on its way out.
struct Leaving {
    std::vector<char> head; ///< the envelope, and what is short
    std::vector<mpi::request> parts;
    bool complete() {
        while (!parts.empty() && parts.back().test()) parts.pop_back();
        return parts.empty();
    }
};

class MpiTransport final : public Transport {
public:
    MpiTransport(MPI_Comm own, const distributed::Options& options)
        : comm_(own, mpi::comm_take_ownership), rank_(comm_.rank()), size_(comm_.size()), box_(size_),
          arriving_(std::size_t(size_)), ended_(std::size_t(size_)),
          lifeline_(rank_, size_, [this](std::int64_t r) { lost(r); }) {
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        if (size_ > 1) connect(deadline_after(options.timeout));
        else box_.set_pump([this] { return pump_mpi(); });
    }
    ~MpiTransport() override {
        lifeline_.close();
        const std::lock_guard lock(turn());
        if (spoilt_) new mpi::communicator(std::move(comm_)); // freeing it would wait for the lost
        else comm_ = mpi::communicator(MPI_COMM_SELF, mpi::comm_attach);
    }
    std::int64_t rank() const override { return rank_; }
    std::int64_t size() const override { return size_; }
    Mailbox& mailbox() override { return box_; }

    bool send(std::int64_t peer, const Envelope& envelope, const void* bytes, Deadline deadline) override {
        if (!box_.loss(peer).empty()) return false;
        if (near_ && near_->has(peer)) return send_near(peer, envelope, bytes, deadline);
        std::list<Leaving> one(1);
        const bool is_short = envelope.payload <= inline_bytes;
        try {
            const std::lock_guard lock(turn());
            begin(one.front(), int(peer), envelope, bytes, is_short);
            if (is_short) {
                leaving_.splice(leaving_.end(), one);
                return true;
            }
        } catch (const mpi::exception& e) {
            box_.lose(peer, str("cannot be reached: ", e.what()));
            return false;
        }
        for (int idle = 0;; ++idle) {
            {
                const std::lock_guard lock(turn());
                if (one.front().complete()) return true;
                if (Clock::now() >= deadline || !box_.loss(peer).empty()) {
                    spoilt_ = true;
                    give_up();
                    new std::list<Leaving>(std::move(one)); // MPI may still read it
                    return false;
                }
            }
            if (box_.pump()) idle = 0;
            else if (idle > 200) std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    }

    void leave(const std::string& reason, bool ordinary) override {
        Envelope e;
        e.kind = Envelope::Kind::kLeave;
        const std::string text = reason.substr(0, inline_bytes);
        e.payload = text.size();
        const Deadline deadline = deadline_after(std::chrono::seconds(1));
        for (std::int64_t peer = 0; peer < size_; ++peer)
            if (peer != rank_) send(peer, e, text.data(), deadline);
        while (Clock::now() < deadline && !flushed()) box_.pump();
        if (!ordinary || !flushed()) {
            spoilt_ = true;
            give_up();
        }
        lifeline_.close();
    }

private:
    void connect(Deadline deadline) {
        struct {
            char host[256];
            std::uint16_t port;
        } meeting{};
        if (rank_ == 0) {
            ::gethostname(meeting.host, sizeof meeting.host - 1);
            meeting.port = lifeline_.open();
        }
        std::vector<bool> here;
        {
            const std::lock_guard lock(turn());
            MPI_Bcast(&meeting, sizeof meeting, MPI_BYTE, 0, comm_);
            here = ranks_of_this_host();
        }
        const bool all_here = std::ranges::count(here, false) == 0;
        lifeline_.connect(all_here ? "127.0.0.1" : meeting.host, meeting.port, deadline);
        near_ = Neighbours::meet({rank_, size_, deadline, [&](std::int64_t peer) { return here[std::size_t(peer)]; },
                                  [this](std::int64_t peer, const void* bytes, std::size_t size) {
                                      tell(int(peer), bytes, size);
                                      return true;
                                  },
                                  [this, deadline](std::int64_t peer, void* bytes, std::size_t size) {
                                      return hear(int(peer), bytes, int(size), deadline);
                                  }});
        all_near_ = near_ && near_->count() + 1 == size_;
        if (near_)
            near_->serve(
                box_, [this] { return pump(); }, all_near_);
        else box_.set_pump([this] { return pump_mpi(); });
        met_ = true;
        for (std::int64_t r = 0; r < size_; ++r)
            if (ended_[std::size_t(r)] != 0) lost(r);
    }
    /// With the turn.
    std::vector<bool> ranks_of_this_host() const {
        MPI_Comm near = MPI_COMM_NULL;
        MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &near);
        const mpi::communicator host(near, mpi::comm_take_ownership);
        std::vector<int> theirs(std::size_t(host.size()), 0);
        const int mine = int(rank_);
        MPI_Allgather(&mine, 1, MPI_INT, theirs.data(), 1, MPI_INT, near);
        std::vector<bool> here(std::size_t(size_), false);
        for (const int r : theirs) here[std::size_t(r)] = true;
        return here;
    }
    void tell(int peer, const void* bytes, std::size_t size) {
        const std::lock_guard lock(turn());
        Leaving& out = leaving_.emplace_back();
        out.head.assign(static_cast<const char*>(bytes), static_cast<const char*>(bytes) + size);
        out.parts.push_back(comm_.isend(peer, introduction_tag, out.head.data(), int(size)));
    }
    bool hear(int peer, void* bytes, int size, Deadline deadline) {
        for (;; std::this_thread::sleep_for(std::chrono::microseconds(20))) {
            const std::lock_guard lock(turn());
            std::erase_if(leaving_, [](Leaving& l) { return l.complete(); });
            if (comm_.iprobe(peer, introduction_tag)) {
                comm_.recv(peer, introduction_tag, static_cast<char*>(bytes), size);
                return true;
            }
            if (ended_[std::size_t(peer)] != 0 || Clock::now() >= deadline) return false;
        }
    }

    bool send_near(std::int64_t peer, const Envelope& envelope, const void* bytes, Deadline deadline) {
        if (near_->send(peer, envelope, bytes, deadline, [&] { return !box_.loss(peer).empty(); })) return true;
        box_.lose(peer, "takes no messages: its process stands still"); // unless it is known to have ended
        return false;
    }

    /// With the turn.
    void begin(Leaving& out, int peer, const Envelope& envelope, const void* bytes, bool is_short) {
        const std::size_t inlined = is_short ? envelope.payload : 0;
        out.head.resize(sizeof envelope + inlined);
        std::memcpy(out.head.data(), &envelope, sizeof envelope);
        if (inlined) std::memcpy(out.head.data() + sizeof envelope, bytes, inlined);
        out.parts.push_back(comm_.isend(peer, envelope_tag, out.head.data(), int(out.head.size())));
        const char* at = static_cast<const char*>(bytes);
        for (std::size_t done = inlined; done < envelope.payload; done += piece_bytes)
            out.parts.push_back(
                comm_.isend(peer, payload_tag, at + done, int(std::min(piece_bytes, envelope.payload - done))));
    }

    bool flushed() {
        const std::lock_guard lock(turn());
        std::erase_if(leaving_, [](Leaving& l) { return l.complete(); });
        return leaving_.empty();
    }

    /// Whatever has come, to the mailbox. Any thread.
    bool pump() {
        const bool near = near_->pump(box_);
        return (!all_near_ && pump_mpi()) || near;
    }
    /// One thread at a time does it.
    bool pump_mpi() {
        std::unique_lock single(pumping_, std::try_to_lock);
        if (!single) return false;
        std::vector<std::pair<std::int64_t, Message>> come;
        {
            const std::lock_guard lock(turn());
            std::erase_if(leaving_, [](Leaving& l) { return l.complete(); });
            while (const auto status = comm_.iprobe(mpi::any_source, envelope_tag)) accept(*status);
            for (std::int64_t r = 0; r < size_; ++r)
                for (auto& queue = arriving_[std::size_t(r)]; !queue.empty() && queue.front().complete();
                     queue.pop_front())
                    come.emplace_back(r, std::move(queue.front().message));
        }
        for (auto& [from, message] : come) box_.deliver(from, std::move(message));
        if (any_ended_ && come.empty()) report_ended();
        return !come.empty();
    }

    /// With the turn.
    void accept(const mpi::status& status) {
        const int from = status.source(), size = status.count<char>().value();
        std::vector<char> head(std::size_t(size), 0);
        comm_.recv(from, envelope_tag, head.data(), size);
        Arriving& in = arriving_[std::size_t(from)].emplace_back();
        std::memcpy(&in.message.envelope, head.data(), sizeof(Envelope));
        const std::size_t payload = in.message.envelope.payload, inlined = head.size() - sizeof(Envelope);
        in.message.payload = Payload(payload);
        char* to = reinterpret_cast<char*>(in.message.payload.bytes.get());
        if (inlined) std::memcpy(to, head.data() + sizeof(Envelope), inlined);
        for (std::size_t done = inlined; done < payload; done += piece_bytes)
            in.pieces.push_back(comm_.irecv(from, payload_tag, to + done, int(std::min(piece_bytes, payload - done))));
    }

    /// The lifeline's thread: what the lost rank had sent before may still be coming.
    void lost(std::int64_t rank) {
        spoilt_ = true;
        give_up();
        if (met_ && near_ && near_->has(rank)) { // all that it has written is there
            near_->pump(box_);
            return box_.lose(rank, ended);
        }
        ended_[std::size_t(rank)] = (Clock::now() + std::chrono::milliseconds(50)).time_since_epoch().count();
        any_ended_ = true;
        box_.notify();
    }
    void report_ended() {
        for (std::int64_t r = 0; r < size_; ++r) {
            auto& when = ended_[std::size_t(r)];
            const auto at = when.load();
            if (at == 0 || Clock::now().time_since_epoch().count() < at) continue;
            when = 0;
            box_.lose(r, ended);
        }
    }

    static constexpr const char* ended = "has closed its connection without leaving: its process has ended";

    mpi::communicator comm_;
    std::int64_t rank_, size_;
    std::unique_ptr<Neighbours> near_; ///< outlives the messages in its memory; null where there are none
    bool all_near_ = false;            ///< nothing goes by MPI but the first words
    Mailbox box_;
    std::mutex pumping_;
    std::vector<std::deque<Arriving>> arriving_; // with the turn
    std::list<Leaving> leaving_;                 // so, too
    std::vector<std::atomic<Clock::rep>> ended_; ///< when a rank that has ended counts as lost; 0: not, or told
    std::atomic<bool> any_ended_ = false, spoilt_ = false, met_ = false;
    Lifeline lifeline_;
};

std::unique_ptr<Transport> join(const distributed::Options& options) {
    const mpi::communicator all = world();
    const Deadline deadline = deadline_after(options.timeout);
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    {
        const std::lock_guard lock(turn());
        MPI_Comm_idup(all, &own, &request);
    }
    for (int done = 0; !done; std::this_thread::sleep_for(std::chrono::microseconds(100))) {
        const std::lock_guard lock(turn());
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done && Clock::now() >= deadline) {
            give_up();
            REEL_THROW(DistError, "init: rank ", all.rank(), " of ", all.size(), ": the others did not come within ",
                       double(options.timeout.count()) / 1000.0, " s");
        }
    }
    return std::make_unique<MpiTransport>(own, options);
}

const bool registered = (register_transport(distributed::Backend::kMPI, join), true);
} // namespace

} // namespace reel::mpi
