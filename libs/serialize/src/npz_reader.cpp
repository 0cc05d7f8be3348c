#include "npz_reader.hpp"

#include <reel/autograd/error.hpp>

#include "pt_reader.hpp"

namespace reel::serialize {

namespace {
constexpr std::size_t longest_header = 70'000; // NumPy itself stops at 10,000

std::shared_ptr<const MappedFile> checked(std::shared_ptr<const MappedFile> file) {
    REEL_CHECK_VALUE(file->bytes().substr(0, 2) == "PK", file->path(), ": not an npz archive: it looks like ",
                     describe_content(file->bytes()));
    return file;
}
} // namespace

NpzReader::NpzReader(const std::string& path, bool check_crc)
    : NpzReader(std::make_shared<MappedFile>(path), check_crc) {}
NpzReader::NpzReader(std::shared_ptr<const MappedFile> file, bool check_crc)
    : zip_(checked(std::move(file)), check_crc) {
    for (std::size_t i = 0; i < zip_.members().size(); ++i) {
        const ZipMember& m = zip_.members()[i];
        const std::string_view name = m.name;
        if (name.size() < 4 || name.substr(name.size() - 4) != ".npy")
            zip_.fail(m, "is not an npy array; an npz archive holds nothing else");
        Array a;
        a.name = name.substr(0, name.size() - 4);
        a.member = i;
        const std::string where = zip_.file().path() + ": member '" + m.name + "'";
        a.header = parse_npy_header(zip_.prefix(m, longest_header), where);
        if (m.size != a.header.data + a.header.bytes)
            zip_.fail(m, str("its shape needs ", a.header.bytes, " bytes, ", m.size - a.header.data, " are there"));
        arrays_.push_back(std::move(a));
    }
}
void NpzReader::read(const Array& a, char* out) const {
    const ZipMember& m = zip_.members()[a.member];
    if (!m.deflated) return npy_elements(a.header, zip_.stored(m, true).data() + a.header.data, out);
    const std::unique_ptr<char[]> bytes(new char[m.size]);
    zip_.read_into(m, bytes.get());
    npy_elements(a.header, bytes.get() + a.header.data, out);
}

} // namespace reel::serialize
