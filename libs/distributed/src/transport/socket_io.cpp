#include "transport/socket_io.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace reel::distributed::detail {

namespace {
bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/// For poll: rounded up, so that nobody spins through the last millisecond.
int milliseconds_until(Deadline deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return int(std::clamp<std::int64_t>(left, 0, 60'000));
}
} // namespace

bool wait_ready(int fd, bool for_writing, Deadline deadline) {
    for (;;) {
        pollfd p{fd, short(for_writing ? POLLOUT : POLLIN), 0};
        const int n = ::poll(&p, 1, milliseconds_until(deadline));
        if (n > 0) return true; // an error, too, which the next call tells
        if (n < 0 && errno != EINTR) return false;
        if (Clock::now() >= deadline) return false;
    }
}

bool read_all(tcp::socket& socket, void* bytes, std::size_t size, Deadline deadline) {
    auto* to = static_cast<char*>(bytes);
    const int fd = socket.native_handle();
    while (size > 0) {
        const ssize_t n = ::recv(fd, to, size, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && !would_block())) return false;
        if (n < 0 && !wait_ready(fd, false, deadline)) return false;
        if (n > 0) {
            to += n;
            size -= std::size_t(n);
        }
    }
    return true;
}

bool write_all(tcp::socket& socket, const void* first, std::size_t first_size, const void* second,
               std::size_t second_size, Deadline deadline) {
    iovec parts[] = {{const_cast<void*>(first), first_size}, {const_cast<void*>(second), second_size}};
    const int fd = socket.native_handle();
    int at = 0;
    while (at < 2) {
        if (parts[at].iov_len == 0) {
            ++at;
            continue;
        }
        msghdr message{};
        message.msg_iov = parts + at;
        message.msg_iovlen = std::size_t(2 - at);
        ssize_t n = ::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && !would_block()) return false;
        if (n < 0 && !wait_ready(fd, true, deadline)) return false;
        for (; n > 0 && at < 2; ++at) {
            const std::size_t taken = std::min(std::size_t(n), parts[at].iov_len);
            parts[at].iov_base = static_cast<char*>(parts[at].iov_base) + taken;
            parts[at].iov_len -= taken;
            n -= ssize_t(taken);
            if (parts[at].iov_len) break;
        }
    }
    return true;
}

std::optional<tcp::socket> accept_one(tcp::acceptor& acceptor, Deadline deadline) {
    for (;;) {
        if (!wait_ready(acceptor.native_handle(), false, deadline)) return std::nullopt;
        boost::system::error_code error;
        tcp::socket socket = acceptor.accept(error);
        if (error) continue; // it has gone again
        set_up(socket);
        return socket;
    }
}

std::optional<tcp::socket> connect_to(boost::asio::io_context& context, const std::string& host, std::uint16_t port,
                                      Deadline deadline, std::string& why) {
    tcp::resolver resolver(context);
    for (auto pause = std::chrono::milliseconds(5);; pause = std::min(pause * 2, std::chrono::milliseconds(200))) {
        boost::system::error_code error;
        const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::numeric_service, error);
        why = error.message();
        for (const auto& entry : found) {
            tcp::socket socket(context);
            socket.open(entry.endpoint().protocol(), error);
            if (!error) socket.native_non_blocking(true, error);
            if (error) continue;
            const auto address = entry.endpoint();
            int failed = ::connect(socket.native_handle(), address.data(), socklen_t(address.size())) ? errno : 0;
            if (failed == EINPROGRESS) {
                // a host that does not answer must not keep the next address waiting for ever
                const auto limit = std::min(deadline, deadline_after(std::chrono::seconds(10)));
                if (!wait_ready(socket.native_handle(), true, limit)) failed = ETIMEDOUT;
                else {
                    socklen_t size = sizeof failed;
                    ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_ERROR, &failed, &size);
                }
            }
            if (failed == 0) {
                set_up(socket);
                return socket;
            }
            why = boost::system::error_code(failed, boost::system::system_category()).message();
        }
        if (Clock::now() + pause >= deadline) return std::nullopt;
        std::this_thread::sleep_for(pause);
    }
}

void set_up(tcp::socket& socket) {
    const int fd = socket.native_handle(), on = 1, idle = 15, between = 5, times = 3;
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

} // namespace reel::distributed::detail
