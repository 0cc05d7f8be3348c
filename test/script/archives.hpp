// The archives of test/fixtures/script.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include <reel/script/load_save.hpp>

namespace reel::testing {

inline std::string archive_file(const std::string& name) {
    namespace fs = std::filesystem;
    fs::path p = fs::read_symlink("/proc/self/exe").parent_path();
    while (p.has_relative_path() && !fs::exists(p / "Jamroot")) p = p.parent_path();
    return (p / "test/fixtures/script" / name).string();
}
inline std::string archive_bytes(const std::string& name) {
    std::ifstream in(archive_file(name), std::ios::binary);
    BOOST_REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace reel::testing
