// jit::load and jit::save: archives of the reference there and back, and archives that somebody bent.
#include <reel/script/load_save.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

#include "archives.hpp"
#include "message.hpp"

using namespace reel;
using reel::testing::archive_bytes;
using reel::testing::archive_file;
using reel::testing::message;

namespace {
/// `from` becomes `to`, of the same length, everywhere in the file; checksums of what is stored are then wrong.
std::string replaced(std::string bytes, const std::string& from, const std::string& to) {
    BOOST_REQUIRE_EQUAL(from.size(), to.size());
    BOOST_REQUIRE(bytes.find(from) != std::string::npos);
    for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size())
        bytes.replace(at, from.size(), to);
    return bytes;
}
std::string load_message(std::string bytes) {
    return message([&] { jit::load_from_buffer(std::move(bytes)); });
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(script_load_save)

BOOST_AUTO_TEST_CASE(SC_10_attributes_of_every_kind_are_read) {
    const jit::Module m = jit::load(archive_file("net.pt"));
    BOOST_TEST(m.type()->name() == "__torch__.Net");
    BOOST_TEST(m.attr("count").toInt() == 0);
    BOOST_TEST(m.attr("big").toInt() == std::int64_t(1) << 40);
    BOOST_TEST(m.attr("names").elements()[1].toStringRef() == "b");
    BOOST_TEST(m.attr("table").toGenericDict().at("t").elements()[1].toDouble() == 0.5);
    BOOST_TEST(m.attr("pairs").elements()[1].elements()[0].toInt() == 300);
    BOOST_TEST(m.attr("flags").elements()[0].toBool());
    BOOST_TEST((m.attr("rows").elements()[1].toTensor().scalar_type() == kLong));
    BOOST_TEST(m.attr("maybe").isNone());
    BOOST_TEST(m.attr("bias").isNone());
    BOOST_TEST(jit::to_enum(m.attr("color")).name() == "GREEN"); // SC-11
    BOOST_TEST((m.attr("device").toDevice() == Device(kCPU)));
}
BOOST_AUTO_TEST_CASE(SC_8_what_shared_memory_goes_on_sharing_it) {
    const jit::Module m = jit::load(archive_file("net.pt"));
    const Tensor low = m.attr("low").toTensor(), high = m.attr("high").toTensor();
    BOOST_TEST((low.storage() == high.storage()));
    BOOST_TEST(high.storage_offset() == 4);
    BOOST_TEST(jit::to_module(m.attr("head")).attr("weight").toTensor().is_same(m.attr("w").toTensor()));
    BOOST_TEST((jit::to_object(m.attr("block")) == jit::to_object(m.attr("again"))));
    BOOST_TEST(m.parameters().size() == 3u); // w, and weight and bias of the block's layer
}
BOOST_AUTO_TEST_CASE(SC_16_extra_files_are_read_and_written) {
    jit::ExtraFilesMap all, one{{"notes.txt", ""}, {"absent", "as it was"}};
    const jit::Module m = jit::load(archive_file("net.pt"), std::nullopt, &all);
    BOOST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[0].first == "dir/empty");
    BOOST_TEST(all[1].second == "kept \xff");
    const std::string bytes = m.save_to_buffer({{"notes.txt", std::string("a\0b", 3)}});
    jit::load_from_buffer(bytes, std::nullopt, &one);
    BOOST_TEST(one[0].second == std::string("a\0b", 3));
    BOOST_TEST(one[1].second == "as it was");
}
BOOST_AUTO_TEST_CASE(SC_14_an_archive_that_was_saved_is_saved_the_same_again) {
    for (const char* name : {"net.pt", "layers.pt"}) {
        const std::string first = jit::load(archive_file(name)).save_to_buffer();
        BOOST_TEST((jit::load_from_buffer(first).save_to_buffer() == first));
    }
}
BOOST_AUTO_TEST_CASE(SC_4_a_file_a_stream_and_a_buffer_hold_the_same) {
    const jit::Module m = jit::load(archive_file("net.pt"));
    const std::string file =
        (std::filesystem::temp_directory_path() / ("reel_script_" + std::to_string(::getpid()) + ".pt")).string();
    m.save(file);
    const jit::Module from_file = jit::load(file);
    std::filesystem::remove(file);
    std::stringstream stream;
    jit::save(m, stream);
    BOOST_TEST((stream.str() == m.save_to_buffer()));
    const jit::Module from_stream = jit::load(stream);
    for (const jit::Module& other : {from_file, from_stream}) {
        BOOST_TEST(other.state_dict().size() == m.state_dict().size());
        for (const auto& item : m.state_dict())
            BOOST_TEST(reel::equal(other.state_dict().tensor(item.key()), (*item).toTensor()));
    }
}
BOOST_AUTO_TEST_CASE(SC_94_the_version_follows_from_the_operators) {
    const std::string gelu = jit::load(archive_file("layers.pt")).save_to_buffer();
    BOOST_TEST(has(gelu, "archive/.data/version"));
    BOOST_TEST(!has(jit::load(archive_file("net.pt")).save_to_buffer(), "archive/.data/version"));
}

BOOST_AUTO_TEST_CASE(SC_1_what_is_no_archive_is_refused_by_name) {
    BOOST_TEST(has(load_message(""), "an empty file"));
    BOOST_TEST(has(load_message("{\"a\": 1}"), "it looks like a JSON file"));
    const std::string net = archive_bytes("net.pt");
    BOOST_TEST(has(load_message(replaced(net, "net/constants.pkl", "net/constants.pkx")),
                   "the member 'net/constants.pkl' is missing"));
    BOOST_TEST(
        has(load_message(replaced(net, "net/data.pkl", "net/data.pkx")), "the member 'net/data.pkl' is missing"));
    BOOST_TEST(has(load_message(replaced(net, "net/version", "net/versiox")), "the member 'net/version' is missing"));
    BOOST_TEST(has(load_message(replaced(net, "net/data/3", "net/data/9")),
                   "the member 'net/data/3' of storage '3' is missing"));
    // the code of a class
    BOOST_TEST(has(load_message(replaced(net, "net/code/__torch__.py", "net/code/__torch_x.py")),
                   "unknown class '__torch__.Net'"));
}
BOOST_AUTO_TEST_CASE(SC_6_damage_is_refused) {
    const std::string net = archive_bytes("net.pt");
    BOOST_TEST(has(
        load_message(replaced(net, std::string("X\x05\0\0\0names", 10), std::string("X\x05\0\0\0nemes", 10))), "CRC"));
}
// J.1 of the demands on readers: cut off at every byte
BOOST_AUTO_TEST_CASE(SC_99_no_part_of_an_archive_is_loaded) {
    const std::string net = archive_bytes("net.pt");
    for (std::size_t n = 0; n < net.size(); n += 7) BOOST_CHECK_THROW(jit::load_from_buffer(net.substr(0, n)), Error);
}
// J.2: every byte flipped gives an error or a module, never anything else
BOOST_AUTO_TEST_CASE(SC_97_flipped_bytes_do_no_harm) {
    const std::string net = archive_bytes("net.pt");
    std::size_t loaded = 0, refused = 0;
    for (std::size_t i = 0; i < net.size(); i += 3) {
        std::string bent = net;
        bent[i] = char(bent[i] ^ 0x41);
        try {
            jit::load_from_buffer(bent);
            ++loaded;
        } catch (const Error&) {
            ++refused;
        }
    }
    BOOST_TEST(refused > loaded);
}
BOOST_AUTO_TEST_CASE(errors_name_the_file) {
    BOOST_TEST(has(message([] { jit::load("/nowhere/x.pt"); }), "/nowhere/x.pt"));
    BOOST_TEST(
        has(message([] { jit::load_from_buffer("PK\x03\x04", std::nullopt, nullptr, "the fifth"); }), "the fifth"));
}

BOOST_AUTO_TEST_SUITE_END()
