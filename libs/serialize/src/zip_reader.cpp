#include "zip_reader.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <zlib.h>

#include <reel/autograd/error.hpp>

#include "crc32.hpp"

namespace reel::serialize {

namespace {
constexpr std::uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50, locator_signature = 0x07064b50,
                        directory_signature = 0x02014b50, local_signature = 0x04034b50;
constexpr std::uint64_t end_size = 22, locator_size = 20, end64_size = 56, directory_record = 46, local_record = 30;

template <class T> T get(const char* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
std::uint16_t u16(const char* p) { return get<std::uint16_t>(p); }
std::uint32_t u32(const char* p) { return get<std::uint32_t>(p); }
std::uint64_t u64(const char* p) { return get<std::uint64_t>(p); }

/// The ZIP64 figures of an extra field: one for each of `wanted` that is at its maximum, in order.
/// Returns false when the field is malformed or lacks one.
bool zip64_figures(std::string_view extra, std::initializer_list<std::uint64_t*> wanted) {
    bool found = false;
    const bool needed =
        std::any_of(wanted.begin(), wanted.end(), [](const std::uint64_t* w) { return *w == 0xffffffffu; });
    while (extra.size() >= 4) {
        const std::uint16_t id = u16(extra.data()), length = u16(extra.data() + 2);
        if (length > extra.size() - 4) return false;
        std::string_view body = extra.substr(4, length);
        if (id == 1) {
            if (found) return false;
            found = true;
            for (std::uint64_t* w : wanted) {
                if (*w != 0xffffffffu) continue;
                if (body.size() < 8) return false;
                *w = u64(body.data());
                body.remove_prefix(8);
            }
        }
        extra.remove_prefix(4 + std::size_t(length));
    }
    // alignment tools leave up to three zeros
    return (found || !needed) && extra.find_first_not_of('\0') == std::string_view::npos;
}
} // namespace

ZipReader::ZipReader(std::shared_ptr<const MappedFile> file, bool check_crc)
    : file_(std::move(file)), check_crc_(check_crc) {
    parse_end();
    parse_directory();
    check_layout();
}
void ZipReader::fail(const std::string& what) const { REEL_THROW(ValueError, file_->path(), ": ", what); }
void ZipReader::fail(const ZipMember& m, const std::string& what) const {
    REEL_THROW(ValueError, file_->path(), ": member '", m.name, "': ", what);
}
std::int64_t ZipReader::find(const std::string& name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? -1 : std::int64_t(it->second);
}

void ZipReader::parse_end() {
    const std::string_view bytes = file_->bytes();
    if (bytes.size() < end_size) fail("the ZIP archive is cut off: its end record is missing");
    // The comment must reach exactly to the end of the file. Two records that both do leave it open which one counts.
    const std::uint64_t lowest = bytes.size() > end_size + 65535 ? bytes.size() - end_size - 65535 : 0;
    std::uint64_t end = 0, candidates = 0;
    bool signature = false;
    for (std::uint64_t at = bytes.size() - end_size + 1; at-- > lowest;) {
        if (u32(bytes.data() + at) != end_signature) continue;
        signature = true;
        if (at + end_size + u16(bytes.data() + at + 20) != bytes.size()) continue;
        end = at;
        ++candidates;
    }
    if (!candidates)
        fail(signature ? "the ZIP archive's end record does not end the file: a wrong comment length, or bytes after it"
                       : "the ZIP archive is cut off: its end record is missing");
    // readers that look for the last signature, and not at the comment's length, would take one in the comment
    if (candidates > 1 || (candidates && bytes.find(std::string_view("PK\x05\x06"), end + 4) != bytes.npos))
        fail("the ZIP archive has more than one possible end record");
    const char* e = bytes.data() + end;
    const std::uint64_t disk = u16(e + 4), directory_disk = u16(e + 6), here = u16(e + 8);
    entries_ = u16(e + 10);
    directory_size_ = u32(e + 12);
    directory_ = u32(e + 16);
    std::uint64_t directory_end = end;
    bool zip64 = false;
    if (end >= locator_size && u32(e - locator_size) == locator_signature) {
        const char* l = e - locator_size;
        const std::uint64_t locator = end - locator_size, at = u64(l + 8);
        if (u32(l + 4) != 0 || u32(l + 16) != 1) fail("ZIP archives on several disks are not supported");
        if (at > locator || locator - at < end64_size || u32(bytes.data() + at) != end64_signature ||
            u64(bytes.data() + at + 4) != locator - at - 12)
            fail("the ZIP64 locator does not point to a ZIP64 end record");
        const char* r = bytes.data() + at;
        if (u32(r + 16) != 0 || u32(r + 20) != 0) fail("ZIP archives on several disks are not supported");
        if (u64(r + 24) != u64(r + 32)) fail("the ZIP64 end record's two entry counts differ");
        const auto merge = [&](std::uint64_t& figure, std::uint64_t maximum, std::uint64_t wide, const char* what) {
            if (figure != maximum && figure != wide)
                fail(str("the end record and the ZIP64 end record disagree on the directory's ", what));
            figure = wide;
        };
        merge(entries_, 0xffff, u64(r + 32), "entry count");
        merge(directory_size_, 0xffffffffu, u64(r + 40), "size");
        merge(directory_, 0xffffffffu, u64(r + 48), "offset");
        if (here != 0xffff && here != entries_) fail("the end record's two entry counts differ");
        directory_end = at;
        zip64 = true;
    }
    if ((disk && !(zip64 && disk == 0xffff)) || (directory_disk && !(zip64 && directory_disk == 0xffff)))
        fail("ZIP archives on several disks are not supported");
    if (!zip64 && here != entries_) fail("the end record's two entry counts differ");
    if (directory_ > directory_end || directory_size_ != directory_end - directory_)
        fail(str("the end record places the directory at ", directory_, " with ", directory_size_,
                 " bytes, which does not end where the end record begins (", directory_end,
                 "): damaged, or bytes before the archive"));
    if (entries_ > directory_size_ / directory_record)
        fail(str("the end record states ", entries_, " entries, more than a directory of ", directory_size_,
                 " bytes holds"));
}

void ZipReader::parse_directory() {
    const std::string_view bytes = file_->bytes();
    const char* p = bytes.data() + directory_;
    std::uint64_t left = directory_size_;
    members_.reserve(entries_);
    index_.reserve(entries_);
    for (std::uint64_t i = 0; i < entries_; ++i) {
        if (left < directory_record || u32(p) != directory_signature)
            fail(str("entry ", i, " of the ZIP directory is missing or damaged"));
        const std::uint16_t flags = u16(p + 8), method = u16(p + 10);
        const std::uint64_t name_length = u16(p + 28), extra_length = u16(p + 30), comment_length = u16(p + 32);
        if (left - directory_record < name_length + extra_length + comment_length)
            fail(str("entry ", i, " of the ZIP directory is longer than the directory"));
        ZipMember m;
        m.name.assign(p + directory_record, name_length);
        check_name(m.name);
        m.crc = u32(p + 16);
        m.packed = u32(p + 20);
        m.size = u32(p + 24);
        m.header = u32(p + 42);
        if (!zip64_figures({p + directory_record + name_length, extra_length}, {&m.size, &m.packed, &m.header}))
            fail(m, "its extra field in the directory is malformed or lacks the ZIP64 figures");
        if (flags & 0x2041) fail(m, "encrypted members are not supported");
        if (flags & 0x0020) fail(m, "members of patch data are not supported");
        if (flags & ~0x080eu) fail(m, str("unknown flags 0x", std::hex, flags));
        if (method != 0 && method != 8)
            fail(m, str("compression method ", method, " is not supported (stored, deflated)"));
        if (u16(p + 34) != 0) fail(m, "ZIP archives on several disks are not supported");
        m.deflated = method == 8;
        if (!m.deflated && m.packed != m.size) fail(m, "is stored, but its two sizes differ");
        if (m.is_folder() && (m.size || m.packed > 2)) fail(m, "is a folder, but has data");
        parse_local(m, flags, method);
        if (!index_.emplace(m.name, members_.size()).second) fail(m, "the name occurs twice (duplicate member)");
        has_descriptor_.push_back(flags & 8);
        members_.push_back(std::move(m));
        const std::uint64_t step = directory_record + name_length + extra_length + comment_length;
        p += step;
        left -= step;
    }
    if (left) fail(str("the ZIP directory has ", left, " bytes after its last entry: the entry count is wrong"));
}

void ZipReader::parse_local(ZipMember& m, std::uint16_t flags, std::uint16_t method) {
    const std::string_view bytes = file_->bytes();
    if (m.header > directory_ || directory_ - m.header < local_record)
        fail(m, str("its header offset ", m.header, " lies outside the archive"));
    const char* h = bytes.data() + m.header;
    if (u32(h) != local_signature) fail(m, "has no local header where the directory says");
    const std::uint64_t name_length = u16(h + 26), extra_length = u16(h + 28);
    if (directory_ - m.header - local_record < name_length + extra_length)
        fail(m, "its local header runs into the directory");
    if (std::string_view(h + local_record, name_length) != m.name)
        fail(m, str("its local header has another name: '", std::string(h + local_record, name_length), "'"));
    if (u16(h + 6) != flags || u16(h + 8) != method)
        fail(m, "its local header disagrees with the directory on flags or method");
    std::uint64_t packed = u32(h + 18), size = u32(h + 22);
    if (!zip64_figures({h + local_record + name_length, extra_length}, {&size, &packed}))
        fail(m, "the extra field of its local header is malformed or lacks the ZIP64 figures");
    const std::uint32_t crc = u32(h + 14);
    // with a data descriptor the header may leave the three out
    const bool left_out = (flags & 8) && !crc && !packed && !size;
    if (!left_out && (crc != m.crc || packed != m.packed || size != m.size))
        fail(m, "its local header disagrees with the directory on checksum or sizes");
    m.data = m.header + local_record + name_length + extra_length;
    if (m.packed > directory_ - m.data)
        fail(m, str("its ", m.packed, " bytes run into the directory or beyond (overlap)"));
}

void ZipReader::check_name(const std::string& name) const {
    const auto bad = [&](const char* why) {
        fail(str("member name '", name, "' is not a plain relative path: ", why));
    };
    if (name.empty()) bad("it is empty");
    if (!is_utf8(name)) bad("it is not UTF-8");
    if (name.find('\0') != std::string::npos) bad("it has a NUL");
    if (name.find('\\') != std::string::npos) bad("it has a backslash");
    if (name.size() > 1 && name[1] == ':' && std::isalpha(static_cast<unsigned char>(name[0])))
        bad("it has a drive letter");
    std::size_t begin = 0;
    while (begin < name.size()) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        if (end == begin) bad("it has an empty part");
        if (name.find_first_not_of('.', begin) >= end) bad("a part of it consists of dots");
        begin = end + 1;
    }
}

void ZipReader::check_layout() const {
    std::vector<std::size_t> order(members_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return members_[a].header < members_[b].header; });
    const ZipMember* previous = nullptr;
    std::uint64_t at = 0;
    for (const std::size_t k : order) {
        const ZipMember& m = members_[k];
        if (m.header < at) fail(m, "overlaps another member");
        check_gap(previous, at, m.header);
        at = m.data + m.packed;
        previous = has_descriptor_[k] ? &m : nullptr;
    }
    check_gap(previous, at, directory_);
}
void ZipReader::check_gap(const ZipMember* owner, std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t n = end - begin;
    if (!n) return;
    if (!owner || (n != 12 && n != 16 && n != 20 && n != 24))
        fail(str(n, " bytes at offset ", begin, " belong to no member"));
    // a data descriptor, with or without signature, with 32 or 64 bit sizes
    const char* p = file_->data() + begin;
    const bool marked = n % 8 == 0, wide = n >= 20;
    if (marked && u32(p) != 0x08074b50) fail(*owner, "is not followed by its data descriptor");
    if (marked) p += 4;
    const std::uint64_t packed = wide ? u64(p + 4) : u32(p + 4), size = wide ? u64(p + 12) : u32(p + 8);
    if (u32(p) != owner->crc || packed != owner->packed || size != owner->size)
        fail(*owner, "its data descriptor disagrees with the directory on checksum or sizes");
}

void ZipReader::check_checksum(const ZipMember& m, const char* data) const {
    if (check_crc_) check_checksum(m, data, crc32(0, data, m.size));
}
void ZipReader::check_checksum(const ZipMember& m, const char* data, std::uint32_t crc) const {
    if (!check_crc_ || crc == m.crc) return;
    // saving with skipped data leaves zeros and no checksum
    if (!m.crc && std::all_of(data, data + m.size, [](char c) { return c == 0; })) return;
    fail(m, "its CRC does not match: the data are damaged, or were saved without checksums (then turn the check off)");
}
std::string_view ZipReader::stored(const ZipMember& m, bool verify) const {
    if (m.deflated) fail(m, "is deflated and cannot be mapped");
    if (verify) check_checksum(m, file_->data() + m.data);
    return {file_->data() + m.data, m.size};
}
std::string ZipReader::prefix(const ZipMember& m, std::size_t n) const {
    const std::size_t wanted = std::size_t(std::min<std::uint64_t>(n, m.size));
    const char* in = file_->data() + m.data;
    if (!m.deflated) return {in, wanted};
    std::string out(wanted, '\0');
    z_stream z{};
    if (::inflateInit2(&z, -MAX_WBITS) != Z_OK) fail(m, "zlib cannot be started");
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in));
    z.avail_in = uInt(std::min<std::uint64_t>(m.packed, 1u << 30));
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = uInt(wanted);
    ::inflate(&z, Z_SYNC_FLUSH);
    out.resize(wanted - z.avail_out);
    ::inflateEnd(&z);
    return out;
}
std::string ZipReader::read(const ZipMember& m) {
    if (m.deflated) {
        const std::uint64_t limit = 200 * std::uint64_t(file_->size()) + (64u << 20);
        if (m.size > limit - inflated_) fail(m, str("inflates to ", m.size, " bytes, beyond the limit for this file"));
        inflated_ += m.size;
    }
    std::string out(m.size, '\0');
    read_into(m, out.data());
    return out;
}
void ZipReader::read_into(const ZipMember& m, char* out) const {
    const char* in = file_->data() + m.data;
    if (!m.deflated) {
        // checksums of what is still in the cache
        constexpr std::uint64_t chunk = 1u << 20;
        std::uint32_t crc = 0;
        file_->prepare_copy(m.data, m.size, out);
        for (std::uint64_t at = 0; at < m.size; at += chunk) {
            const std::size_t n = std::size_t(std::min(chunk, m.size - at));
            std::memcpy(out + at, in + at, n);
            if (check_crc_) crc = crc32(crc, out + at, n);
        }
        check_checksum(m, out, crc);
        return;
    }
    // deflate packs at most 1032 : 1; more is a lie that need not be inflated to be known
    if (m.size / 1032 > m.packed)
        fail(m, str("states ", m.size, " bytes, which ", m.packed, " deflated bytes cannot give"));
    z_stream z{};
    if (::inflateInit2(&z, -MAX_WBITS) != Z_OK) fail(m, "zlib cannot be started");
    std::uint64_t taken = 0, given = 0;
    int rc = Z_OK;
    char beyond;
    constexpr std::uint64_t chunk = 1u << 30;
    while (rc == Z_OK) {
        const bool full = given == m.size;
        const std::uint64_t input = std::min(m.packed - taken, chunk),
                            room = full ? 1 : std::min(m.size - given, chunk);
        z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in + taken));
        z.avail_in = uInt(input);
        z.next_out = reinterpret_cast<Bytef*>(full ? &beyond : out + given);
        z.avail_out = uInt(room);
        rc = ::inflate(&z, Z_NO_FLUSH);
        taken += input - z.avail_in;
        const std::uint64_t made = room - z.avail_out;
        given += made;
        if (rc == Z_OK && input == z.avail_in && !made) rc = Z_BUF_ERROR;
        if (given > m.size) break;
    }
    ::inflateEnd(&z);
    if (given > m.size) fail(m, str("inflates beyond its declared ", m.size, " bytes"));
    if (rc != Z_STREAM_END) fail(m, "its deflated data are damaged or cut off");
    if (given != m.size) fail(m, str("inflates to ", given, " bytes, declared are ", m.size));
    if (taken != m.packed) fail(m, "has bytes after its deflated data");
    check_checksum(m, out);
}

} // namespace reel::serialize
