// Changing what lies in an archive: its members are taken out, one is changed, and all are packed again, with the
// checksums that belong to them. Without that, every change would end at a checksum.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "script.hpp"
#include "zip_reader.hpp"
#include "zip_writer.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace fuzz {

struct Member {
    std::string name, bytes;
};
inline std::vector<Member> members_of(const std::string& archive) {
    std::vector<Member> r;
    accepted([&] {
        serialize::ZipReader zip(std::make_shared<serialize::MappedFile>("input", archive), false);
        for (const serialize::ZipMember& m : zip.members()) r.push_back({m.name, zip.read(m)});
    });
    return r;
}
inline std::string packed(const std::vector<Member>& members) {
    serialize::ZipWriter zip;
    for (const Member& m : members) zip.add(m.name, m.bytes);
    std::string out;
    zip.write([&](std::string_view bytes) { out += bytes; });
    return out;
}
/// A change of one member by libFuzzer's own means; of the whole file now and then, and where it is no archive.
inline std::size_t mutate_archive(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<Member> members = members_of(std::string(reinterpret_cast<const char*>(data), size));
    if (members.empty() || random() % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
    Member& bent = members[random() % members.size()];
    const std::size_t was = bent.bytes.size();
    bent.bytes.resize(was + 256);
    bent.bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bent.bytes.data()), was, was + 256));
    std::string out;
    if (!accepted([&] { out = packed(members); }) || out.size() > max_size)
        return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, out.data(), out.size());
    return out.size();
}

} // namespace fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    return fuzz::mutate_archive(data, size, max_size, seed);
}
