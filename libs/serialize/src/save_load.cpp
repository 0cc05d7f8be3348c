#include <reel/serialize/save_load.hpp>

#include <bit>

#include "atomic_file.hpp"
#include "pickle_writer.hpp"
#include "pt_value.hpp"
#include "zip_reader.hpp"
#include "zip_writer.hpp"

namespace reel {

using namespace serialize;

namespace {
/// The file's name without folder and last extension, as the reference names the root folder.
std::string root_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot) name.resize(dot);
    const bool plain = !name.empty() && is_utf8(name) && name.find_first_not_of('.') != std::string::npos &&
                       name.find_first_of("\\:") == std::string::npos;
    return plain ? name : "archive";
}
/// 40 digits that follow from the names and checksums of the members before.
std::string serialization_id(const std::vector<std::string>& names, const ZipWriter& zip) {
    std::uint64_t hash[2] = {0xcbf29ce484222325, 0xcbf29ce484222325};
    const auto mix = [](std::uint64_t& h, std::uint8_t byte) { h = (h ^ byte) * 0x100000001b3; };
    for (const std::string& name : names)
        for (const char c : name + '\n') mix(hash[0], std::uint8_t(c));
    for (std::size_t i = 0; i < names.size(); ++i)
        for (int shift = 0; shift < 32; shift += 8) mix(hash[1], std::uint8_t(zip.crc(i) >> shift));
    std::string out;
    for (const std::uint64_t h : hash) {
        const std::string digits = std::to_string(h);
        out += std::string(20 - digits.size(), '0') + digits;
    }
    return out;
}
struct Archive {
    Pickled pickled;
    std::vector<std::string> names;
    ZipWriter zip;
    Archive(const Value& value, const SaveOptions& options, const std::string& root)
        : pickled(pickle_value(value, options)) {
        static_assert(std::endian::native == std::endian::little);
        const auto add = [&](const std::string& name, std::string_view data) {
            names.push_back(name);
            zip.add(root + "/" + name, data);
        };
        add("data.pkl", pickled.pickle);
        add(".format_version", "1");
        add(".storage_alignment", "64");
        add("byteorder", "little");
        for (std::size_t k = 0; k < pickled.storages.size(); ++k)
            add("data/" + std::to_string(k), pickled.storages[k].bytes);
        add("version", "3\n");
        zip.add_late(root + "/.data/serialization_id", [this] { return serialization_id(names, zip); });
    }
    Archive(const Archive&) = delete;
};
Value read(const PtReader& file, const LoadOptions& options) { return to_value(file, options); }
} // namespace

Value load(const std::string& path, const LoadOptions& options) {
    PtOptions o;
    o.check_crc = options.check_crc;
    return read(PtReader(path, o), options);
}
void save(const Value& value, const std::string& path, const SaveOptions& options) {
    Archive archive(value, options, root_of(path));
    AtomicFile file(path);
    archive.zip.write([&](std::string_view bytes) { file.write(bytes); });
    file.commit();
}
std::vector<char> pickle_save(const Value& value) {
    Archive archive(value, {}, "archive");
    std::vector<char> out;
    archive.zip.write([&](std::string_view bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); });
    return out;
}
Value pickle_load(const std::vector<char>& data) {
    return read(PtReader(std::make_shared<MappedFile>("the data", std::string(data.begin(), data.end()))), {});
}

} // namespace reel
