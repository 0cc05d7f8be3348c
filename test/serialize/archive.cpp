// Archives in files, streams, memory and callbacks.
#include <reel/autograd/archive.hpp>

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <filesystem>
#include <sstream>

#include <unistd.h>

#include <reel/autograd/ops.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/serialize/save_load.hpp>

using namespace reel;
using serialize::InputArchive;
using serialize::OutputArchive;

namespace {
namespace fs = std::filesystem;
struct Folder {
    Folder() : path(fs::temp_directory_path() / ("reel_archive_" + std::to_string(::getpid()))) {
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    fs::path path;
};
/// A nested archive with something of every kind.
OutputArchive example() {
    OutputArchive out, nested, inner;
    inner.write("text", Value("ü"));
    nested.write("inner", inner);
    nested.write("list", Value(std::vector<double>{1, 2.5}));
    out.write("weight", reel::arange(6, kFloat).reshape({2, 3}).t().requires_grad_());
    out.write("mask", reel::ones({2}).to(kBool), true);
    out.write("nested", nested);
    out.write("nothing", Tensor());
    out.write("empty", *std::make_unique<OutputArchive>());
    return out;
}
void check(const InputArchive& in) {
    Tensor weight, mask, nothing;
    in.read("weight", weight);
    BOOST_TEST((weight.strides() == IntArrayRef({1, 3})));
    BOOST_TEST(weight.requires_grad());
    BOOST_TEST(weight.sum().item<float>() == 15);
    in.read("mask", mask, true);
    BOOST_TEST((mask.scalar_type() == kBool));
    in.read("nothing", nothing);
    BOOST_TEST(!nothing.defined());
    InputArchive nested, inner, empty;
    in.read("nested", nested);
    nested.read("inner", inner);
    Value v;
    inner.read("text", v);
    BOOST_TEST(v.toStringRef() == "ü");
    nested.read("list", v);
    BOOST_TEST(v.toDoubleVector()[1] == 2.5);
    in.read("empty", empty);
    BOOST_TEST(empty.keys().empty());
    BOOST_TEST(in.keys().size() == 5u);
}
} // namespace

BOOST_FIXTURE_TEST_SUITE(archive, Folder)

BOOST_AUTO_TEST_CASE(there_and_back_through_every_target_and_source) {
    const OutputArchive out = example();
    out.save_to(file("a.pt"));
    std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
    out.save_to(stream);
    std::string bytes;
    out.save_to([&](const void* data, std::size_t n) {
        bytes.append(static_cast<const char*>(data), n);
        return n;
    });
    BOOST_TEST((bytes == stream.str()));
    InputArchive in;
    in.load_from(file("a.pt"));
    check(in);
    BOOST_TEST(in.origin() == file("a.pt"));
    in.load_from(file("a.pt"), kCPU);
    check(in);
    in.load_from(stream);
    check(in);
    in.load_from(bytes.data(), bytes.size(), Device(kCPU));
    check(in);
    in.load_from(
        [&](std::uint64_t at, void* to, std::size_t n) {
            std::memcpy(to, bytes.data() + at, n);
            return n;
        },
        [&] { return bytes.size(); });
    check(in);
    // plain nested dicts for everybody else
    const Value v = load(file("a.pt"));
    BOOST_TEST(v.toGenericDict().at("nested").toGenericDict().at("inner").toGenericDict().at("text").toStringRef() ==
               "ü");
}
BOOST_AUTO_TEST_CASE(tensors_go_to_the_device_that_is_asked_for) {
    example().save_to(file("a.pt"));
    InputArchive in;
    in.load_from(file("a.pt"), kMeta);
    Tensor weight;
    in.read("weight", weight);
    BOOST_TEST(weight.device().is_meta());
    BOOST_TEST(weight.requires_grad());
    BOOST_TEST((weight.sizes() == IntArrayRef({3, 2})));
}
BOOST_AUTO_TEST_CASE(SR_11_an_archive_keeps_what_it_has_when_a_source_is_refused) {
    std::ostringstream out;
    example().save_to(out);
    const std::string whole = out.str();
    InputArchive in;
    in.load_from(whole.data(), whole.size());
    BOOST_CHECK_THROW(in.load_from(whole.data(), whole.size() / 2), Error);
    BOOST_CHECK_THROW(in.load_from(file("none.pt")), Error);
    check(in);
}
BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_named) {
    OutputArchive out, nested;
    nested.write("handle", Value::box(std::vector<float>{}));
    out.write("net", nested);
    BOOST_CHECK_EXCEPTION(out.save_to(file("x.pt")), TypeError,
                          [](const TypeError& e) { return e.msg().find("['net']['handle']") != std::string::npos; });
    BOOST_TEST(!fs::exists(file("x.pt")));
}
BOOST_AUTO_TEST_CASE(a_whole_run_in_one_archive) {
    const auto make = [] { return nn::Sequential(nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Linear(4, 1)); };
    nn::Sequential a = make(), b = make();
    optim::Adam oa(a->parameters(), optim::AdamOptions(0.1)), ob(b->parameters(), optim::AdamOptions(0.7));
    const Tensor x = reel::randn({8, 3});
    const auto train = [&](nn::Sequential& net, optim::Adam& o) {
        for (int i = 0; i < 3; ++i) {
            o.zero_grad();
            net->forward(x).pow(2).mean().backward();
            o.step();
        }
    };
    train(a, oa);
    OutputArchive run, net, optimizer;
    net << a;
    optimizer << oa;
    run.write("net", net);
    run.write("optimizer", optimizer);
    run.write("epoch", Value(3));
    run.save_to(file("run.pt"));
    InputArchive in, n, o;
    in.load_from(file("run.pt"));
    in.read("net", n);
    in.read("optimizer", o);
    n >> b;
    o >> ob;
    train(a, oa);
    train(b, ob);
    const nn::StateDict left = a->state_dict(), right = b->state_dict();
    for (const auto& item : left) BOOST_TEST(reel::equal(item->toTensor(), right.tensor(item.key())), item.key());
    // a refusal names the whole path
    nn::Sequential other(nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Linear(4, 2));
    BOOST_CHECK_EXCEPTION(other->load(n), Error, [](const Error& e) {
        return e.msg().find("size mismatch for net.2.weight: the checkpoint has shape [1, 4], the module has [2, 4]") !=
               std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
