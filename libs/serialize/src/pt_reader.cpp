#include "pt_reader.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <reel/autograd/error.hpp>

#include "pickle_reader.hpp"
#include "zip_storages.hpp"

namespace reel::serialize {

namespace {
constexpr std::string_view zip_start("PK\x03\x04", 4);
constexpr std::string_view legacy_magic("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 13);
/// Length of the pickle of the magic number at the front; 0 when there is none. Protocols 4 and 5 have a frame.
std::size_t legacy_length(std::string_view b) {
    const std::size_t at =
        b.size() > 2 && b[0] == '\x80' && b[1] >= 2 && b[1] <= 5 ? (b[2] == '\x95' ? 11 : 2) : b.size();
    return at < b.size() && b.substr(at, legacy_magic.size()) == legacy_magic ? at + legacy_magic.size() : 0;
}

/// Does the pickle of the legacy container's protocol number, 1001, follow a first short one?
bool legacy_record(std::string_view b) {
    const std::size_t at = b.substr(0, 64).find("M\xe9\x03.");
    return at != std::string_view::npos && at > 10 && b[0] == '\x80' && b[at - 3] == '.' && b[at - 2] == '\x80';
}

class LegacyStorages : public StorageSource {
public:
    LegacyStorages(FileTree& tree, std::uint64_t file_bytes) : tree_(tree), file_bytes_(file_bytes) {}
    std::size_t fields() const override { return 6; }
    std::uint32_t storage(const StorageRequest& r, PickleReader& reader) override {
        const std::uint64_t bytes = storage_bytes(r, reader);
        if (bytes > file_bytes_)
            reader.fail(str("storage '", r.key, "' states ", bytes, " bytes, more than the file has"));
        const std::uint32_t base = add(r, r.key, bytes, reader);
        if (!r.view) return base;
        if (r.view->offset < 0 || r.view->size < 0 || r.view->offset > r.count ||
            r.view->size > r.count - r.view->offset)
            reader.fail(str("a view of ", r.view->size, " elements at ", r.view->offset, " lies outside storage '",
                            r.key, "'"));
        const std::uint64_t offset = std::uint64_t(r.view->offset) * r.item(),
                            size = std::uint64_t(r.view->size) * r.item();
        const std::uint32_t index = add(r, "view " + r.key + " " + r.view->key, size, reader);
        StorageInfo& s = tree_.storages[index];
        if (s.view_of >= 0 && s.view_offset != offset) reader.fail("the view '" + r.view->key + "' has two offsets");
        s.view_of = base;
        s.view_offset = offset;
        return index;
    }
    std::unordered_map<std::string, std::uint32_t> known;

private:
    std::uint32_t add(const StorageRequest& r, const std::string& key, std::uint64_t bytes, PickleReader& reader) {
        if (const auto it = known.find(key); it != known.end()) {
            check_storage_again(tree_.storages[it->second], r, bytes, reader);
            return it->second;
        }
        StorageInfo s;
        s.key = key;
        s.location = r.location;
        s.dtype = r.dtype;
        s.bytes = bytes;
        tree_.storages.push_back(std::move(s));
        return known[key] = std::uint32_t(tree_.storages.size() - 1);
    }
    FileTree& tree_;
    std::uint64_t file_bytes_;
};

const Node* item(const Node& dict, std::string_view key) {
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2)
        if (dict.items[i]->kind == NodeKind::String && dict.items[i]->text == key) return dict.items[i + 1];
    return nullptr;
}
} // namespace

std::string describe_content(std::string_view b) {
    const auto starts = [&](std::string_view s) { return b.substr(0, s.size()) == s; };
    if (b.empty()) return "an empty file";
    if (starts("PYTORCH1")) return "PyTorch's preview format (PYTORCH1), which is not supported";
    if (starts(std::string_view("\x7f"
                                "ELF")))
        return "a program (ELF)";
    if (starts("\x1f\x8b")) return "a gzip file; unpack it first";
    if (starts("\x89HDF")) return "an HDF5 file";
    if (starts("\x93NUMPY")) return "an npy file (NumPy)";
    if (starts(zip_start) || starts("PK\x05\x06")) return "a ZIP archive";
    if (b.size() > 262 && b.substr(257, 5) == "ustar") return "a tar archive";
    if (legacy_record(b)) return "a checkpoint from before PyTorch 1.6 whose magic number is damaged";
    if (b[0] == '\x80' && b.size() > 1 && b[1] >= 2 && b[1] <= 5)
        return "a plain pickle, written by pickle instead of torch.save";
    if (b.size() > 9 && b[8] == '{' && std::uint64_t(std::uint8_t(b[7])) == 0) return "a safetensors file";
    if (b.size() > 22 &&
        b.substr(b.size() - std::min<std::size_t>(b.size(), 65557)).rfind("PK\x05\x06") != std::string_view::npos)
        if (const std::size_t at = b.find(zip_start); at != std::string_view::npos)
            return str("a ZIP archive with ", at, " bytes before it");
    const std::size_t text = b.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (text != std::string_view::npos) {
        const std::string_view t = b.substr(text, 32);
        if (t.substr(0, 5) == "<?xml") return "an XML file";
        if (t[0] == '<') return "a web page (HTML)";
        if (t[0] == '{' || t[0] == '[') return "a JSON file";
    }
    const std::string_view head = b.substr(0, 512);
    if (std::all_of(head.begin(), head.end(),
                    [](char c) { return std::uint8_t(c) >= 32 || c == '\n' || c == '\t' || c == '\r'; }))
        return "a text file";
    return {};
}

PtReader::PtReader(const std::string& path, const PtOptions& options)
    : PtReader(std::make_shared<MappedFile>(path), options) {}
PtReader::PtReader(std::shared_ptr<const MappedFile> file, const PtOptions& options) : file_(std::move(file)) {
    const std::string& path = file_->path();
    const std::string_view b = file_->bytes();
    if (b.substr(0, 4) == zip_start) {
        read_zip(options);
        return;
    }
    if (legacy_length(b)) {
        read_legacy(options);
        return;
    }
    const auto fail = [&](const std::string& what) { REEL_THROW(ValueError, path, ": ", what); };
    if (b.empty()) fail("the file is empty: cut off?");
    const std::string magic = "\x80\x02" + std::string(legacy_magic);
    if (b.size() < magic.size() && (magic.substr(0, b.size()) == b || zip_start.substr(0, b.size()) == b))
        fail("the file is cut off");
    if (b.size() > 262 && b.substr(257, 5) == "ustar")
        fail("the tar-based format of releases before 0.1.10 is not supported");
    const std::string looks = describe_content(b);
    if (b.substr(0, 8) == "PYTORCH1") fail("this is " + looks);
    fail("not a PyTorch checkpoint" + (looks.empty() ? std::string(" (neither a ZIP archive nor the legacy container)")
                                                     : ": it looks like " + looks));
}

namespace {
std::string short_record(ZipReader& zip, std::int64_t index) {
    const ZipMember& m = zip.members()[std::size_t(index)];
    if (m.size > 64) zip.fail(m, str("has ", m.size, " bytes; expected a short record"));
    return zip.read(m);
}
/// Says what another kind of ZIP archive looks like.
void refuse_other_archives(ZipReader& zip, const std::string& root) {
    const std::int64_t constants = zip.find(root + "/constants.pkl");
    const bool code = std::any_of(zip.members().begin(), zip.members().end(),
                                  [&](const ZipMember& m) { return m.name.rfind(root + "/code/", 0) == 0; });
    if (constants >= 0 && zip.members()[std::size_t(constants)].size && code)
        zip.fail("this is a TorchScript archive (code and weights), not a file of weights");
    if (constants >= 0 || code)
        zip.fail(str("half a TorchScript archive: it has ", constants >= 0 ? "constants.pkl" : "code", ", but no ",
                     code ? "constants" : "code"));
    if (zip.find(root + "/data.pkl") >= 0 || zip.find("data.pkl") >= 0) return;
    bool npz = true, data = false;
    for (const ZipMember& m : zip.members()) {
        npz &= m.name.size() > 4 && m.name.substr(m.name.size() - 4) == ".npy";
        data |= m.name.find("/data/") != std::string::npos || m.name == root + "/version";
    }
    if (npz) zip.fail("not a PyTorch checkpoint: it looks like an npz archive (NumPy)");
    if (!data)
        zip.fail("not a PyTorch checkpoint: it looks like some other ZIP archive; its first member is '" +
                 zip.members().front().name + "'");
    zip.fail("the member '" + root + "/data.pkl' is missing");
}
void check_version(ZipReader& zip, const std::string& root) {
    std::int64_t version = zip.find(root + "/version");
    if (version < 0) version = zip.find(root + "/.data/version");
    if (version < 0) zip.fail("the member '" + root + "/version' is missing");
    std::string number = short_record(zip, version);
    if (!number.empty() && number.back() == '\n') number.pop_back();
    if (number.empty() || number.size() > 2 || number.find_first_not_of("0123456789") != std::string::npos ||
        std::stoi(number) < 1 || std::stoi(number) > 10)
        zip.fail(zip.members()[std::size_t(version)], "the version must be a number from 1 to 10");
}
} // namespace

void PtReader::read_zip(const PtOptions& options) {
    const std::string& path = file_->path();
    try {
        zip_ = std::make_unique<ZipReader>(file_, options.check_crc);
    } catch (ValueError& e) {
        if (file_->bytes().find("/constants.pkl") != std::string_view::npos ||
            file_->bytes().find("/code/__torch__") != std::string_view::npos)
            REEL_THROW(ValueError, e.msg(), " (it looks like a TorchScript archive)");
        throw;
    }
    ZipReader& zip = *zip_;
    if (zip.members().empty()) zip.fail("not a PyTorch checkpoint: the ZIP archive is empty");
    const std::string& first = zip.members().front().name;
    const std::string root = first.substr(0, first.find('/'));
    refuse_other_archives(zip, root);
    const std::int64_t pickle = zip.find(root + "/data.pkl");
    for (const ZipMember& m : zip.members())
        if (m.name.rfind(root + "/", 0) != 0)
            zip.fail(m,
                     "all members of a checkpoint must lie below one root folder; the first one's is '" + root + "'");
    check_version(zip, root);
    if (const std::int64_t order = zip.find(root + "/byteorder"); order >= 0) {
        const std::string text = short_record(zip, order);
        if (text != "little" && text != "big")
            zip.fail(zip.members()[std::size_t(order)], "the byte order must be 'little' or 'big'");
        big_endian_ = text == "big";
    }
    const ZipMember& member = zip.members()[std::size_t(pickle)];
    std::string owned;
    if (member.deflated) owned = zip.read(member);
    const std::string_view bytes = member.deflated ? std::string_view(owned) : zip.stored(member, true);
    const std::string where = str(path, ": member '", member.name, "'");
    ReadLimits limits = options.limits;
    limits.fit(file_->size());
    ZipStorages storages(tree_, zip, root + "/data/");
    PickleReader reader(tree_, bytes, where, limits, &storages);
    tree_.root = reader.read();
    if (reader.position() != bytes.size()) reader.fail(str(bytes.size() - reader.position(), " bytes after STOP"));
    check_tree(tree_, where, limits);
}

void PtReader::read_legacy(const PtOptions& options) {
    const std::string_view bytes = file_->bytes();
    ReadLimits limits = options.limits;
    limits.fit(file_->size());
    LegacyStorages storages(tree_, bytes.size());
    const std::string where = file_->path();
    PickleReader plain(tree_, bytes.substr(legacy_length(bytes)), where + " (offsets count from the protocol record)",
                       limits);
    Node* protocol = plain.read();
    if (protocol->kind != NodeKind::Int || protocol->i != 1001)
        plain.fail("the protocol version of the legacy container must be 1001");
    Node* system = plain.read();
    if (!tree_.stranger.name.empty()) refuse_stranger(tree_.stranger, "the record of the writing machine");
    if (!system->is_dict()) plain.fail("the record of the writing machine must be a dict");
    if (const Node* v = item(*system, "protocol_version"); v && (v->kind != NodeKind::Int || v->i != 1001))
        plain.fail("the protocol version of the legacy container must be 1001");
    // its `little_endian` says nothing about the data, which are little-endian in any case
    std::size_t at = legacy_length(bytes) + plain.position();
    PickleReader object(tree_, bytes.substr(at), where + ": the object's pickle", limits, &storages);
    tree_.root = object.read();
    check_tree(tree_, where + ": the object's pickle", limits);
    at += object.position();
    PickleReader list(tree_, bytes.substr(at), where + ": the list of storage keys", limits);
    const Node* keys = list.read();
    if (!tree_.stranger.name.empty()) refuse_stranger(tree_.stranger, "the list of storage keys");
    if (keys->kind != NodeKind::List) list.fail(str("expected a list of storage keys, not ", kind_name(keys->kind)));
    at += list.position();
    std::unordered_map<std::string, bool> seen;
    const auto fail = [&](const std::string& what) { REEL_THROW(ValueError, where, ", byte ", at, ": ", what); };
    for (const Node* key : keys->items) {
        if (key->kind != NodeKind::String) fail(str("a storage key is ", kind_name(key->kind), ", not a string"));
        const auto it = storages.known.find(key->text);
        if (it == storages.known.end() || tree_.storages[it->second].view_of >= 0)
            fail("the storage '" + key->text + "' is not used by the object");
        if (seen[key->text]) fail("the storage key '" + key->text + "' occurs twice");
        seen[key->text] = true;
        StorageInfo& s = tree_.storages[it->second];
        if (bytes.size() - at < 8) fail("the file is cut off in the element count of storage '" + key->text + "'");
        std::int64_t count;
        std::memcpy(&count, bytes.data() + at, 8);
        const std::uint64_t size = s.dtype == FileDtype::None ? 1 : info(s.dtype).size;
        if (count < 0 || std::uint64_t(count) != s.bytes / size)
            fail(str("storage '", key->text, "' has ", count, " elements here, ", s.bytes / size,
                     " in the object's pickle"));
        at += 8;
        if (bytes.size() - at < s.bytes)
            fail(str("the file is cut off: storage '", key->text, "' needs ", s.bytes, " bytes, ", bytes.size() - at,
                     " are left"));
        s.data = bytes.data() + at;
        at += s.bytes;
    }
    for (StorageInfo& s : tree_.storages) {
        if (s.view_of >= 0)
            s.data = tree_.storages[std::size_t(s.view_of)].data
                         ? tree_.storages[std::size_t(s.view_of)].data + s.view_offset
                         : nullptr;
        if (!s.data) fail("the list of storage keys lacks '" + s.key + "', which the object uses");
    }
    if (at != bytes.size()) fail(str(bytes.size() - at, " bytes after the last storage"));
}

void PtReader::read_storage(std::size_t index, char* out) const {
    const StorageInfo& s = tree_.storages[index];
    if (!zip_) {
        if (s.bytes) std::memcpy(out, s.data, s.bytes);
        return;
    }
    if (s.member >= 0) zip_->read_into(zip_->members()[std::size_t(s.member)], out);
    if (!big_endian_ || !s.bytes) return;
    if (s.dtype == FileDtype::None && s.mixed)
        REEL_THROW(ValueError, path(), ": storage '", s.key,
                   "' is big-endian and untyped, and its tensors differ in element size");
    if (s.elements() != FileDtype::None) swap_elements(out, s.bytes, s.elements());
}
void PtReader::check_storage(std::size_t index) const {
    if (const std::int64_t m = tree_.storages[index].member; zip_ && m >= 0)
        zip_->stored(zip_->members()[std::size_t(m)], true);
}
std::size_t PtReader::check_members() const {
    std::size_t count = 0;
    for (const ZipMember& m : zip_->members()) {
        if (m.is_folder()) continue;
        ++count;
        if (m.deflated) zip_->read_into(m, std::unique_ptr<char[]>(new char[m.size + 1]).get());
        else zip_->stored(m, true);
    }
    return count;
}
char* PtReader::mapped_storage(std::size_t index) const {
    const StorageInfo& s = tree_.storages[index];
    if (!s.bytes) return nullptr;
    if (!zip_) return const_cast<char*>(s.data);
    const ZipMember& m = zip_->members()[std::size_t(s.member)];
    if (m.deflated || (big_endian_ && s.elements() != FileDtype::None && info(s.elements()).size > 1)) return nullptr;
    return file_->data() + m.data;
}

} // namespace reel::serialize
