// A file that takes the place of another once it is complete.
#pragma once

#include <string>
#include <string_view>

namespace reel::serialize {

/// Writes a temporary file beside `path`; `commit` syncs it and renames it to `path`. Without a commit nothing stays.
/// A new file has the mode that the umask leaves, a replaced one keeps its own. Errors: Error naming the path.
class AtomicFile {
public:
    explicit AtomicFile(const std::string& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    void write(std::string_view bytes);
    void commit();

private:
    [[noreturn]] void fail(const char* what) const;
    void flush();
    void put(std::string_view bytes);
    std::string path_, temporary_, buffer_;
    int fd_ = -1;
};

} // namespace reel::serialize
