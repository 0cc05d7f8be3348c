#include "archive/archive_file.hpp"

#include <algorithm>

#include <reel/autograd/error.hpp>

#include "pt_reader.hpp"
#include "zip_storages.hpp"

namespace reel::jit {

using namespace serialize;

namespace {
constexpr std::uint64_t longest_code = 64u << 20, longest_pickle = std::uint64_t(1) << 32;
/// Deeper values than this no program makes; objects, states and tags each count.
constexpr std::uint32_t deepest = 600;

std::shared_ptr<const MappedFile> checked(std::shared_ptr<const MappedFile> file) {
    const std::string_view bytes = file->bytes();
    if (bytes.substr(0, 4) == std::string_view("PK\x03\x04", 4)) return file;
    const std::string looks = describe_content(bytes);
    REEL_THROW(ValueError, file->path(), ": not a script archive, which begins as a ZIP archive",
               looks.empty() ? "" : ": it looks like ", looks);
}
} // namespace

ArchiveFile::ArchiveFile(std::shared_ptr<const MappedFile> file) : zip_(checked(std::move(file))) {
    if (zip_.members().empty()) zip_.fail("not a script archive: the ZIP archive is empty");
    const std::string& first = zip_.members().front().name;
    root_ = first.substr(0, first.find('/'));
    for (const ZipMember& m : zip_.members())
        if (m.name.rfind(root_ + "/", 0) != 0)
            zip_.fail(m,
                      "all members of an archive must lie below one root folder; the first one's is '" + root_ + "'");
    if (!has("data.pkl")) zip_.fail("the member '" + root_ + "/data.pkl' is missing");
    if (!has("constants.pkl"))
        zip_.fail("not a script archive: the member '" + root_ +
                  "/constants.pkl' is missing (a file of weights alone is read by reel::load)");
    read_version();
    if (has("byteorder")) {
        const std::string order = read("byteorder", 64);
        big_endian_ = order == "big"; // anything else is as good as none
    }
}
void ArchiveFile::read_version() {
    const char* name = has("version") ? "version" : ".data/version";
    if (!has(name)) zip_.fail("the member '" + root_ + "/version' is missing");
    std::string number = read(name, 64);
    if (!number.empty() && number.back() == '\n') number.pop_back();
    const bool digits =
        !number.empty() && number.size() <= 3 && number.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || std::stoi(number) < 1 || std::stoi(number) > 10)
        zip_.fail("the member '" + root_ + "/" + name + "' is '" + number.substr(0, 20) +
                  "'; expected a version from 1 to 10");
    version_ = std::stoi(number);
}
std::string ArchiveFile::read(const std::string& name, std::uint64_t limit) {
    const std::int64_t index = zip_.find(root_ + "/" + name);
    if (index < 0) zip_.fail("the member '" + root_ + "/" + name + "' is missing");
    const ZipMember& m = zip_.members()[std::size_t(index)];
    if (m.size > limit) zip_.fail(m, reel::str("has ", m.size, " bytes; the limit is ", limit));
    return zip_.read(m);
}
std::string ArchiveFile::code_name(const std::string& module) {
    std::string name = "code/" + module + ".py";
    std::replace(name.begin() + 5, name.end() - 3, '.', '/');
    return name;
}
std::optional<std::string> ArchiveFile::code(const std::string& module) {
    const std::string name = code_name(module);
    if (!has(name)) return std::nullopt;
    std::string text = read(name, longest_code);
    if (!is_utf8(text)) zip_.fail("the member '" + root_ + "/" + name + "' is not UTF-8");
    return text;
}
std::vector<std::string> ArchiveFile::extra_files() const {
    const std::string folder = root_ + "/extra/";
    std::vector<std::string> out;
    for (const ZipMember& m : zip_.members())
        if (m.name.rfind(folder, 0) == 0 && !m.is_folder()) out.push_back(m.name.substr(folder.size()));
    return out;
}

ArchivePickle::ArchivePickle(ArchiveFile& archive, const std::string& name, std::optional<Device> map_location)
    : archive_(archive), map_location_(map_location) {
    const std::string member = name + ".pkl", bytes = archive.read(member, longest_pickle);
    where_ = archive.path() + ": member '" + archive.root() + "/" + member + "'";
    ReadLimits limits;
    limits.fit(archive.zip().file().size());
    limits.depth = deepest;
    ZipStorages storages(tree_, archive.zip(), archive.root() + "/" + name + "/");
    PickleReader reader(tree_, bytes, where_, limits, &storages, PickleDialect::Script);
    tree_.root = reader.read();
    if (reader.position() != bytes.size())
        reader.fail(reel::str(bytes.size() - reader.position(), " bytes after STOP"));
    check_tree(tree_, where_, limits);
    tensors_.emplace(tree_, static_cast<const StorageBytes&>(*this));
}
void ArchivePickle::read(std::size_t index, char* out) const {
    const StorageInfo& s = tree_.storages[index];
    if (s.member < 0) return;
    archive_.zip().read_into(archive_.zip().members()[std::size_t(s.member)], out);
    if (archive_.big_endian() && s.elements() != FileDtype::None) swap_elements(out, s.bytes, s.elements());
}
void ArchivePickle::fail(const std::string& what) const { REEL_THROW(ValueError, where_, ": ", what); }
Device ArchivePickle::device(std::size_t index) const {
    if (map_location_) return *map_location_;
    const std::string& location = tree_.storages[index].location;
    if (location.rfind("cuda", 0) == 0) return Device(location);
    return Device(kCPU); // of a kind that Reel does not have: the bytes are the same here
}

} // namespace reel::jit
