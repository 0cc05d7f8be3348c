// A ZIP archive with the byte layout of torch.save: stored members and, of code, deflated ones; payloads at multiples
// of 64 (PT-6 to PT-8).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace reel::serialize {

/// Composes an archive out of memory that others own: `data` must live until the archive is written.
class ZipWriter {
public:
    using Sink = std::function<void(std::string_view)>;
    void add(const std::string& name, std::string_view data) { members_.push_back({name, {}, data, {}}); }
    /// A member that begins with `front`, which the archive keeps.
    void add(const std::string& name, std::string front, std::string_view data) {
        members_.push_back({name, std::move(front), data, {}});
    }
    /// A member that is deflated, of which the archive keeps what comes of it.
    void add_deflated(const std::string& name, std::string_view data);
    /// A member that is made when everything before it is written, and so can tell of its checksums.
    void add_late(const std::string& name, std::function<std::string()> make) {
        members_.push_back({name, {}, {}, std::move(make)});
    }
    /// Gives the file to `sink` from its first byte to its last. Checksums are computed on the way, so that a disk
    /// works meanwhile.
    void write(const Sink& sink);
    /// Of a member that is written.
    std::uint32_t crc(std::size_t member) const { return members_[member].crc; }
    std::size_t size() const { return members_.size(); }

private:
    struct Member {
        std::string name, front;
        std::string_view data;
        std::function<std::string()> make;
        std::uint64_t offset = 0, packed = 0, size = 0;
        std::uint32_t crc = 0;
        bool deflated = false; ///< then `front` is the packed data, and size and checksum are known
    };
    void write(Member& m, const Sink& sink);
    std::string directory() const;
    std::vector<Member> members_;
    std::uint64_t at_ = 0;
};

} // namespace reel::serialize
