// What is saved and loaded by itself, through targets and sources of every kind.
#include <boost/test/unit_test.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/data/samplers.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/serialize/save_load.hpp>

#include "message.hpp"
#include "serialize/folder.hpp"

using namespace reel;
using reel::testing::bytes_of;
using reel::testing::Folder;
using reel::testing::message;

BOOST_FIXTURE_TEST_SUITE(every_way_of_saving, Folder)

namespace {
/// There and back through a target and a source of every kind.
template <class T>
void every_way(const Folder& folder, const T& value, const std::function<void(T&)>& compare,
               const std::function<T()>& make) {
    const auto check = [&](const char* how, const std::function<void(T&)>& read) {
        BOOST_TEST_CONTEXT(how) {
            T target = make();
            read(target);
            compare(target);
        }
    };
    save(value, folder.file("way.pt"));
    check("file", [&](T& t) { load(t, folder.file("way.pt")); });
    check("file and device", [&](T& t) { load(t, folder.file("way.pt"), kCPU); });
    std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
    save(value, stream);
    const std::string bytes = stream.str();
    BOOST_TEST(bytes.find("archive/data.pkl") != std::string::npos); // the root folder of what has no file name
    check("stream", [&](T& t) { load(t, stream); });
    check("memory", [&](T& t) { load(t, bytes.data(), bytes.size()); });
    std::string taken;
    save(value, [&](const void* data, std::size_t n) {
        taken.append(static_cast<const char*>(data), n);
        return n;
    });
    BOOST_TEST((taken == bytes));
    check("callbacks", [&](T& t) {
        load(
            t,
            [&](std::uint64_t at, void* to, std::size_t n) {
                std::memcpy(to, taken.data() + at, n);
                return n;
            },
            [&] { return taken.size(); }, Device(kCPU));
    });
}
} // namespace

BOOST_AUTO_TEST_CASE(a_tensor_goes_every_way) {
    const Tensor base = reel::arange(24, kFloat).reshape({4, 6});
    const Tensor special[] = {base,
                              base.t(),
                              base.slice(0, 1, 3).slice(1, 0, 6, 2),
                              reel::ones({}, kDouble),
                              reel::ones({0, 3}),
                              reel::ones({2}).requires_grad_(),
                              reel::arange(4).expand({3, 4})};
    for (const Tensor& x : special)
        every_way<Tensor>(
            *this, x,
            [&](Tensor& y) {
                BOOST_TEST((y.scalar_type() == x.scalar_type()));
                BOOST_TEST((y.sizes() == x.sizes()));
                BOOST_TEST((y.strides() == x.strides()));
                BOOST_TEST(y.requires_grad() == x.requires_grad());
                BOOST_TEST(reel::equal(x, y));
            },
            [] { return Tensor(); });
    for (const ScalarType t :
         {kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kComplexFloat, kComplexDouble, kBool, kBFloat16}) {
        save(base.to(t), file("d.pt"));
        Tensor y;
        load(y, file("d.pt"));
        BOOST_TEST((y.scalar_type() == t));
        BOOST_TEST(reel::equal(y.to(kDouble), base.to(t).to(kDouble)), dtype_name(t));
    }
}
BOOST_AUTO_TEST_CASE(a_defined_tensor_stays_the_same_object) {
    save(reel::ones({2, 3}, kDouble), file("t.pt"));
    Tensor t = reel::zeros({4}).requires_grad_();
    const Tensor same = t;
    load(t, file("t.pt"));
    BOOST_TEST(t.is_same(same));
    BOOST_TEST(same.requires_grad());
    BOOST_TEST(same.sum().item<double>() == 6);
}
BOOST_AUTO_TEST_CASE(lists_of_tensors_go_every_way_and_are_appended) {
    const Tensor shared = reel::ones({3});
    const std::vector<Tensor> x{shared, shared.slice(0, 0, 2), reel::zeros({}, kLong)};
    every_way<std::vector<Tensor>>(
        *this, x,
        [&](std::vector<Tensor>& y) {
            BOOST_REQUIRE_EQUAL(y.size(), 4u);
            BOOST_TEST(y[0].numel() == 7);
            for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(reel::equal(x[i], y[i + 1]));
            y[1].fill_(5);
            BOOST_TEST(y[2].sum().item<float>() == 10); // memory is still shared
        },
        [] { return std::vector<Tensor>{reel::ones({7})}; });
    std::vector<Tensor> none;
    save(none, file("none.pt"));
    load(none, file("none.pt"));
    BOOST_TEST(none.empty());
}
BOOST_AUTO_TEST_CASE(modules_go_every_way_through_holders_pointers_and_themselves) {
    const auto make = [] { return nn::Sequential(nn::Linear(3, 4), nn::Sequential(nn::ReLU(), nn::BatchNorm1d(4))); };
    const nn::Sequential net = make();
    net->forward(reel::randn({8, 3}));
    const auto same = [&](nn::Module& m) {
        const nn::StateDict x = net->state_dict(), y = m.state_dict();
        BOOST_REQUIRE_EQUAL(x.size(), y.size());
        for (const auto& item : x) BOOST_TEST(reel::equal(item->toTensor(), y.tensor(item.key())), item.key());
    };
    every_way<nn::Sequential>(
        *this, net, [&](nn::Sequential& m) { same(*m); }, make);
    using Pointer = std::shared_ptr<nn::SequentialImpl>;
    every_way<Pointer>(
        *this, net.ptr(), [&](Pointer& m) { same(*m); }, [&] { return make().ptr(); });
    every_way<nn::ModulePtr>(
        *this, net.ptr(), [&](nn::ModulePtr& m) { same(*m); }, [&] { return make().ptr(); });
    nn::Sequential other = make();
    save(*net, file("m.pt"));
    load(*other, file("m.pt"));
    same(*other);
    // the file is the state dict that Python reads, and so is a state dict saved by itself
    BOOST_TEST(load(file("m.pt")).toGenericDict().contains("1.1.running_mean"));
    save(net->state_dict(), file("s.pt"));
    nn::StateDict dict;
    load(dict, file("s.pt"));
    BOOST_TEST(dict.size() == net->state_dict().size());
    BOOST_REQUIRE(dict.metadata);
    BOOST_TEST(dict.metadata->size() == 5u); // the module, its two children and their two
    const Pointer empty;
    BOOST_TEST(message([&] { save(empty, file("e.pt")); }) == "save: the pointer is empty");
    BOOST_TEST(message([&] { load(empty, file("m.pt")); }) == "load: the pointer is empty");
}
BOOST_AUTO_TEST_CASE(optimizers_and_schedulers_go_every_way) {
    nn::Linear m(3, 2);
    const auto optimizer = [&](double lr) { return optim::Adam(m->parameters(), optim::AdamOptions(lr)); };
    optim::Adam a = optimizer(0.25);
    m->forward(reel::ones({1, 3})).sum().backward();
    a.step();
    save(a, file("o.pt"));
    const std::string bytes = bytes_of(file("o.pt"));
    for (const int way : {0, 1, 2}) {
        optim::Adam b = optimizer(0.5);
        std::istringstream stream(bytes);
        if (way == 0) load(b, file("o.pt"));
        if (way == 1) load(b, stream);
        if (way == 2) load(b, bytes.data(), bytes.size());
        BOOST_TEST(b.state().size() == 2u);
        BOOST_TEST(b.param_groups()[0].options().get_lr() == 0.25);
    }
    optim::StepLR sa(a, 2), sb(a, 2);
    sa.step();
    sa.step();
    sa.step();
    std::stringstream stream;
    save(sa, stream);
    load(sb, stream);
    BOOST_TEST(sb.last_epoch() == 3);
}
BOOST_AUTO_TEST_CASE(objects_with_archives_of_their_own) {
    struct Place { // as a sampler has them
        std::int64_t index = 0;
        void save(serialize::OutputArchive& archive) const { archive.write("index", Value(index)); }
        void load(serialize::InputArchive& archive) {
            Value v;
            archive.read("index", v);
            index = v.toInt();
        }
    };
    every_way<Place>(
        *this, Place{12}, [](Place& p) { BOOST_TEST(p.index == 12); }, [] { return Place(); });
}
BOOST_AUTO_TEST_CASE(samplers_go_every_way) {
    using Sampler = data::samplers::RandomSampler;
    Sampler original(20);
    original.next(7);
    Sampler copy = original;
    const std::vector<std::size_t> rest = *copy.next(13);
    every_way<Sampler>(
        *this, original,
        [&](Sampler& s) {
            BOOST_TEST(s.index() == 7u);
            BOOST_TEST(*s.next(13) == rest, boost::test_tools::per_element());
        },
        [] { return Sampler(20); });
}
BOOST_AUTO_TEST_CASE(a_module_that_saves_more_is_saved_as_an_archive) {
    struct CounterImpl : nn::Module {
        CounterImpl() { fc = register_module("fc", nn::Linear(2, 2)); }
        void save(serialize::OutputArchive& archive) const override {
            Module::save(archive);
            archive.write("count", Value(count));
        }
        void load(serialize::InputArchive& archive) override {
            Module::load(archive);
            Value v;
            archive.read("count", v);
            count = v.toInt();
        }
        nn::Linear fc{nullptr};
        std::int64_t count = 0;
    };
    const auto a = std::make_shared<CounterImpl>(), b = std::make_shared<CounterImpl>();
    a->count = 5;
    nn::ModuleList na, nb; // wherever in the tree it is
    na->push_back(a);
    nb->push_back(b);
    save(na, file("c.pt"));
    load(nb, file("c.pt"));
    BOOST_TEST(b->count == 5);
    BOOST_TEST(reel::equal(a->fc->weight, b->fc->weight));
    const Value v = load(file("c.pt"));
    const ValueDict& inner = v.toGenericDict().at("0").toGenericDict();
    BOOST_TEST(inner.at("count").toInt() == 5);
    BOOST_TEST((inner.at("fc").toGenericDict().at("weight").toTensor().sizes() == IntArrayRef({2, 2})));
}
BOOST_AUTO_TEST_CASE(SR_11_what_is_refused_or_cut_off_changes_nothing) {
    nn::Sequential a(nn::Linear(3, 4), nn::Linear(4, 2)), b(nn::Linear(3, 4), nn::Linear(4, 2)),
        wide(nn::Linear(3, 4), nn::Linear(4, 5)), shallow(nn::Linear(3, 4));
    const std::vector<Tensor> before = [&] {
        std::vector<Tensor> v;
        for (const Tensor& p : b->parameters()) v.push_back(p.detach().clone());
        return v;
    }();
    const auto unchanged = [&] {
        for (std::size_t i = 0; i < before.size(); ++i) BOOST_TEST(reel::equal(b->parameters()[i], before[i]));
    };
    std::ostringstream out;
    save(a, out);
    const std::string whole = out.str();
    for (const std::size_t n : {std::size_t(0), std::size_t(10), whole.size() / 2, whole.size() - 1}) {
        BOOST_CHECK_THROW(load(b, whole.data(), n), Error);
        std::istringstream in(whole.substr(0, n));
        BOOST_CHECK_THROW(load(b, in), Error);
        Tensor t = reel::ones({1});
        std::vector<Tensor> list{t};
        BOOST_CHECK_THROW(load(t, whole.data(), n), Error);
        BOOST_CHECK_THROW(load(list, whole.data(), n), Error);
        BOOST_TEST(t.numel() == 1);
        BOOST_TEST(list.size() == 1u);
    }
    unchanged();
    save(wide, file("wide.pt"));
    std::string text = message([&] { load(b, file("wide.pt")); });
    BOOST_TEST(text.find("size mismatch for 1.weight: the checkpoint has shape [5, 4], the module has [2, 4]") !=
                   std::string::npos,
               text);
    unchanged();
    save(shallow, file("shallow.pt"));
    text = message([&] { load(b, file("shallow.pt")); });
    BOOST_TEST(text == "Error(s) in loading state_dict for Sequential from " + file("shallow.pt") +
                           ":\n\tMissing key(s): \"1.weight\", \"1.bias\".");
    unchanged();
    load(shallow, file("wide.pt")); // what is too much is ignored
    BOOST_TEST(reel::equal(shallow->parameters()[0], wide->parameters()[0]));
    save(reel::ones({2}), file("tensor.pt"));
    text = message([&] { load(b, file("tensor.pt")); });
    BOOST_TEST(text == "No such serialized submodule '0' in " + file("tensor.pt") + ": the entry is Tensor[2] float32");
    Tensor t;
    text = message([&] { load(t, file("wide.pt")); });
    BOOST_TEST(text.starts_with("load: " + file("wide.pt") + " holds "), text);
    BOOST_TEST(text.ends_with("expected a tensor"), text);
    std::vector<Tensor> list;
    BOOST_TEST(message([&] { load(list, file("tensor.pt")); }) ==
               "load: " + file("tensor.pt") + " holds Tensor[2] float32, expected a list of tensors");
    BOOST_TEST(list.empty());
}
BOOST_AUTO_TEST_CASE(streams_and_callbacks_that_fail_are_named) {
    const Tensor t = reel::ones({1000});
    std::ofstream closed;
    closed.setstate(std::ios::badbit);
    BOOST_TEST(message([&] { save(t, closed); }) == "save: the stream took no more than 0 bytes");
    BOOST_TEST(message([&] {
                   save(t, [](const void*, std::size_t n) { return n / 2; });
               }).starts_with("save: the callback took "));
    std::istringstream empty;
    empty.get();
    Tensor x;
    BOOST_TEST(message([&] { load(x, empty); }) == "the stream: the file is empty: cut off?");
    std::istringstream broken("bytes");
    broken.setstate(std::ios::badbit);
    BOOST_TEST(message([&] { load(x, broken); }) ==
               "load: the stream cannot be read (it failed before, or has been read and cannot go back)");
    BOOST_TEST(message([&] {
                   load(
                       x, [](std::uint64_t, void*, std::size_t) { return std::size_t(3); },
                       [] { return std::size_t(10); });
               }) == "load: the callback gave 3 of 10 bytes");
    BOOST_TEST(message([&] { load(x, static_cast<const char*>(nullptr), 5); }) == "load: 5 bytes at a null pointer");
    BOOST_TEST(!x.defined());
}

BOOST_AUTO_TEST_CASE(a_stream_is_loaded_twice) {
    std::stringstream stream;
    save(tensor({1., 2.}, kDouble), stream);
    Tensor a, b;
    load(a, stream);
    load(b, stream); // the first left it at its end
    BOOST_TEST(a.equal(b));
}

BOOST_AUTO_TEST_SUITE_END()
