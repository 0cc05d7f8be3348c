// The ZIP container, read with suspicion (rule SR-13).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mapped_file.hpp"

namespace reel::serialize {

struct ZipMember {
    std::string name;
    std::uint64_t header = 0, data = 0; ///< offsets in the file; `data` comes from the local header
    std::uint64_t packed = 0, size = 0;
    std::uint32_t crc = 0;
    bool deflated = false;
    bool is_folder() const { return !name.empty() && name.back() == '/'; }
};

/// The directory of an archive, checked against the members before anything is read. Every ValueError names the file
/// and what is wrong: records out of bounds, counts and sizes that disagree, members that overlap, names that are not
/// plain paths, duplicate names, encryption, unknown methods, bytes that belong to nobody.
class ZipReader {
public:
    explicit ZipReader(std::shared_ptr<const MappedFile> file, bool check_crc = true);

    const std::vector<ZipMember>& members() const { return members_; }
    /// Index of a member, or -1.
    std::int64_t find(const std::string& name) const;
    const MappedFile& file() const { return *file_; }
    const std::shared_ptr<const MappedFile>& file_ptr() const { return file_; }

    /// A member's bytes. Deflated ones count against the archive's limit of inflated bytes (200 x file + 64 MiB).
    std::string read(const ZipMember& m);
    /// The same into `out`, which has `m.size` bytes; not counted. `check_crc` of the archive applies.
    void read_into(const ZipMember& m, char* out) const;
    /// The first bytes of a member, at most `n`, unchecked.
    std::string prefix(const ZipMember& m, std::size_t n) const;
    /// A stored member in the mapped file, its checksum compared when `verify` and the archive's setting say so.
    std::string_view stored(const ZipMember& m, bool verify) const;

    [[noreturn]] void fail(const std::string& what) const;
    [[noreturn]] void fail(const ZipMember& m, const std::string& what) const;

private:
    void parse_end();
    void parse_directory();
    void parse_local(ZipMember& m, std::uint16_t flags, std::uint16_t method);
    void check_layout() const;
    void check_gap(const ZipMember* owner, std::uint64_t begin, std::uint64_t end) const;
    void check_name(const std::string& name) const;
    void check_checksum(const ZipMember& m, const char* data) const;
    void check_checksum(const ZipMember& m, const char* data, std::uint32_t crc) const;

    std::shared_ptr<const MappedFile> file_;
    std::vector<ZipMember> members_;
    std::vector<bool> has_descriptor_;
    std::unordered_map<std::string, std::size_t> index_;
    std::uint64_t directory_ = 0, directory_size_ = 0, entries_ = 0, inflated_ = 0;
    bool check_crc_ = true;
};

/// The bytes of a valid UTF-8 text, as Unicode has it (no surrogates, nothing overlong).
bool is_utf8(std::string_view s);

} // namespace reel::serialize
