#include "transport/sockets_transport.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <reel/autograd/error.hpp>
#include <reel/distributed/detail/neighbours.hpp>

#include "transport/rendezvous.hpp"

namespace reel::distributed::detail {

namespace {
/// One connection, and the message that is arriving on it.
struct Link {
    explicit Link(tcp::socket s) : socket(std::move(s)) {}
    tcp::socket socket;
    std::mutex sending;
    bool open = true; ///< the reader's alone
    Message message;
    std::size_t header = 0, payload = 0; ///< bytes of it that have come
};

class SocketsTransport final : public Transport {
public:
    SocketsTransport(const Place& place, const Options& options)
        : place_(place), box_(place.size), wake_(::eventfd(0, EFD_CLOEXEC)) {
        REEL_CHECK_WITH(DistError, wake_ >= 0, "init: no eventfd: ", std::strerror(errno));
        try {
            const Deadline deadline = deadline_after(options.timeout);
            std::vector<tcp::socket> connections = meet(context_, place, options.timeout);
            near_ = meet_neighbours(connections, deadline);
            for (tcp::socket& s : connections) links_.push_back(std::make_unique<Link>(std::move(s)));
        } catch (...) {
            ::close(wake_);
            throw;
        }
        if (near_)
            near_->serve(
                box_, [this] { return near_->pump(box_); }, true);
        if (place.size > 1) reader_ = std::thread([this] { read(); });
    }
    ~SocketsTransport() override {
        stop();
        ::close(wake_);
    }
    std::int64_t rank() const override { return place_.rank; }
    std::int64_t size() const override { return place_.size; }
    Mailbox& mailbox() override { return box_; }

    bool send(std::int64_t peer, const Envelope& envelope, const void* bytes, Deadline deadline) override {
        Link& link = *links_[std::size_t(peer)];
        const std::lock_guard lock(link.sending);
        if (!box_.loss(peer).empty()) return false;
        if (carry(link, peer, envelope, bytes, deadline)) return true;
        // half a message may be on its way: nothing can follow it
        ::shutdown(link.socket.native_handle(), SHUT_RDWR);
        box_.lose(peer, Clock::now() >= deadline ? "takes no messages: its process stands still" : ended);
        return false;
    }

    void leave(const std::string& reason, bool) override {
        Envelope e;
        e.kind = Envelope::Kind::kLeave;
        e.payload = reason.size();
        for (std::int64_t peer = 0; peer < size(); ++peer) {
            if (peer == rank()) continue;
            Link& link = *links_[std::size_t(peer)];
            const std::lock_guard lock(link.sending);
            carry(link, peer, e, reason.data(), deadline_after(std::chrono::seconds(1)));
            ::shutdown(link.socket.native_handle(), SHUT_WR);
        }
        leaving_ = deadline_after(
            std::chrono::milliseconds(200)); // what is still coming is read, so that no reset overtakes what was sent
        stop();
    }

private:
    static constexpr const char* ended = "has closed its connection without leaving: its process has ended";

    /// Both ends of a connection within one host have one address.
    std::unique_ptr<Neighbours> meet_neighbours(std::vector<tcp::socket>& links, Deadline deadline) const {
        const auto link = [&links](std::int64_t peer) -> tcp::socket& { return links[std::size_t(peer)]; };
        return Neighbours::meet({place_.rank, place_.size, deadline,
                                 [&](std::int64_t peer) {
                                     boost::system::error_code error;
                                     const auto here = link(peer).local_endpoint(error).address();
                                     return !error && here == link(peer).remote_endpoint(error).address() && !error;
                                 },
                                 [&](std::int64_t peer, const void* bytes, std::size_t size) {
                                     return write_all(link(peer), bytes, size, nullptr, 0, deadline);
                                 },
                                 [&](std::int64_t peer, void* bytes, std::size_t size) {
                                     return read_all(link(peer), bytes, size, deadline);
                                 }});
    }
    /// With the link's lock: through memory where there is some, else through the connection.
    bool carry(Link& link, std::int64_t peer, const Envelope& envelope, const void* bytes, Deadline deadline) {
        if (!near_ || !near_->has(peer))
            return write_all(link.socket, &envelope, sizeof envelope, bytes, envelope.payload, deadline);
        return near_->send(peer, envelope, bytes, deadline, [&] { return !box_.loss(peer).empty(); });
    }

    void stop() {
        stopping_ = true;
        const std::uint64_t one = 1;
        if (reader_.joinable()) {
            [[maybe_unused]] const auto n = ::write(wake_, &one, sizeof one);
            reader_.join();
        }
    }

    /// The reader's thread: whatever comes, from whomever.
    void read() {
        std::vector<pollfd> polled;
        std::vector<std::int64_t> peers;
        for (;;) {
            polled.assign(1, {wake_, POLLIN, 0});
            peers.assign(1, rank());
            for (std::int64_t p = 0; p < size(); ++p)
                if (p != rank() && links_[std::size_t(p)]->open) {
                    polled.push_back({links_[std::size_t(p)]->socket.native_handle(), POLLIN, 0});
                    peers.push_back(p);
                }
            const bool stopping = stopping_;
            if (stopping) {
                polled[0].fd = -1;
                if (peers.size() == 1 || Clock::now() >= leaving_.load()) return;
            }
            if (::poll(polled.data(), polled.size(), stopping ? 20 : -1) < 0 && errno != EINTR) return;
            for (std::size_t i = 1; i < polled.size(); ++i)
                if (polled[i].revents) read_from(peers[i]);
        }
    }

    void read_from(std::int64_t peer) {
        Link& link = *links_[std::size_t(peer)];
        for (;;) {
            char* to;
            std::size_t wanted;
            if (link.header < sizeof(Envelope)) {
                to = reinterpret_cast<char*>(&link.message.envelope) + link.header;
                wanted = sizeof(Envelope) - link.header;
            } else {
                to = reinterpret_cast<char*>(link.message.payload.bytes.get()) + link.payload;
                wanted = link.message.payload.size - link.payload;
            }
            if (wanted > 0) {
                const ssize_t n = ::recv(link.socket.native_handle(), to, wanted, MSG_DONTWAIT);
                if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
                if (n <= 0) {
                    link.open = false;
                    if (near_) near_->pump(box_); // what it has sent before
                    return box_.lose(peer, ended);
                }
                const bool in_header = link.header < sizeof(Envelope);
                (in_header ? link.header : link.payload) += std::size_t(n);
                if (in_header && link.header == sizeof(Envelope))
                    link.message.payload = Payload(link.message.envelope.payload);
            }
            if (link.header == sizeof(Envelope) && link.payload == link.message.payload.size) {
                box_.deliver(peer, std::exchange(link.message, {}));
                link.header = link.payload = 0;
            }
        }
    }

    Place place_;
    boost::asio::io_context context_;
    std::unique_ptr<Neighbours> near_; ///< outlives the messages in its memory; null where there are none
    Mailbox box_;
    int wake_;
    std::vector<std::unique_ptr<Link>> links_;
    std::thread reader_;
    std::atomic<bool> stopping_ = false;
    std::atomic<Deadline> leaving_ = Deadline();
};
} // namespace

std::unique_ptr<Transport> join_sockets(const Place& place, const Options& options) {
    return std::make_unique<SocketsTransport>(place, options);
}

} // namespace reel::distributed::detail
