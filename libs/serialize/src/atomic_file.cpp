#include "atomic_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <reel/serialize/safetensors.hpp>

namespace reel::serialize {

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
    struct stat old {};
    const bool replaces = ::stat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
    const mode_t mode = replaces ? old.st_mode & 0777 : 0666;
    std::random_device random;
    for (int tries = 0; tries < 100 && fd_ < 0; ++tries) {
        char suffix[16];
        std::snprintf(suffix, sizeof suffix, ".tmp-%08x", unsigned(random()));
        temporary_ = path + suffix;
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd_ < 0 && errno != EEXIST) break;
    }
    if (fd_ < 0) {
        temporary_.clear();
        fail("write");
    }
    if (replaces) ::fchmod(fd_, mode); // the umask has no say in it
}
AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}
void AtomicFile::fail(const char* what) const {
    REEL_THROW(Error, "cannot ", what, " ", path_, ": ", std::strerror(errno));
}
void AtomicFile::write(std::string_view bytes) {
    constexpr std::size_t small = 4096, full = 1u << 16;
    // headers and records are gathered
    if (bytes.size() < small) {
        buffer_ += bytes;
        if (buffer_.size() < full) return;
        bytes = {};
    }
    flush();
    put(bytes);
}
void AtomicFile::flush() {
    put(buffer_);
    buffer_.clear();
}
void AtomicFile::put(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) fail("write");
        bytes.remove_prefix(std::size_t(n));
    }
}
void AtomicFile::commit() {
    flush();
    if (::fsync(fd_) != 0) fail("sync");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("replace");
    temporary_.clear();
    const std::filesystem::path parent = std::filesystem::path(path_).parent_path(),
                                folder = parent.empty() ? "." : parent;
    const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        ::fsync(directory);
        ::close(directory);
    }
}

void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts) {
    AtomicFile file(path);
    constexpr std::size_t chunk = 8u << 20;
    for (std::string_view part : parts)
        for (; !part.empty(); part.remove_prefix(std::min(part.size(), chunk))) file.write(part.substr(0, chunk));
    file.commit();
}

} // namespace reel::serialize
