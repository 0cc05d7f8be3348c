#include "transport/rendezvous.hpp"

#include <cstring>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/v6_only.hpp>

#include <fcntl.h>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

namespace {
constexpr std::uint64_t magic = 0x314c454552ull ^ (std::uint64_t(sizeof(Envelope)) << 48); // of one build's messages

/// What a rank says of itself on each new connection.
struct Hello {
    std::uint64_t magic = detail::magic;
    std::int64_t rank = 0, size = 0;
    std::uint16_t port = 0; ///< where it listens
    char padding[6] = {};
};
/// What rank 0 tells the others: where all are, or what is wrong.
struct Address {
    char host[64] = {};
    std::uint16_t port = 0;
};
struct Verdict {
    std::uint64_t refused = 0; ///< bytes of text that follow; none when the addresses follow
};

class Meeting {
public:
    Meeting(boost::asio::io_context& context, const Place& place, std::chrono::milliseconds timeout)
        : context_(context), place_(place), timeout_(timeout), deadline_(deadline_after(timeout)), acceptor_(context) {
        for (std::int64_t r = 0; r < place.size; ++r) links_.emplace_back(context);
    }
    std::vector<tcp::socket> run() {
        if (place_.rank == 0) collect();
        else join();
        return std::move(links_);
    }

private:
    std::string here() const { return str("init: rank ", place_.rank, " of ", place_.size); }
    std::string address() const { return str(place_.host, ":", place_.port); }
    [[noreturn]] void fail(const std::string& what) const { throw DistError(str(here(), ": ", what)); }
    std::string seconds() const { return str(double(timeout_.count()) / 1000.0, " s"); }

    void listen(std::uint16_t port) {
        boost::system::error_code error;
        for (const tcp protocol : {tcp::v6(), tcp::v4()}) { // v6 takes both, where the machine has it
            acceptor_.open(protocol, error);
            if (!error && protocol == tcp::v6()) acceptor_.set_option(boost::asio::ip::v6_only(false), error);
            if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
            if (!error) acceptor_.bind({protocol, port}, error);
            if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
            if (!error || error == boost::asio::error::address_in_use) break;
            boost::system::error_code ignored;
            acceptor_.close(ignored);
        }
        if (error) fail(str("cannot listen on port ", port, ": ", error.message(), "; choose another MASTER_PORT"));
        ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
        acceptor_.non_blocking(true);
    }

    std::string missing() const {
        std::string ranks;
        int n = 0;
        for (std::int64_t r = place_.rank + 1; r < place_.size; ++r)
            if (!links_[std::size_t(r)].is_open()) (ranks += n++ ? ", " : "") += std::to_string(r);
        return str(n == 1 ? "rank " : "ranks ", ranks);
    }

    /// Rank 0: everybody's first connection.
    void collect() {
        listen(place_.port);
        std::vector<Address> addresses(std::size_t(place_.size));
        for (std::int64_t left = place_.size - 1; left > 0;) {
            auto socket = accept_one(acceptor_, deadline_);
            if (!socket) refuse_all(str(missing(), " did not come to ", address(), " within ", seconds()));
            Hello hello;
            // who connects and says nothing is no rank, and must not hold up the others
            if (!read_all(*socket, &hello, sizeof hello, std::min(deadline_, deadline_after(std::chrono::seconds(2)))))
                continue;
            if (hello.magic != magic) continue;
            if (const std::string wrong = objection(hello); !wrong.empty()) {
                tell(*socket, wrong);
                refuse_all(wrong);
            }
            Address& a = addresses[std::size_t(hello.rank)];
            const std::string host = socket->remote_endpoint().address().to_string();
            std::strncpy(a.host, host.c_str(), sizeof a.host - 1);
            a.port = hello.port;
            links_[std::size_t(hello.rank)] = std::move(*socket);
            --left;
        }
        const Verdict fine;
        for (std::int64_t r = 1; r < place_.size; ++r)
            write_all(links_[std::size_t(r)], &fine, sizeof fine, addresses.data(), addresses.size() * sizeof(Address),
                      deadline_);
    }

    std::string objection(const Hello& hello) const {
        if (hello.size != place_.size)
            return str("rank ", hello.rank, " says WORLD_SIZE ", hello.size, ", rank 0 says ", place_.size);
        if (hello.rank <= 0 || hello.rank >= place_.size)
            return str("a process came that says it is rank ", hello.rank);
        if (links_[std::size_t(hello.rank)].is_open()) return str("two processes say they are rank ", hello.rank);
        return {};
    }

    void tell(tcp::socket& socket, const std::string& text) const {
        const Verdict no{text.size()};
        write_all(socket, &no, sizeof no, text.data(), text.size(), deadline_after(std::chrono::seconds(1)));
    }

    [[noreturn]] void refuse_all(const std::string& text) {
        for (tcp::socket& s : links_)
            if (s.is_open()) tell(s, text);
        fail(text);
    }

    /// Others: to rank 0, and then to those before; those behind come by themselves.
    void join() {
        listen(0);
        std::string why;
        auto socket = connect_to(context_, place_.host, place_.port, deadline_, why);
        if (!socket) fail(str("rank 0 did not answer at ", address(), " within ", seconds(), " (", why, ")"));
        links_[0] = std::move(*socket);
        std::vector<Address> addresses = introduce();
        for (std::int64_t r = 1; r < place_.rank; ++r) {
            const Address& a = addresses[std::size_t(r)];
            auto link = connect_to(context_, a.host, a.port, deadline_, why);
            if (!link || !greet(*link))
                fail(
                    str("rank ", r, " did not answer at ", a.host, ":", a.port, " within ", seconds(), " (", why, ")"));
            links_[std::size_t(r)] = std::move(*link);
        }
        for (std::int64_t left = place_.size - 1 - place_.rank; left > 0;) {
            auto link = accept_one(acceptor_, deadline_);
            if (!link) fail(str(missing(), " did not connect to this rank within ", seconds()));
            Hello hello;
            if (!read_all(*link, &hello, sizeof hello, std::min(deadline_, deadline_after(std::chrono::seconds(2)))))
                continue;
            if (hello.magic != magic || hello.rank <= place_.rank || hello.rank >= place_.size) continue;
            if (!links_[std::size_t(hello.rank)].is_open()) --left;
            links_[std::size_t(hello.rank)] = std::move(*link);
        }
    }

    bool greet(tcp::socket& socket) {
        Hello hello;
        hello.rank = place_.rank;
        hello.size = place_.size;
        hello.port = acceptor_.local_endpoint().port();
        return write_all(socket, &hello, sizeof hello, nullptr, 0, deadline_);
    }

    std::vector<Address> introduce() {
        Verdict verdict;
        if (!greet(links_[0]) || !read_all(links_[0], &verdict, sizeof verdict, deadline_))
            fail(str("rank 0 at ", address(), " was reached, but did not say within ", seconds(),
                     " where the others are; some did not come"));
        if (verdict.refused) {
            std::string text(std::min<std::uint64_t>(verdict.refused, 65536), '\0');
            read_all(links_[0], text.data(), text.size(), deadline_);
            fail("rank 0 refused: " + text);
        }
        std::vector<Address> addresses(std::size_t(place_.size));
        if (!read_all(links_[0], addresses.data(), addresses.size() * sizeof(Address), deadline_))
            fail(str("rank 0 at ", address(), " has closed the connection while it said where the others are"));
        return addresses;
    }

    boost::asio::io_context& context_;
    const Place& place_;
    std::chrono::milliseconds timeout_;
    Deadline deadline_;
    tcp::acceptor acceptor_;
    std::vector<tcp::socket> links_;
};
} // namespace

std::vector<tcp::socket> meet(boost::asio::io_context& context, const Place& place, std::chrono::milliseconds timeout) {
    return Meeting(context, place, timeout).run();
}

} // namespace reel::distributed::detail
