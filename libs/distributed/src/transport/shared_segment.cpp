#include "transport/shared_segment.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "transport/socket_io.hpp"

namespace reel::distributed::detail {

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

std::optional<SharedSegment> SharedSegment::make(std::size_t size) {
    Descriptor fd(::memfd_create("reel-ranks", MFD_CLOEXEC));
    // memory that is missing is missed here, not by the first who writes
    if (!fd || ::ftruncate(fd.get(), off_t(size)) || ::fallocate(fd.get(), 0, 0, off_t(size))) return std::nullopt;
    return map(std::move(fd), size);
}

std::optional<SharedSegment> SharedSegment::map(Descriptor fd, std::size_t size) {
    struct stat found {};
    if (!fd || ::fstat(fd.get(), &found) || std::size_t(found.st_size) < size) return std::nullopt;
    void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (at == MAP_FAILED) return std::nullopt;
    return SharedSegment(std::move(fd), static_cast<std::byte*>(at), size);
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept
    : fd_(std::move(other.fd_)), bytes_(std::exchange(other.bytes_, nullptr)), size_(other.size_) {}

SharedSegment::~SharedSegment() {
    if (bytes_) ::munmap(bytes_, size_);
}

namespace {
/// Without a file: such names are of one network namespace, which is what stands for a host.
socklen_t abstract_address(sockaddr_un& address, const char* name, std::size_t name_size) {
    address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name, name_size);
    return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name_size);
}
} // namespace

std::optional<Descriptor> listen_locally(const char* name, std::size_t name_size, int most) {
    sockaddr_un address;
    const socklen_t size = abstract_address(address, name, name_size);
    Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) || ::listen(fd.get(), most))
        return std::nullopt;
    return fd;
}

std::optional<Descriptor> connect_locally(const char* name, std::size_t name_size) {
    sockaddr_un address;
    const socklen_t size = abstract_address(address, name, name_size);
    Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size)) return std::nullopt;
    return fd;
}

std::optional<Descriptor> accept_locally(const Descriptor& listener, Deadline deadline) {
    if (!wait_ready(listener.get(), false, deadline)) return std::nullopt;
    Descriptor fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return std::nullopt;
    return fd;
}

bool send_with(const Descriptor& socket, const void* bytes, std::size_t size, int fd) {
    iovec part{const_cast<void*>(bytes), size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* const head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
    }
    return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL) == ssize_t(size); // the first few bytes always fit
}

bool receive_with(const Descriptor& socket, void* bytes, std::size_t size, Descriptor& fd, Deadline deadline) {
    if (!wait_ready(socket.get(), false, deadline)) return false;
    iovec part{bytes, size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC) != ssize_t(size)) return false;
    const cmsghdr* const head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        int got = -1;
        std::memcpy(&got, CMSG_DATA(head), sizeof got);
        fd = Descriptor(got);
    }
    return true;
}

} // namespace reel::distributed::detail
