// Replacing a file so that no crash leaves half of it.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <reel/serialize/safetensors.hpp>

namespace reel::serialize {

namespace {
/// Closes and deletes the temporary file unless it was renamed.
struct Temporary {
    std::string path;
    int fd = -1;
    bool keep = false;
    ~Temporary() {
        if (fd >= 0) ::close(fd);
        if (!keep && !path.empty()) ::unlink(path.c_str());
    }
};
} // namespace

void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts) {
    Temporary temporary;
    std::string name = path + ".tmp-XXXXXX";
    temporary.fd = ::mkstemp(name.data());
    REEL_CHECK(temporary.fd >= 0, "cannot write ", path, ": ", std::strerror(errno));
    temporary.path = name;
    constexpr std::size_t chunk = 32u << 20;
    std::size_t written = 0, started = 0;
    for (std::string_view part : parts)
        while (!part.empty()) {
            const ssize_t n = ::write(temporary.fd, part.data(), std::min(part.size(), chunk));
            if (n < 0 && errno == EINTR) continue;
            REEL_CHECK(n > 0, "cannot write ", path, ": ", std::strerror(errno));
            part.remove_prefix(std::size_t(n));
            written += std::size_t(n);
#if defined(__linux__)
            // the disk works while the next part is copied, so that the sync at the end has little left to wait for
            if (written - started >= chunk) {
                ::sync_file_range(temporary.fd, off_t(started), off_t(written - started), SYNC_FILE_RANGE_WRITE);
                started = written;
            }
#endif
        }
    ::fchmod(temporary.fd, 0644);
    REEL_CHECK(::fsync(temporary.fd) == 0, "cannot sync ", path, ": ", std::strerror(errno));
    REEL_CHECK(::rename(name.c_str(), path.c_str()) == 0, "cannot replace ", path, ": ", std::strerror(errno));
    temporary.keep = true;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path(),
                                folder = parent.empty() ? "." : parent;
    const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
}

} // namespace reel::serialize
