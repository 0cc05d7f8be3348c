// A folder of a test's own, gone with it, and what files hold.
#pragma once

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace reel::testing {

struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / ("reel_save_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    std::filesystem::path path;
};
inline std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    BOOST_REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace reel::testing
