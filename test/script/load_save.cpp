// jit::load and jit::save: archives of the reference there and back, and archives that somebody bent.
#include <reel/script/load_save.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "archives.hpp"
#include "message.hpp"
#include "zip_reader.hpp"
#include "zip_writer.hpp"

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

/// The members of an archive below its root, but for those that only the reference writes.
std::vector<std::pair<serialize::ZipMember, std::string>> members(std::string bytes) {
    serialize::ZipReader zip(std::make_shared<serialize::MappedFile>("the archive", std::move(bytes)));
    std::vector<std::pair<serialize::ZipMember, std::string>> out;
    for (serialize::ZipMember m : zip.members()) {
        std::string contents = zip.read(m);
        m.name = m.name.substr(m.name.find('/') + 1);
        if (!has(m.name, "debug_pkl") && !has(m.name, "serialization_id")) out.emplace_back(m, std::move(contents));
    }
    return out;
}

BOOST_AUTO_TEST_SUITE(script_load_save)

// SC-2, SC-3, SC-7, SC-9, SC-12, SC-18 to SC-24: names, order, packing and bytes of pickles, constants and class texts
BOOST_AUTO_TEST_CASE(SC_122_archives_of_the_reference_come_out_as_they_came_in) {
    for (const char* name : {"net.pt", "layers.pt", "hooked.pt", "function.pt"}) {
        jit::ExtraFilesMap extra;
        const jit::Module m = jit::load(archive_file(name), std::nullopt, &extra);
        const auto before = members(archive_bytes(name)), after = members(m.save_to_buffer(extra));
        BOOST_REQUIRE_EQUAL(after.size(), before.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            BOOST_TEST(after[i].first.name == before[i].first.name);
            BOOST_TEST(after[i].first.deflated == before[i].first.deflated);
            BOOST_TEST((after[i].second == before[i].second), name << ": " << before[i].first.name);
        }
    }
}
BOOST_AUTO_TEST_CASE(SC_5_versions_from_1_to_10_are_taken) {
    const std::string net = archive_bytes("net.pt");
    const std::size_t at = net.find("net/version");
    const std::size_t digit = net.find("3\n", at);
    for (const char version : {'0', 'x'}) {
        std::string bent = net;
        bent[digit] = version;
        const std::string said = load_message(bent);
        BOOST_TEST((has(said, "expected a version from 1 to 10") || has(said, "CRC")), said);
    }
}
BOOST_AUTO_TEST_CASE(SC_7_strings_that_are_not_ascii_are_constants) {
    const jit::Module m = jit::load(archive_file("hooked.pt"));
    BOOST_TEST(m.run_method("greeting").toStringRef() == "gr\u00fcezi");
    const auto [code, constants] = m.get_method("greeting").function->code_with_constants();
    BOOST_TEST(has(code, "CONSTANTS.c0"));
    BOOST_REQUIRE(constants.size() == 1u);
    BOOST_TEST(constants[0].first == "c0");
}
BOOST_AUTO_TEST_CASE(SC_15_every_buffer_belongs_to_the_state) {
    BOOST_TEST(jit::load(archive_file("hooked.pt")).state_dict().contains("unsaved"));
}
BOOST_AUTO_TEST_CASE(SC_17_a_function_is_the_forward_of_a_module) {
    const jit::Module m = jit::load(archive_file("function.pt"));
    BOOST_TEST(m.original_name() == "PlaceholderModule");
    BOOST_TEST(m.forward({reel::ones({1})}).toTensor().item<float>() == 2.f);
}
BOOST_AUTO_TEST_CASE(SC_26_hooks_of_the_script_run_where_the_script_calls_and_from_outside) {
    const jit::Module m = jit::load(archive_file("hooked.pt"));
    const Tensor one = reel::ones({1});
    // the inner module gives -(1 + 1) * 2, the outer one adds 1 and, called from outside, is negated
    BOOST_TEST(m.forward({one}).toTensor().item<float>() == -3.f);
    BOOST_TEST(m({one}).toTensor().item<float>() == 3.f);
}
// SC-13: `count` is an int, and the file has a float
BOOST_AUTO_TEST_CASE(SC_13_values_of_another_type_are_refused_by_class_and_attribute) {
    const jit::Module m("Typed");
    m.register_attribute("count", jit::Type::Float(), 1.5);
    m.define("def forward(self):\n    return self.count\n");
    std::string text, pickle;
    std::string bytes = m.save_to_buffer();
    const std::size_t at = bytes.find("count : float");
    BOOST_REQUIRE(at != std::string::npos); // short enough to be stored
    bytes.replace(at, 13, "count : int  ");
    const std::string said = load_message(bytes);
    BOOST_TEST((has(said, "CRC") || has(said, ".count: the value is a float, but its type is int")), said);
}

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
    BOOST_TEST(m->get_parameter("again.fc.weight").is_same(m->get_parameter("block.fc.weight")));
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
    const auto saved_with = [](const std::string& end) { // ranges between tensors came later, and changed nothing
        const jit::Module m = jit::load(archive_file("function.pt"));
        m.define("def other(self, x: Tensor) -> Tensor:\n    return torch.linspace(0., " + end + ", 3)\n");
        return m.save_to_buffer();
    };
    BOOST_TEST(has(saved_with("1."), "archive/.data/version"));
    BOOST_TEST(!has(saved_with("x"), "archive/.data/version"));
}

/// The archive with another version on it, and without `part` in its code.
std::string with_version(const std::string& bytes, const std::string& version, const std::string& part = "") {
    serialize::ZipReader zip(std::make_shared<serialize::MappedFile>("the archive", bytes));
    std::vector<std::string> contents;
    for (const serialize::ZipMember& m : zip.members())
        contents.push_back(m.name.ends_with("/version") ? version + "\n" : zip.read(m));
    for (std::size_t i = 0; !part.empty() && i < contents.size(); ++i)
        for (std::size_t at;
             zip.members()[i].name.ends_with(".py") && (at = contents[i].find(part)) != std::string::npos;)
            contents[i].erase(at, part.size());
    serialize::ZipWriter out;
    for (std::size_t i = 0; i < contents.size(); ++i) out.add(zip.members()[i].name, contents[i]);
    std::string written;
    out.write([&](std::string_view part) { written += part; });
    return written;
}
BOOST_AUTO_TEST_CASE(SC_95_programs_of_older_files_keep_their_meaning) {
    const jit::Module m("Old");
    m.define("def forward(self, a, b):\n    return torch.div(a, b)\n"
             "def ones(self):\n    return torch.full([2], 1)\n");
    const Tensor a = reel::tensor({-7, 7}, TensorOptions(kLong)), b = reel::tensor({2, 2}, TensorOptions(kLong));
    const auto quotient = [&](const jit::Module& module, const Tensor& x) { return module.forward({x, b}).toTensor(); };
    const std::string now = m.save_to_buffer();
    const jit::Module today = jit::load_from_buffer(now), old = jit::load_from_buffer(with_version(now, "3"));
    BOOST_TEST(reel::equal(quotient(today, a), reel::tensor({-3.5, 3.5}, TensorOptions(kFloat))));
    BOOST_TEST(reel::equal(quotient(old, a), reel::tensor({-3, 3}, TensorOptions(kLong)))); // toward zero
    BOOST_TEST(reel::equal(quotient(old, a.to(kFloat)), reel::tensor({-3.5, 3.5}, TensorOptions(kFloat))));
    BOOST_TEST(today.run_method("ones").toTensor().scalar_type() == kLong);
    BOOST_TEST(old.run_method("ones").toTensor().scalar_type() == kFloat);
    // what is written again means the same under today's version
    const jit::Module again = jit::load_from_buffer(old.save_to_buffer());
    BOOST_TEST(reel::equal(quotient(again, a), reel::tensor({-3, 3}, TensorOptions(kLong))));
}

BOOST_AUTO_TEST_CASE(SC_95_steps_could_be_left_out) {
    const jit::Module m("Old");
    m.define("def forward(self):\n    return torch.linspace(0, 1, 100)\n"
             "def logs(self):\n    return torch.logspace(0, 1, 100)\n");
    const std::string now = m.save_to_buffer();
    const jit::Module old = jit::load_from_buffer(with_version(now, "7", ", 100"));
    BOOST_TEST(reel::equal(old.forward({}).toTensor(), reel::linspace(0, 1, 100)));
    BOOST_TEST(reel::equal(old.run_method("logs").toTensor(), reel::logspace(0, 1, 100)));
    BOOST_TEST(has(jit::load_from_buffer(old.save_to_buffer()).code(), "torch.linspace(0, 1, 100"));
    // from version 8 on linspace must say how many, from 9 on logspace too
    BOOST_TEST(has(load_message(with_version(now, "8", ", 100")), "Argument steps not provided"));
    BOOST_TEST(has(load_message(with_version(now, "10", ", 100")), "Argument steps not provided"));
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
BOOST_AUTO_TEST_CASE(values_are_pickled_under_either_name) {
    BOOST_TEST(jit::pickle_load(jit::pickle_save(Value("text"))).toStringRef() == "text");
}

BOOST_AUTO_TEST_SUITE_END()
