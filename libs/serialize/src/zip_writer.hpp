// A ZIP archive with the byte layout of torch.save: stored members, payloads at multiples of 64 (PT-6 to PT-8).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace reel::serialize {

/// Composes an archive out of memory that others own: `data` must live until the parts are written.
class ZipWriter {
public:
    void add(const std::string& name, std::string_view data);
    /// The same for data that the archive keeps.
    void add_owned(const std::string& name, std::string data);
    /// Ends the archive. The parts in order are the file.
    const std::vector<std::string_view>& finish();
    std::uint32_t crc(std::size_t member) const { return members_[member].crc; }
    std::size_t size() const { return members_.size(); }

private:
    struct Member {
        std::string name;
        std::uint64_t offset, size;
        std::uint32_t crc;
    };
    void put(std::string bytes);
    std::vector<Member> members_;
    std::deque<std::string> owned_;
    std::vector<std::string_view> parts_;
    std::uint64_t at_ = 0;
};

} // namespace reel::serialize
