// libFuzzer target: the input is a ZIP archive, read as a checkpoint and as NumPy's arrays.
#include "fuzz.hpp"

#include "npz_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace reel::serialize;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    fuzz::read_pt(bytes);
    fuzz::accepted([&] {
        const NpzReader file(std::make_shared<MappedFile>("input", bytes), false);
        for (const NpzReader::Array& a : file.arrays()) {
            std::string elements(a.header.bytes, '\0');
            fuzz::accepted([&] { file.read(a, elements.data()); });
        }
    });
    fuzz::accepted([&] { parse_npy_header(bytes, "input"); });
    return 0;
}
