#include "mapped_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <reel/autograd/error.hpp>

namespace reel::serialize {

MappedFile::MappedFile(const std::string& path) : path_(path) {
    // not blocking: a pipe must be refused, not waited for
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    REEL_CHECK(fd >= 0, "cannot open ", path, ": ", std::strerror(errno));
    struct stat info {};
    const bool ok = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (ok) size_ = std::size_t(info.st_size);
    if (ok && size_) data_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    const int error = errno;
    ::close(fd);
    REEL_CHECK(ok, "cannot read ", path, ": it is not a regular file");
    if (data_ == MAP_FAILED) data_ = nullptr;
    REEL_CHECK(data_ || !size_, "cannot map ", path, ": ", std::strerror(error));
}
MappedFile::MappedFile(std::string name, std::string bytes)
    : path_(std::move(name)), size_(bytes.size()), owned_(std::move(bytes)) {
    data_ = owned_.data();
}
MappedFile::~MappedFile() {
    if (data_ && data_ != owned_.data()) ::munmap(data_, size_);
}

void MappedFile::prepare_copy(std::size_t offset, std::size_t n, char* out) const {
    constexpr std::size_t page = 4096, worth = 1u << 20;
    if (n < worth) return;
    const auto advise = [](const char* data, std::size_t bytes, int advice) {
        const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page,
                   end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
        // it is a hint: systems that do not know it refuse it
        if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
    };
#if defined(MADV_HUGEPAGE)
    advise(out, n, MADV_HUGEPAGE);
#endif
#if defined(MADV_POPULATE_READ)
    if (data_ != owned_.data()) advise(data() + offset, n, MADV_POPULATE_READ);
#endif
}

} // namespace reel::serialize
