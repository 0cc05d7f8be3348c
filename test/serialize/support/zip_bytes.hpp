// Archives built by hand, right or wrong on purpose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zip_bytes {

inline std::string little(std::uint64_t v, int n) {
    std::string s;
    for (int i = 0; i < n; ++i) s += char(v >> 8 * i);
    return s;
}
inline std::uint32_t checksum(const std::string& s) {
    std::uint32_t crc = 0xffffffffu;
    for (const char c : s) {
        crc ^= std::uint8_t(c);
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}
struct Member {
    std::string name, data;
    std::string local_name = name;      ///< in the local header
    std::uint32_t crc = checksum(data); ///< in both headers
    std::uint32_t size = std::uint32_t(data.size());
    std::uint16_t method = 0, flags = 0, local_method = 0;
    std::int64_t offset = -1; ///< in the directory; -1: where it is
};
struct Archive {
    std::vector<Member> members;
    std::string before, comment, after_members;
    int entries_off = 0; ///< added to the entry count
    std::int64_t directory_off = 0;
    std::string bytes() const {
        std::string out = before, directory;
        for (const Member& m : members) {
            const std::uint64_t at = m.offset >= 0 ? std::uint64_t(m.offset) : out.size();
            out += little(0x04034b50, 4) + little(20, 2) + little(m.flags, 2) + little(m.local_method, 2) +
                   little(0, 4) + little(m.crc, 4) + little(m.size, 4) + little(m.size, 4) +
                   little(m.local_name.size(), 2) + little(0, 2) + m.local_name + m.data;
            directory += little(0x02014b50, 4) + little(20, 2) + little(20, 2) + little(m.flags, 2) +
                         little(m.method, 2) + little(0, 4) + little(m.crc, 4) + little(m.size, 4) + little(m.size, 4) +
                         little(m.name.size(), 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 2) +
                         little(0, 4) + little(at, 4) + m.name;
        }
        out += after_members;
        const std::uint64_t start = out.size(), count = std::uint64_t(std::int64_t(members.size()) + entries_off);
        out += directory + little(0x06054b50, 4) + little(0, 4) + little(count, 2) + little(count, 2) +
               little(directory.size(), 4) + little(std::uint64_t(std::int64_t(start) + directory_off), 4) +
               little(comment.size(), 2) + comment;
        return out;
    }
};
/// A checkpoint with this pickle and six floats as storage 0.
inline Archive checkpoint(const std::string& pickle) {
    return {{{"a/data.pkl", pickle}, {"a/data/0", std::string(24, '\0')}, {"a/version", "3\n"}}, {}, {}, {}, 0, 0};
}

} // namespace zip_bytes
