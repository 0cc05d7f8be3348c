// What the libFuzzer targets share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include <reel/serialize.hpp>

#include "pt_reader.hpp"
#include "pt_value.hpp"

namespace fuzz {

using namespace reel;

/// Runs `f`; nothing but a `reel::Error` may come out of it. Says whether it came to its end.
template <class F> bool accepted(F&& f) {
    try {
        f();
        return true;
    } catch (const Error&) {
        return false;
    }
}
[[noreturn]] inline void broken(const char* rule) {
    std::cerr << "broken: " << rule << '\n';
    std::abort();
}
/// Reads a `.pt` file every way there is. Checksums are left out, or no change would get past them. What was read can
/// be written, and what was written says the same once more.
inline void read_pt(const std::string& bytes) {
    serialize::PtOptions options;
    options.check_crc = false;
    accepted([&] {
        const serialize::PtReader file(std::make_shared<serialize::MappedFile>("input", bytes), options);
        for (const bool mapped : {false, true}) {
            LoadOptions how;
            how.mmap = how.ordered_dicts = mapped;
            const Value v = serialize::to_value(file, how);
            std::vector<char> written;
            if (!accepted([&] { written = pickle_save(v); })) continue; // a bigger int than 64 bits, say
            Value again;
            if (!accepted([&] { again = pickle_load(written); })) broken("what save wrote, load refuses");
            if (pickle_save(again).size() > written.size()) broken("a file grows each time it is loaded and saved");
        }
    });
}

} // namespace fuzz
