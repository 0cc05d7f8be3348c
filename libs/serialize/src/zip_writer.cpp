

#include "zip_writer.hpp"

#include <zlib.h>

#include <reel/autograd/error.hpp>

#include "crc32.hpp"

namespace reel::serialize {

namespace {
constexpr std::uint64_t wide = 0xffffffffu; ///< figures from here on need ZIP64 fields

class Record {
public:
    Record& u16(std::uint64_t v) { return raw(v, 2); }
    Record& u32(std::uint64_t v) { return raw(v, 4); }
    Record& u64(std::uint64_t v) { return raw(v, 8); }
    Record& text(std::string_view s) {
        bytes.append(s);
        return *this;
    }
    std::string bytes;

private:
    Record& raw(std::uint64_t v, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) bytes.push_back(char(v >> 8 * i));
        return *this;
    }
};
/// The ZIP64 field of a member, empty when it needs none.
std::string zip64_field(std::uint64_t size, std::uint64_t offset) {
    Record body;
    if (size >= wide) body.u64(size).u64(size);
    if (offset >= wide) body.u64(offset);
    if (body.bytes.empty()) return {};
    return Record().u16(1).u16(body.bytes.size()).text(body.bytes).bytes;
}
/// UTF-8 names, and a data descriptor unless there are no data.
std::uint64_t flags(std::uint64_t size) { return size ? 0x0808 : 0x0800; }
std::uint64_t narrow(std::uint64_t v) { return v < wide ? v : wide; }
} // namespace

void ZipWriter::add_deflated(const std::string& name, std::string_view data) {
    Member& m = members_.emplace_back();
    m.name = name;
    m.deflated = true;
    m.size = data.size();
    m.crc = crc32(0, data.data(), data.size());
    z_stream z{};
    REEL_CHECK(::deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib cannot be started");
    REEL_CHECK_VALUE(data.size() < wide, "member '", name, "' has ", data.size(), " bytes, too many to be deflated");
    m.front.resize(::deflateBound(&z, uLong(data.size())));
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    z.avail_in = uInt(data.size());
    z.next_out = reinterpret_cast<Bytef*>(m.front.data());
    z.avail_out = uInt(m.front.size());
    const int rc = ::deflate(&z, Z_FINISH);
    m.front.resize(z.total_out);
    ::deflateEnd(&z);
    REEL_CHECK(rc == Z_STREAM_END, "member '", name, "' cannot be deflated");
}

void ZipWriter::write(const Sink& sink) {
    const auto counted = [&](std::string_view bytes) {
        at_ += bytes.size();
        sink(bytes);
    };
    at_ = 0;
    for (Member& m : members_) write(m, counted);
    counted(directory());
}
void ZipWriter::write(Member& m, const Sink& sink) {
    if (m.make) m.front = m.make();
    m.offset = at_;
    m.packed = m.front.size() + m.data.size();
    if (!m.deflated) m.size = m.packed, m.crc = 0;
    const std::string zip64 = zip64_field(m.size, m.offset);
    const std::uint64_t start = at_ + 30 + m.name.size() + zip64.size() + 4, padding = (64 - start % 64) % 64;
    Record header;
    // checksum and sizes follow in the descriptor
    header.u32(0x04034b50)
        .u16(0)
        .u16(flags(m.size))
        .u16(m.deflated ? 8 : 0)
        .u32(0)
        .u32(0)
        .u32(0)
        .u32(0)
        .u16(m.name.size());
    header.u16(zip64.size() + 4 + padding)
        .text(m.name)
        .text(zip64)
        .text("FB")
        .u16(padding)
        .text(std::string(padding, 'Z'));
    sink(header.bytes);
    if (!m.size) return;
    constexpr std::size_t chunk = 1u << 20; // what was just summed up is still in the cache when it is copied
    for (std::string_view left : {std::string_view(m.front), m.data})
        while (!left.empty()) {
            const std::string_view part = left.substr(0, chunk);
            if (!m.deflated) m.crc = crc32(m.crc, part.data(), part.size());
            sink(part);
            left.remove_prefix(part.size());
        }
    Record descriptor;
    descriptor.u32(0x08074b50).u32(m.crc);
    if (zip64.empty()) descriptor.u32(m.packed).u32(m.size);
    else descriptor.u64(m.packed).u64(m.size);
    sink(descriptor.bytes);
}
std::string ZipWriter::directory() const {
    const std::uint64_t directory = at_, count = members_.size();
    Record d;
    for (const Member& m : members_) {
        const std::string zip64 = zip64_field(m.size, m.offset);
        d.u32(0x02014b50)
            .u16(0)
            .u16(0)
            .u16(flags(m.size))
            .u16(m.deflated ? 8 : 0)
            .u32(0)
            .u32(m.crc)
            .u32(narrow(m.packed))
            .u32(narrow(m.size));
        d.u16(m.name.size())
            .u16(zip64.size())
            .u16(0)
            .u16(0)
            .u16(0)
            .u32(0)
            .u32(narrow(m.offset))
            .text(m.name)
            .text(zip64);
    }
    const std::uint64_t size = d.bytes.size(), end64 = directory + size;
    d.u32(0x06064b50).u64(44).u16(0x031e).u16(45).u32(0).u32(0).u64(count).u64(count).u64(size).u64(directory);
    d.u32(0x07064b50).u32(0).u64(end64).u32(1);
    const std::uint64_t entries = count < 0xffff ? count : 0xffff;
    d.u32(0x06054b50).u16(0).u16(0).u16(entries).u16(entries).u32(narrow(size)).u32(narrow(directory)).u16(0);
    return std::move(d.bytes);
}

} // namespace reel::serialize
