#include <reel/distributed/detail/lifeline.hpp>

#include <atomic>
#include <map>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <reel/autograd/error.hpp>

#include "transport/socket_io.hpp"

namespace reel::distributed::detail {

namespace {
/// What is said: a rank's number, as itself on connecting, as lost by rank 0; `leaves` says that it ends in good order.
struct Word {
    std::int64_t rank;
    std::int64_t leaves;
};
} // namespace

struct Lifeline::State {
    State(std::int64_t r, std::int64_t n, Lost l)
        : rank(r), size(n), lost(std::move(l)), acceptor(context), wake(::eventfd(0, EFD_CLOEXEC)) {}
    ~State() { ::close(wake); }
    std::int64_t rank, size;
    Lost lost;
    boost::asio::io_context context;
    tcp::acceptor acceptor;
    int wake;
    std::map<std::int64_t, tcp::socket> links; ///< by the other's rank
    std::thread watcher;
    std::atomic<bool> stopping = false;

    void tell(std::int64_t who, const Word& word) {
        if (const auto link = links.find(who); link != links.end())
            write_all(link->second, &word, sizeof word, nullptr, 0, deadline_after(std::chrono::seconds(1)));
    }

    void watch() {
        while (!links.empty()) {
            std::vector<pollfd> polled{{wake, POLLIN, 0}};
            std::vector<std::int64_t> who{rank};
            for (auto& [r, link] : links) {
                polled.push_back({link.native_handle(), POLLIN, 0});
                who.push_back(r);
            }
            if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
            if (stopping) return;
            for (std::size_t i = 1; i < polled.size(); ++i)
                if (polled[i].revents) hear(who[i]);
        }
    }

    void hear(std::int64_t from) {
        Word word{from, 0};
        const bool spoke = read_all(links.at(from), &word, sizeof word, deadline_after(std::chrono::seconds(1)));
        if (spoke && from == 0 && rank != 0 && !word.leaves) return lost(word.rank);
        links.erase(from);
        if (spoke) return;
        if (rank == 0) // the others hear it from here
            for (const auto& [r, link] : links) tell(r, {from, 0});
        lost(from);
    }
};

Lifeline::Lifeline(std::int64_t rank, std::int64_t size, Lost lost)
    : state_(std::make_unique<State>(rank, size, std::move(lost))) {}

Lifeline::~Lifeline() { close(); }

std::uint16_t Lifeline::open() {
    tcp::acceptor& a = state_->acceptor;
    boost::system::error_code error;
    a.open(tcp::v4(), error);
    if (!error) a.bind({tcp::v4(), 0}, error);
    if (!error) a.listen(tcp::acceptor::max_listen_connections, error);
    if (!error) a.non_blocking(true, error);
    REEL_CHECK_WITH(DistError, !error, "init: rank 0 cannot listen: ", error.message());
    return a.local_endpoint().port();
}

void Lifeline::connect(const std::string& host, std::uint16_t port, Deadline deadline) {
    State& s = *state_;
    if (s.rank != 0) {
        std::string why;
        auto socket = connect_to(s.context, host, port, deadline, why);
        const Word self{s.rank, 0};
        REEL_CHECK_WITH(DistError, socket && write_all(*socket, &self, sizeof self, nullptr, 0, deadline),
                        "init: rank ", s.rank, " of ", s.size, ": rank 0 does not answer at ", host, ":", port, ": ",
                        why);
        s.links.emplace(0, std::move(*socket));
    }
    while (s.rank == 0 && std::int64_t(s.links.size()) + 1 < s.size) {
        auto socket = accept_one(s.acceptor, deadline);
        REEL_CHECK_WITH(DistError, socket, "init: rank 0 of ", s.size, ": of the others ", s.links.size(),
                        " have come in time");
        Word self{};
        if (read_all(*socket, &self, sizeof self, std::min(deadline, deadline_after(std::chrono::seconds(2)))) &&
            self.rank > 0 && self.rank < s.size)
            s.links.emplace(self.rank, std::move(*socket));
    }
    boost::system::error_code ignored;
    s.acceptor.close(ignored);
    s.watcher = std::thread([&s] { s.watch(); });
}

void Lifeline::close() {
    State& s = *state_;
    if (!s.watcher.joinable()) return;
    s.stopping = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(s.wake, &one, sizeof one);
    s.watcher.join();
    for (auto& [r, link] : s.links) s.tell(r, {s.rank, 1});
    s.links.clear();
}

} // namespace reel::distributed::detail
