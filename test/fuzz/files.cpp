// libFuzzer target over all readers of files: nothing but reel::Error may come out, whatever goes in.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <reel/serialize.hpp>

#include "npy_format.hpp"
#include "pt_reader.hpp"
#include "pt_value.hpp"

using namespace reel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    // without checksums, or no change would get past them
    serialize::PtOptions options;
    options.check_crc = false;
    try {
        const serialize::PtReader file(std::make_shared<serialize::MappedFile>("input", bytes), options);
        for (const bool mmap : {false, true}) {
            LoadOptions how;
            how.mmap = mmap;
            const Value v = serialize::to_value(file, how);
            // what was read can be written, and read again
            pickle_load(pickle_save(v));
        }
    } catch (const Error&) {
    }
    try {
        serialize::parse_npy_header(bytes, "input");
    } catch (const Error&) {
    }
    if (size > 8 && data[8] == '{') {
        static const std::string path =
            (std::filesystem::temp_directory_path() / ("reel_fuzz_" + std::to_string(::getpid()))).string();
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        try {
            serialize::load_file(path);
        } catch (const Error&) {
        }
    }
    return 0;
}
