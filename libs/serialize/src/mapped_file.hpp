// A private mapping of a whole file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reel::serialize {

/// Maps a regular file. Pages are private: writing to them does not reach the file.
/// Errors: Error naming the file when it cannot be opened or is not a regular file.
class MappedFile {
public:
    explicit MappedFile(const std::string& path);
    /// Bytes in memory under a name for messages.
    MappedFile(std::string name, std::string bytes);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    char* data() const { return static_cast<char*>(data_); }
    std::size_t size() const { return size_; }
    std::string_view bytes() const { return {data(), size_}; }
    /// Tells the system that `n` bytes at `offset` are about to be copied to `out`: fewer and larger page faults.
    void prepare_copy(std::size_t offset, std::size_t n, char* out) const;
    const std::string& path() const { return path_; }

private:
    std::string path_;
    void* data_ = nullptr;
    std::size_t size_ = 0;
    std::string owned_;
};

} // namespace reel::serialize
