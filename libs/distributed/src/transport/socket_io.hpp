// Connections with deadlines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <reel/distributed/detail/mailbox.hpp>

namespace reel::distributed::detail {

using boost::asio::ip::tcp;

/// All `size` bytes; false at the deadline, or when the other side is gone.
bool read_all(tcp::socket& socket, void* bytes, std::size_t size, Deadline deadline);
/// Two pieces one behind the other.
bool write_all(tcp::socket& socket, const void* first, std::size_t first_size, const void* second,
               std::size_t second_size, Deadline deadline);
/// Waits until `fd` can be read (or written); false at the deadline.
bool wait_ready(int fd, bool for_writing, Deadline deadline);
/// The next connection; nothing at the deadline.
std::optional<tcp::socket> accept_one(tcp::acceptor& acceptor, Deadline deadline);
/// Tries again until somebody listens there; nothing, and why, at the deadline.
std::optional<tcp::socket> connect_to(boost::asio::io_context& context, const std::string& host, std::uint16_t port,
                                      Deadline deadline, std::string& why);
/// Quick small messages, no inheritance by child processes, no blocking calls; a host that vanishes is noticed.
void set_up(tcp::socket& socket);

} // namespace reel::distributed::detail
