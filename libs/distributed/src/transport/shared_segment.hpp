// Memory without a name that processes of one host share.
#pragma once

#include <cstddef>
#include <optional>

#include <reel/distributed/detail/mailbox.hpp>

namespace reel::distributed::detail {

/// A file descriptor, closed with its scope.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// Goes with the last process that has it: nothing is left of ranks that were killed.
class SharedSegment {
public:
    /// New, all zero, its memory set aside; nothing where the system has none.
    static std::optional<SharedSegment> make(std::size_t size);
    /// What another process has made.
    static std::optional<SharedSegment> map(Descriptor fd, std::size_t size);
    SharedSegment(SharedSegment&& other) noexcept;
    SharedSegment& operator=(SharedSegment&&) = delete;
    ~SharedSegment();
    std::byte* bytes() const { return bytes_; }
    std::size_t size() const { return size_; }
    int descriptor() const { return fd_.get(); }

private:
    SharedSegment(Descriptor fd, std::byte* bytes, std::size_t size) : fd_(std::move(fd)), bytes_(bytes), size_(size) {}
    Descriptor fd_;
    std::byte* bytes_;
    std::size_t size_;
};

/// A place of this host, by name, where other processes of it come with descriptors; it is gone with its scope.
std::optional<Descriptor> listen_locally(const char* name, std::size_t name_size, int most);
std::optional<Descriptor> connect_locally(const char* name, std::size_t name_size);
std::optional<Descriptor> accept_locally(const Descriptor& listener, Deadline deadline);
/// A few bytes, and a descriptor with them unless it is -1.
bool send_with(const Descriptor& socket, const void* bytes, std::size_t size, int fd);
bool receive_with(const Descriptor& socket, void* bytes, std::size_t size, Descriptor& fd, Deadline deadline);

} // namespace reel::distributed::detail
