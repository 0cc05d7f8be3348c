// Files that nobody vouches for, built byte by byte: each is refused with its reason, and nothing else happens.
#include <reel/serialize/save_load.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <functional>

#include <unistd.h>

#include <reel/autograd/ops.hpp>
#include <reel/nn.hpp>
#include <reel/serialize/safetensors.hpp>

#include "serialize/support/zip_bytes.hpp"

using namespace reel;
using zip_bytes::little;

namespace {

// --- a pickle assembler
const std::string proto("\x80\x02", 2);
std::string text(const std::string& s) { return "X" + little(s.size(), 4) + s; }
std::string integer(std::int64_t v) { return std::string("\x8a\x08", 2) + little(std::uint64_t(v), 8); }
std::string global(const std::string& module, const std::string& name) { return "c" + module + "\n" + name + "\n"; }
std::string tuple(const std::string& items) { return "(" + items + "t"; }
std::string ordered_dict() { return global("collections", "OrderedDict") + ")R"; }
std::string storage(std::int64_t count = 6, const std::string& type = "FloatStorage", const std::string& key = "0") {
    return tuple(text("storage") + global("torch", type) + text(key) + text("cpu") + integer(count)) + "Q";
}
std::string ints(const std::vector<std::int64_t>& v) {
    std::string s;
    for (const std::int64_t i : v) s += integer(i);
    return tuple(s);
}
std::string tensor(const std::vector<std::int64_t>& sizes = {2, 3}, const std::vector<std::int64_t>& strides = {3, 1},
                   std::int64_t offset = 0, const std::string& memory = storage()) {
    return global("torch._utils", "_rebuild_tensor_v2") +
           tuple(memory + integer(offset) + ints(sizes) + ints(strides) + "\x89" + ordered_dict()) + "R";
}
/// `{"x": VALUE}`
std::string dict(const std::string& value) { return proto + "}" + text("x") + value + "s."; }

Value load_bytes(const std::string& file) { return pickle_load({file.begin(), file.end()}); }
Value load_pickle(const std::string& pickle) { return load_bytes(zip_bytes::checkpoint(pickle).bytes()); }
std::string refusal(const std::function<void()>& f) {
    try {
        f();
    } catch (const ValueError& e) {
        return e.msg();
    }
    return "accepted";
}
void refused(const std::string& pickle, const std::string& reason) {
    const std::string message = refusal([&] { load_pickle(pickle); });
    BOOST_TEST(message.find(reason) != std::string::npos, "expected '" << reason << "', got: " << message);
}
void zip_refused(const zip_bytes::Archive& a, const std::string& reason) {
    const std::string message = refusal([&] { load_bytes(a.bytes()); });
    BOOST_TEST(message.find(reason) != std::string::npos, "expected '" << reason << "', got: " << message);
}
constexpr std::int64_t two_62 = std::int64_t(1) << 62;

std::string small_file() {
    ValueDict d;
    d.set("w", reel::arange(6, kFloat).reshape({2, 3}));
    d.set("n", 7);
    d.set("names", Value::list({Value("a"), Value(0.5)}));
    const std::vector<char> bytes = pickle_save(Value(d));
    return {bytes.begin(), bytes.end()};
}
bool equal(const Value& v) {
    if (!v.isGenericDict() || v.toGenericDict().size() != 3) return false;
    const ValueDict& d = v.toGenericDict();
    return d.contains("w") && d.at("w").isTensor() && d.at("w").toTensor().sizes() == IntArrayRef({2, 3}) &&
           reel::equal(d.at("w").toTensor(), reel::arange(6, kFloat).reshape({2, 3})) && d.contains("n") &&
           d.at("n").isInt() && d.at("n").toInt() == 7 && d.contains("names") && d.at("names").isList() &&
           d.at("names").elements().size() == 2;
}
} // namespace

BOOST_AUTO_TEST_SUITE(hostile)

BOOST_AUTO_TEST_CASE(the_assembler_makes_a_good_file) {
    const Value v = load_pickle(dict(tensor()));
    BOOST_TEST((v.toGenericDict().at("x").toTensor().sizes() == IntArrayRef({2, 3})));
}
BOOST_AUTO_TEST_CASE(SR_8_SR_13_cut_at_every_byte) {
    const std::string good = small_file();
    BOOST_TEST(equal(load_bytes(good)));
    for (std::size_t n = 0; n < good.size(); ++n)
        BOOST_TEST(refusal([&] { load_bytes(good.substr(0, n)); }) != "accepted", "cut at " << n);
}
BOOST_AUTO_TEST_CASE(SR_13_every_bit_flipped_gives_an_error_or_the_same_values) {
    const std::string good = small_file();
    std::size_t errors = 0;
    for (std::size_t i = 0; i < good.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) {
            std::string bad = good;
            bad[i] ^= char(1 << bit);
            try {
                BOOST_TEST(equal(load_bytes(bad)), "byte " << i << ", bit " << bit);
            } catch (const ValueError&) {
                ++errors;
            }
        }
    BOOST_TEST(errors > good.size()); // padding and times may change, the rest must not
}
BOOST_AUTO_TEST_CASE(SR_6_SR_7_counts_sizes_strides_and_offsets) {
    const char* outside = "does not lie inside its storage";
    refused(dict(tensor({2, 3}, {3, 1}, 0, storage(-6))), "states -6 elements");
    refused(dict(tensor({2, 3}, {3, 1}, 0, storage(two_62))), "overflows");
    refused(dict(tensor({2, 3}, {3, 1}, 0, storage(two_62 + 6))), "overflows");
    refused(dict(tensor({2, 3}, {3, 1}, 0, storage((std::int64_t(1) << 30) + 6))), "its member has 24");
    refused(dict(tensor({-2, 3}, {3, 1})), "must not be negative");
    refused(dict(tensor({2, 3}, {-3, 1})), "must not be negative");
    refused(dict(tensor({2, 3}, {3, 1}, -1)), outside);
    refused(dict(tensor({2, 3}, {3, 1}, two_62)), outside);
    refused(dict(tensor({0}, {1}, 7)), outside); // even when it is empty
    refused(dict(tensor({0}, {1}, two_62)), outside);
    refused(dict(tensor({0, two_62, two_62}, {1, 1, 1})), outside);
    refused(dict(tensor({2, 4}, {4, 1})), outside);
    refused(dict(tensor({2, 3}, {4, 1})), outside);
    refused(dict(tensor({5, 1}, {two_62, 1})), outside); // four steps wrap to 0
    refused(dict(tensor({std::int64_t(1) << 32, std::int64_t(1) << 32}, {0, 0})), outside);
    refused(dict(tensor({2, 3}, {3})), "2 sizes and 1 strides");
    refused(dict(tensor(std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1))), "dimensions");
}
BOOST_AUTO_TEST_CASE(SR_5_SR_6_storages_shorter_and_longer_than_declared) {
    refused(dict(tensor({1}, {1}, 0, storage(5))), "its member has 24");
    refused(dict(tensor({1}, {1}, 0, storage(7))), "its member has 24");
    refused(dict(tensor({1}, {1}, 0, storage(6, "FloatStorage", "1"))), "is missing");
}
BOOST_AUTO_TEST_CASE(SR_6_one_key_with_two_dtypes) {
    const std::string both = tensor() + tensor({3}, {1}, 0, storage(3, "DoubleStorage")) + "\x86";
    refused(dict(both), "two dtypes");
    refused(dict(tensor() + tensor({6}, {1}, 0, storage(6, "DoubleStorage")) + "\x86"),
            "24 bytes in one place and 48 in another");
}
BOOST_AUTO_TEST_CASE(SR_3_SR_4_items_and_states_where_none_can_be) {
    for (const std::string& target : {tensor(), std::string("]"), std::string(")"), text("abc"), std::string("N")}) {
        refused(dict(target + text("k") + "Ns"), "only dicts have items");
        refused(dict(target + "(" + text("k") + "Nu"), "only dicts have items");
    }
    for (const std::string& target : {tensor(), std::string("}"), std::string(")"), ordered_dict()}) {
        refused(dict(target + "Na"), "only lists can be appended to");
        refused(dict(target + "(Ne"), "only lists can be appended to");
    }
    for (const std::string& target : {std::string("K\1"), std::string("]"), std::string("}"), std::string("N")})
        refused(dict(target + "}b"), "BUILD on");
    refused(dict(global("collections", "OrderedDict") + "}b"), "BUILD on");
}
BOOST_AUTO_TEST_CASE(PK_7_SR_3_a_rebuild_without_its_operands) {
    const std::string rebuild = global("torch._tensor", "_rebuild_from_type_v2");
    refused(dict(rebuild + ")R"), "called with 0 arguments");
    refused(dict(rebuild + tuple(text("f") + text("t") + ")}") + "R"), "must be one that rebuilds tensors");
    refused(proto + rebuild + "R.", "stack underflow");
}
BOOST_AUTO_TEST_CASE(PK_1_SR_1_SR_8_SR_9_memo_lengths_and_marks) {
    refused(proto + std::string("h\0.", 3), "read before it is written");
    refused(proto + "Nr\xff\xff\xff\xff.", "beyond the number of opcodes");
    refused(proto + "X\xff\xff\xff\xff" + "abc.", "are left");
    refused(proto + "\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "are left");
    refused(proto + "NNt.", "MARK is missing");
    refused(proto + "(N\x87.", "stack underflow");
    refused(proto + "}(NNNu.", "odd number");
    refused(proto + "NN.", "2 values on the stack");
    refused(proto + "(N.", "MARK still open");
    refused(proto + "N", "without STOP");
    refused(proto + "N.N", "after STOP");
    refused(proto + std::string("X\2\0\0\0\xc0\x80.", 8), "not valid UTF-8");
    refused(proto + "I1\n.", "opcode 0x49");
}
BOOST_AUTO_TEST_CASE(SR_9_SR_10_nesting_and_cycles) {
    refused(proto + std::string(1'000'000, ']') + std::string(999'999, 'a') + ".", "limit");
    refused(proto + ")" + std::string(100'000, '\x85') + ".", "deeper than the limit");
    refused(proto + std::string(1'000'000, '('), "deeper than the limit");
    refused(proto + std::string("]q\0h\0a.", 7), "contains itself");
    // thirty pairs of pairs are one object each
    std::string doubled = proto + "]";
    for (int i = 0; i < 30; ++i) doubled += std::string("q\0h\0\x86", 5);
    BOOST_TEST(load_pickle(doubled + ".").isTuple());
}
BOOST_AUTO_TEST_CASE(SR_9_a_few_bytes_do_not_copy_a_large_value_again_and_again) {
    std::string keys, numbers;
    for (int i = 0; i < 3'000; ++i) keys += text("k" + std::to_string(i)) + "N", numbers += "M" + little(i, 2);
    const auto again = [](std::string large, const std::string& call, int times) {
        std::string s = proto + "(" + large + std::string("q\0", 2);
        for (int i = 0; i < times; ++i) s += call;
        return s + "t.";
    };
    const std::string memo("h\0\x85R", 4), with_memo("h\0", 2);
    const char* reason = "calls copy more than";
    refused(again("(" + numbers + "t", global("torch", "Size") + memo, 2'000), reason);
    refused(again("](" + numbers + "e", global("builtins", "set") + memo, 2'000), reason);
    refused(again("}(" + keys + "u", global("collections", "OrderedDict") + memo, 1'000), reason);
    refused(again("}(" + keys + "u", global("collections", "Counter") + memo, 1'000), reason);
    refused(again("}(" + keys + "u", ordered_dict() + with_memo + "b", 1'000), reason);
    refused(again("B" + little(100'000, 4) + std::string(100'000, 'b'), global("builtins", "bytearray") + memo, 1'000),
            reason);
    refused(again(text(std::string(100'000, 'b')), global("_codecs", "encode") + with_memo + text("latin1") + "\x86R",
                  1'000),
            reason);
    // what is copied once costs nothing
    BOOST_TEST(load_pickle(again("(" + numbers + "t", global("torch", "Size") + memo, 1)).isTuple());
}
BOOST_AUTO_TEST_CASE(SR_3_a_parameter_does_not_share_its_state_with_the_file) {
    // BUILD with the very dict that made the parameter: adding a vector to itself was undefined behaviour
    const std::string make = global("torch._utils", "_rebuild_parameter_with_state") + "(" + tensor() + "\x88" +
                             ordered_dict() + "}" + std::string("q\0", 2);
    const std::string twice = make + text("note") + "Nst" + "R" + std::string("h\0b", 3);
    refused(dict(twice), "occurs twice");
    // a state that grows on the parameter does not grow elsewhere
    const std::string grown = make + text("note") + "NstR}" + text("more") + "Nsb" + std::string("h\0\x86", 3);
    BOOST_TEST(load_pickle(dict(grown)).toGenericDict().at("x").elements().at(1).toGenericDict().size() == 1u);
}
BOOST_AUTO_TEST_CASE(SR_2_SR_12_names_outside_the_table_are_named_and_never_called) {
    const std::string marker =
        (std::filesystem::temp_directory_path() / ("reel_hostile_" + std::to_string(::getpid()))).string();
    for (const auto& [module, name] :
         std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                          {"posix", "system"},
                                                          {"builtins", "eval"},
                                                          {"__builtin__", "execfile"},
                                                          {"torch._utils ", "_rebuild_tensor_v2"},
                                                          {std::string("torch._utils\0", 13), "_rebuild_tensor_v2"},
                                                          {"torch._util\xd1\x95", "_rebuild_tensor_v2"},
                                                          {"TORCH", "FloatStorage"}}) {
        const std::string message =
            refusal([&] { load_pickle(dict(global(module, name) + text("touch " + marker) + "\x85R")); });
        BOOST_TEST(message.find("'" + module + " " + name + "' is not on the reader's table") != std::string::npos,
                   message);
        BOOST_TEST(message.find("['x']") != std::string::npos, message);
    }
    refused(dict(global("os\xff", "system")), "not UTF-8");
    // in the legacy container the list of storage keys is a pickle of its own
    const std::string legacy = proto + std::string("\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.", 13) + proto + "M\xe9\3." +
                               proto + "}." + proto + "N." + proto;
    BOOST_TEST(load_bytes(legacy + "].").isNone());
    for (const std::string& keys : {"]" + global("posix", "system") + "a.", global("posix", "system") + ")R."})
        BOOST_TEST(refusal([&] { load_bytes(legacy + keys); }).find("'posix system' is not on") != std::string::npos);
    BOOST_TEST(!std::filesystem::exists(marker));
}
BOOST_AUTO_TEST_CASE(PT_10_SR_13_archives_that_do_not_add_up) {
    const zip_bytes::Archive good = zip_bytes::checkpoint(dict(tensor()));
    BOOST_TEST(load_bytes(good.bytes()).isGenericDict());
    const auto with = [&](auto&& change) {
        zip_bytes::Archive a = good;
        change(a);
        return a;
    };
    using A = zip_bytes::Archive;
    zip_refused(with([](A& a) { a.members.push_back({"a/data/0", "other"}); }), "occurs twice");
    zip_refused(with([](A& a) { a.members.push_back({"a/../x", "x"}); }), "not a plain relative path");
    zip_refused(with([](A& a) { a.members.push_back({"/x", "x"}); }), "not a plain relative path");
    zip_refused(with([](A& a) { a.members.push_back({"a\\x", "x"}); }), "not a plain relative path");
    zip_refused(with([](A& a) { a.members.push_back({"C:x", "x"}); }), "not a plain relative path");
    zip_refused(with([](A& a) { a.members.push_back({std::string("a/\0x", 4), "x"}); }), "not a plain relative path");
    zip_refused(with([](A& a) { a.entries_off = 1; }), "directory");
    zip_refused(with([](A& a) { a.entries_off = -1; }), "after its last entry");
    zip_refused(with([](A& a) { a.directory_off = 1; }), "does not end where");
    zip_refused(with([](A& a) { a.directory_off = -1; }), "does not end where");
    zip_refused(with([](A& a) { a.members[1].local_name = "a/data/1"; }), "another name");
    zip_refused(with([](A& a) { a.members[1].local_method = 8; }), "disagrees");
    zip_refused(with([](A& a) { a.members[1].method = a.members[1].local_method = 12; }), "method 12 is not supported");
    zip_refused(with([](A& a) { a.members[1].flags = 1; }), "encrypted");
    zip_refused(with([](A& a) { a.members[1].crc ^= 1; }), "CRC does not match");
    zip_refused(with([](A& a) { a.members[1].size += 100; }), "overlap");
    zip_refused(with([](A& a) { a.members[2].offset = 0; }), "another name");
    zip_refused(with([](A& a) {
                    a.members.push_back(a.members[1]), a.members[3].name = a.members[3].local_name = "a/data/1",
                                                       a.members[3].size = 1 << 20;
                }),
                "overlap");
    zip_refused(with([](A& a) { a.before = "PK\x03\x04" + std::string(60, 'x'), a.directory_off = -64; }),
                "does not end where");
    zip_refused(with([](A& a) { a.after_members = "nobody's"; }), "belong to no member");
    // a second end record in the comment of the first
    const std::string inner = good.bytes();
    zip_refused(with([&](A& a) { a.comment = inner.substr(inner.size() - 22); }), "more than one possible end record");
    zip_refused(with([&](A& a) { a.comment = "x" + inner.substr(inner.size() - 22) + "y"; }),
                "more than one possible end record");
    BOOST_TEST(load_bytes(with([](A& a) { a.comment = "a harmless comment"; }).bytes()).isGenericDict());
    // prepended data
    BOOST_TEST(refusal([&] { load_bytes("prepended" + inner); }).find("not a PyTorch checkpoint") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(safetensors_headers_that_do_not_add_up) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("reel_st_" + std::to_string(::getpid()))).string();
    const auto reason = [&](const std::string& header, const std::string& data, std::int64_t length = -1) {
        std::ofstream(path, std::ios::binary)
            << little(length < 0 ? header.size() : std::uint64_t(length), 8) << header << data;
        return refusal([&] { serialize::load_file(path); });
    };
    const auto entry = [](const std::string& name, int begin, int end) {
        return "\"" + name + "\":{\"dtype\":\"U8\",\"shape\":[" + std::to_string(end - begin) + "],\"data_offsets\":[" +
               std::to_string(begin) + "," + std::to_string(end) + "]}";
    };
    BOOST_TEST(reason("{" + entry("a", 0, 2) + "," + entry("b", 2, 4) + "}", "1234") == "accepted");
    std::ofstream(path, std::ios::binary) << little(std::uint64_t(1) << 63, 8) << "{}";
    BOOST_TEST(refusal([&] { serialize::load_file(path); }).find("header length") != std::string::npos);
    BOOST_TEST(reason("{" + entry("a", 0, 1) + "," + entry("b", 2, 4) + "}", "1234").find("hole") != std::string::npos);
    BOOST_TEST(reason("{" + entry("a", 0, 3) + "," + entry("b", 2, 4) + "}", "1234").find("overlap") !=
               std::string::npos);
    BOOST_TEST(reason("{" + entry("a", 0, 2) + "}", "1234").find("after the last tensor") != std::string::npos);
    BOOST_TEST(reason("{" + entry("a", 0, 2) + "," + entry("a", 2, 4) + "}", "1234").find("occurs twice") !=
               std::string::npos);
    BOOST_TEST(reason("{" + entry("a", 0, 2) + "," + entry("\\u0061", 2, 4) + "}", "1234").find("occurs twice") !=
               std::string::npos);
    BOOST_TEST(reason("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,NaN]}}", "12").find("JSON") !=
               std::string::npos);
    BOOST_TEST(reason("{" + entry("\\ud800", 0, 2) + "}", "12").find("JSON") != std::string::npos);
    BOOST_TEST(reason("{\"a\":{\"dtype\":\"U8\",\"shape\":[2.0],\"data_offsets\":[0,2]}}", "12").find("shape") !=
               std::string::npos);
    BOOST_TEST(
        reason("{\"a\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,2]}}", "12").find("neither 0 nor 1") !=
        std::string::npos);
    std::filesystem::remove(path);
}
BOOST_AUTO_TEST_CASE(SR_11_a_refused_file_leaves_the_target_as_it_was) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("reel_target_" + std::to_string(::getpid()) + ".pt")).string();
    nn::Linear model(3, 2);
    save(model, path);
    std::ifstream in(path, std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const Tensor weight = model->weight.detach().clone(), bias = model->bias.detach().clone();
    for (std::size_t n = 0; n < good.size(); n += 29) {
        std::string bad = good;
        bad[n] ^= 0x10;
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
        try {
            load(model, path);
        } catch (const Error&) {
        }
        BOOST_TEST(reel::equal(model->weight, weight));
        BOOST_TEST(reel::equal(model->bias, bias));
    }
    std::filesystem::remove(path);
}

BOOST_AUTO_TEST_SUITE_END()
