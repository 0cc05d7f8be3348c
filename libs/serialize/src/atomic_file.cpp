// Replacing a file so that no crash leaves half of it.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
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
/// Opens a new file beside `path`, with the mode of the file that it will replace, else that of any new file (what the
/// umask leaves of rw-rw-rw-).
void open_beside(Temporary& t, const std::string& path) {
    struct stat old {};
    const bool replaces = ::stat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
    const mode_t mode = replaces ? old.st_mode & 0777 : 0666;
    std::random_device random;
    for (int tries = 0; tries < 100 && t.fd < 0; ++tries) {
        char suffix[16];
        std::snprintf(suffix, sizeof suffix, ".tmp-%08x", unsigned(random()));
        const std::string name = path + suffix;
        t.fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (t.fd >= 0) t.path = name;
        else if (errno != EEXIST) break;
    }
    REEL_CHECK(t.fd >= 0, "cannot write ", path, ": ", std::strerror(errno));
    if (replaces) ::fchmod(t.fd, mode); // the umask has no say in it
}
} // namespace

void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts) {
    Temporary temporary;
    open_beside(temporary, path);
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
    REEL_CHECK(::fsync(temporary.fd) == 0, "cannot sync ", path, ": ", std::strerror(errno));
    REEL_CHECK(::rename(temporary.path.c_str(), path.c_str()) == 0, "cannot replace ", path, ": ",
               std::strerror(errno));
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
