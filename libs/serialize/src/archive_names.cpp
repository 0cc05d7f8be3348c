#include "archive_names.hpp"

#include "zip_reader.hpp"

namespace reel::serialize {

std::string archive_root(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot) name.resize(dot);
    const bool plain = !name.empty() && is_utf8(name) && name.find_first_not_of('.') != std::string::npos &&
                       name.find_first_of("\\:") == std::string::npos;
    return plain ? name : "archive";
}
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

} // namespace reel::serialize
