// libFuzzer target: the input is the pickle of a checkpoint whose containers are right.
#include "fuzz.hpp"

#include "zip_writer.hpp"

namespace {
/// An archive with storages `0` to `7` of 48 bytes, as whole multiples of every element size.
std::string zip_with(const std::string& pickle) {
    static const std::string storage(48, '\1');
    reel::serialize::ZipWriter zip;
    zip.add("archive/data.pkl", pickle);
    for (char key = '0'; key < '8'; ++key) zip.add(std::string("archive/data/") + key, storage);
    zip.add("archive/version", "3\n");
    std::string out;
    zip.write([&](std::string_view bytes) { out += bytes; });
    return out;
}
/// The records before the object's pickle in the legacy container; the list of keys and the storages follow it.
const std::string legacy_front("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e\x80\x02\x4d\xe9\x03."
                               "\x80\x02}.",
                               25);
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string pickle(reinterpret_cast<const char*>(data), size);
    fuzz::read_pt(zip_with(pickle));
    fuzz::read_pt(legacy_front + pickle);
    return 0;
}
