// What fuzzing starts from, read once: every file is accepted or refused, and nothing else happens.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <reel/serialize.hpp>
#include <reel/serialize/npz.hpp>

#include "serialize/support/zip_bytes.hpp"

using namespace reel;

namespace {
namespace fs = std::filesystem;
fs::path corpus() {
    fs::path p = fs::read_symlink("/proc/self/exe").parent_path();
    while (p.has_relative_path() && !fs::exists(p / "Jamroot")) p = p.parent_path();
    return p / "test/fuzz/corpus";
}
/// How many files of a folder `read` accepts; anything but a `reel::Error` ends the test.
std::pair<int, int> accepted_and_refused(const char* folder,
                                         const std::function<void(const fs::path&, const std::string&)>& read) {
    std::pair<int, int> count;
    for (const auto& entry : fs::directory_iterator(corpus() / folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(in)), {});
        try {
            read(entry.path(), bytes);
            ++count.first;
        } catch (const Error&) {
            ++count.second;
        }
    }
    return count;
}
} // namespace

BOOST_AUTO_TEST_SUITE(corpus_of_the_fuzzers)

BOOST_AUTO_TEST_CASE(pickles) {
    const auto [good, bad] = accepted_and_refused("pickle", [](const fs::path&, const std::string& pickle) {
        zip_bytes::Archive archive{{{"a/data.pkl", pickle}}, {}, {}, {}, 0, 0};
        for (const char* key : {"0", "1", "2", "3"})
            archive.members.push_back({std::string("a/data/") + key, std::string(48, '\1')});
        archive.members.push_back({"a/version", "3\n"});
        const std::string bytes = archive.bytes();
        const Value v = pickle_load({bytes.begin(), bytes.end()});
        pickle_load(pickle_save(v)); // what was read can be written
    });
    BOOST_TEST(good > 10);
    BOOST_TEST(bad > 10);
}
BOOST_AUTO_TEST_CASE(archives) {
    const auto [good, bad] = accepted_and_refused("zip", [](const fs::path& path, const std::string& bytes) {
        if (path.extension() == ".npz") serialize::load_npz(path.string());
        else if (path.extension() == ".npy") serialize::load_npy(path.string());
        else pickle_load({bytes.begin(), bytes.end()});
    });
    BOOST_TEST(good > 2);
    BOOST_TEST(bad > 10);
}
BOOST_AUTO_TEST_CASE(safetensors) {
    const auto [good, bad] = accepted_and_refused(
        "safetensors", [](const fs::path& path, const std::string&) { serialize::load_file(path.string()); });
    BOOST_TEST(good > 2);
    BOOST_TEST(bad > 10);
}

BOOST_AUTO_TEST_SUITE_END()
