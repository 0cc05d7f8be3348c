// Checkpoints: any dict of values there and back, bit for bit.
#include <reel/serialize/run_checkpoint.hpp>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <reel/autograd/ops.hpp>
#include <reel/serialize/safetensors.hpp>

using namespace reel;

namespace {
struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / ("reel_checkpoint_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    std::filesystem::path path;
};
} // namespace

BOOST_FIXTURE_TEST_SUITE(checkpoint, Folder)

BOOST_AUTO_TEST_CASE(every_kind_of_value_comes_back) {
    ValueDict inner;
    inner.set(3, "three");
    ValueDict d;
    d.set("none", Value());
    d.set("flag", true);
    d.set("count", std::int64_t(1) << 62);
    d.set("third", 1.0 / 3);
    d.set("infinite", -std::numeric_limits<double>::infinity());
    d.set("text", "a \"quoted\" ü");
    d.set("dtype", kBFloat16);
    d.set("weights", Value::list({Value(reel::arange(6).reshape({2, 3})), Value(reel::ones({}, kDouble))}));
    d.set("pair", Value::tuple({Value(0.9), Value(1)}));
    d.set("inner", inner);
    serialize::save_checkpoint(d, file("a"));
    const ValueDict r = serialize::load_checkpoint(file("a"));
    BOOST_TEST(r.size() == d.size());
    BOOST_TEST(r.at("none").isNone());
    BOOST_TEST(r.at("flag").toBool());
    BOOST_TEST(r.at("count").toInt() == std::int64_t(1) << 62);
    BOOST_TEST(r.at("third").toDouble() == 1.0 / 3);
    BOOST_TEST(r.at("infinite").toDouble() == -std::numeric_limits<double>::infinity());
    BOOST_TEST(r.at("text").toStringRef() == "a \"quoted\" ü");
    BOOST_TEST((r.at("dtype").toDtype() == kBFloat16));
    const Tensor t = r.at("weights").elements().at(0).toTensor();
    BOOST_TEST((t.sizes() == IntArrayRef({2, 3})));
    BOOST_TEST(t.data_ptr<std::int64_t>()[5] == 5);
    BOOST_TEST(r.at("weights").elements().at(1).toTensor().item<double>() == 1.0);
    BOOST_TEST(r.at("pair").isTuple());
    BOOST_TEST(r.at("inner").toGenericDict().find(Value(3))->toStringRef() == "three");
    BOOST_TEST(serialize::load_file(file("a")).contains("weights.0"));
}
BOOST_AUTO_TEST_CASE(what_cannot_be_kept_is_named_and_nothing_is_written) {
    ValueDict d;
    d.set("model", ValueDict{{"handle", Value::box(std::vector<float>{})}});
    BOOST_CHECK_EXCEPTION(serialize::save_checkpoint(d, file("b")), TypeError,
                          [](const Error& e) { return e.msg().find("'model.handle'") != std::string::npos; });
    BOOST_TEST(!std::filesystem::exists(file("b")));
}
BOOST_AUTO_TEST_CASE(damaged_files_are_refused_by_name) {
    ValueDict d;
    d.set("w", reel::ones({100}));
    serialize::save_checkpoint(d, file("good"));
    std::ifstream in(file("good"), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto refused = [&](const std::string& content) {
        std::ofstream(file("bad"), std::ios::binary) << content;
        BOOST_CHECK_EXCEPTION(serialize::load_checkpoint(file("bad")), Error,
                              [&](const Error& e) { return e.msg().find(file("bad")) != std::string::npos; });
    };
    for (std::size_t n = 0; n < bytes.size(); n += 13) refused(bytes.substr(0, n));
    refused(bytes.substr(0, bytes.size() - 1));
    BOOST_CHECK_THROW(serialize::load_checkpoint(file("none")), Error);
    OrderedDict<std::string, Tensor> plain;
    plain.insert("w", reel::ones({2}));
    serialize::save_file(plain, file("plain"));
    BOOST_CHECK_EXCEPTION(serialize::load_checkpoint(file("plain")), ValueError,
                          [](const Error& e) { return e.msg().find("not a checkpoint") != std::string::npos; });
}

BOOST_AUTO_TEST_SUITE_END()
