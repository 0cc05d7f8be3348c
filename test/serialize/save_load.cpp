// reel::save and reel::load: values there and back, and PyTorch's own bytes.
#include "message.hpp"

#include <reel/serialize/save_load.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/data/samplers.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/serialize/npz.hpp>

using namespace reel;
using reel::testing::message;

namespace {
namespace fs = std::filesystem;
struct Folder {
    Folder() : path(fs::temp_directory_path() / ("reel_save_" + std::to_string(::getpid()))) {
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    fs::path path;
};
std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    BOOST_REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}
fs::path fixtures() {
    fs::path p = fs::read_symlink("/proc/self/exe").parent_path();
    while (p.has_relative_path() && !fs::exists(p / "Jamroot")) p = p.parent_path();
    return p / "test/fixtures/pytorch-2.15";
}
} // namespace

BOOST_FIXTURE_TEST_SUITE(save_load, Folder)

BOOST_AUTO_TEST_CASE(every_kind_of_value_comes_back) {
    ValueDict d;
    d.set("none", Value());
    d.set("flag", true);
    for (const std::int64_t i :
         {0L, 255L, 256L, 65535L, 65536L, -1L, -129L, 1L << 31, -(1L << 31) - 1, 1L << 62, INT64_MIN, INT64_MAX})
        d.set("int " + std::to_string(i), i);
    d.set("float", -0.1);
    d.set("complex", std::complex<double>(1, -2));
    d.set("text", "ü \"x\"");
    d.set("dtype", kBFloat16);
    d.set("device", Device(kCPU));
    d.set("list", Value::list({Value(1), Value::list({}), Value::tuple({})}));
    d.set("tuple", Value::tuple({Value(1), Value(2.5), Value("x"), Value()}));
    d.set("bytes", Value::box(serialize::Bytes{std::string("\0\x7f\x80\xff", 4), false}));
    d.set("bytearray", Value::box(serialize::Bytes{"", true}));
    d.set("set", Value::box(serialize::ValueSet{{Value(3), Value("s")}}));
    d.set(7, "an int key");
    save(Value(d), file("a.pt"));
    const Value loaded = load(file("a.pt"));
    const ValueDict& r = loaded.toGenericDict();
    BOOST_TEST(r.size() == d.size());
    BOOST_TEST(r.at("none").isNone());
    BOOST_TEST(r.at("flag").toBool());
    for (const auto& [key, value] : d)
        if (key.isString() && value.isInt()) BOOST_TEST(r.at(key.toStringRef()).toInt() == value.toInt());
    BOOST_TEST(r.at("float").toDouble() == -0.1);
    BOOST_TEST((r.at("complex").toComplexDouble() == std::complex<double>(1, -2)));
    BOOST_TEST(r.at("text").toStringRef() == "ü \"x\"");
    BOOST_TEST((r.at("dtype").toDtype() == kBFloat16));
    BOOST_TEST(r.at("device").isDevice());
    BOOST_TEST(r.at("list").elements().at(1).isList());
    BOOST_TEST(r.at("list").elements().at(2).isTuple());
    BOOST_TEST(r.at("tuple").elements().size() == 4u);
    BOOST_TEST(r.at("bytes").get<serialize::Bytes>().data == std::string("\0\x7f\x80\xff", 4));
    BOOST_TEST(r.at("bytearray").get<serialize::Bytes>().is_bytearray);
    BOOST_TEST(r.at("set").get<serialize::ValueSet>().elements.size() == 2u);
    BOOST_TEST(r.find(Value(7))->toStringRef() == "an int key");
}
BOOST_AUTO_TEST_CASE(tensors_of_every_dtype_come_back_mapped_and_copied) {
    // PT-10: the mapped payloads lie where the local headers say; PK-5
    for (const bool mmap : {false, true}) {
        ValueDict d;
        for (const ScalarType t : {kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kComplexFloat,
                                   kComplexDouble, kBool, kBFloat16})
            d.set(dtype_name(t), reel::arange(6, kFloat).reshape({2, 3}).to(t));
        d.set("scalar", reel::ones({}));
        d.set("empty", reel::ones({0, 3}));
        save(Value(d), file("t.pt"));
        LoadOptions options;
        options.mmap = mmap;
        const Value loaded = load(file("t.pt"), options);
        for (const auto& [key, value] : d) {
            const Tensor t = loaded.toGenericDict().at(key.toStringRef()).toTensor();
            BOOST_TEST((t.scalar_type() == value.toTensor().scalar_type()));
            BOOST_TEST((t.sizes() == value.toTensor().sizes()));
            BOOST_TEST(std::memcmp(t.data_ptr(), value.toTensor().data_ptr(), t.nbytes()) == 0);
        }
        // mapped pages are private: writing stays in memory
        loaded.toGenericDict().at("float32").toTensor().fill_(9);
        BOOST_TEST(
            load(file("t.pt")).toGenericDict().at("float32").toTensor().select(0, 0).select(0, 1).item<float>() == 1);
    }
}
BOOST_AUTO_TEST_CASE(PW_4_shared_memory_stays_shared) {
    const Tensor base = reel::arange(12, kFloat).reshape({3, 4});
    ValueDict d;
    d.set("base", base);
    d.set("row", base.select(0, 1));
    d.set("transposed", base.t());
    d.set("again", base);
    save(Value(d), file("s.pt"));
    const Value loaded = load(file("s.pt"));
    const ValueDict& r = loaded.toGenericDict();
    BOOST_TEST((r.at("transposed").toTensor().strides() == IntArrayRef({1, 4})));
    BOOST_TEST(r.at("again").is(r.at("base")));
    r.at("base").toTensor().select(0, 1).fill_(5);
    BOOST_TEST(r.at("row").toTensor().sum().item<float>() == 20);
    // a slice takes its whole storage along, unless views are cloned
    const Value slice(reel::zeros({100'000}).slice(0, 0, 10));
    save(slice, file("whole.pt"));
    SaveOptions options;
    options.clone_views = true;
    save(slice, file("part.pt"), options);
    BOOST_TEST(fs::file_size(file("whole.pt")) > 400'000u);
    BOOST_TEST(fs::file_size(file("part.pt")) < 3'000u);
}
BOOST_AUTO_TEST_CASE(PW_1_the_bytes_are_those_of_torch_save) {
    // PT-1 to PT-3, PT-6 to PT-12, PK-2 to PK-5, PK-8 and PK-9, as far as these files go
    // all but the 40 digits of the id at the end, which follow from a hash of the reference's own, and their checksum
    for (const char* name :
         {"state_tied.pt", "layout_shared.pt", "dtype_bfloat16.pt", "optimizer_adam.pt",
          "checkpoint_rmsprop_plateau.pt", "state_plain_dict.pt", "value_bytes.pt", "value_sets.pt"}) {
        LoadOptions options;
        options.ordered_dicts = true;
        save(load((fixtures() / name).string(), options), file(name));
        std::string theirs = bytes_of(fixtures() / name), ours = bytes_of(file(name));
        BOOST_REQUIRE_EQUAL(ours.size(), theirs.size());
        std::vector<std::size_t> differ;
        for (std::size_t i = 0; i < ours.size(); ++i)
            if (ours[i] != theirs[i]) differ.push_back(i);
        const std::size_t id = theirs.rfind("PK\x07\x08"); // the descriptor behind the id
        for (const std::size_t i : differ)
            BOOST_TEST(((i >= id - 40 && i < id + 8) || i > theirs.rfind("PK\x01\x02")), name << ": byte " << i);
    }
}
BOOST_AUTO_TEST_CASE(PW_1_empty_bytes_are_written_as_the_restricted_loader_takes_them) {
    const std::vector<char> saved = pickle_save(Value::box(serialize::Bytes{"", false}));
    const std::string text(saved.begin(), saved.end());
    BOOST_TEST(text.find("_codecs\nencode\n") != std::string::npos);
    BOOST_TEST(text.find("__builtin__\nbytes\n") == std::string::npos);
    BOOST_TEST(pickle_load(saved).get<serialize::Bytes>().data.empty());
}
BOOST_AUTO_TEST_CASE(PW_3_same_state_same_bytes) {
    nn::Linear m(4, 3);
    save(m, file("m.pt"));
    const std::string first = bytes_of(file("m.pt"));
    save(m, file("m.pt"));
    BOOST_TEST(first == bytes_of(file("m.pt")));
}
BOOST_AUTO_TEST_CASE(PW_5_what_cannot_be_written_is_named_and_the_old_file_stays) {
    save(Value(1), file("x.pt"));
    const auto refused = [&](const Value& v, const std::string& reason) {
        BOOST_CHECK_EXCEPTION(save(v, file("x.pt")), Error,
                              [&](const Error& e) { return e.msg().find(reason) != std::string::npos; });
    };
    ValueDict d;
    d.set("model", ValueDict{{"handle", Value::box(std::vector<float>{})}});
    refused(Value(d), "['model']['handle']");
    ValueDict nul;
    nul.set(std::string("a\0b", 3), 1);
    refused(Value(nul), "NUL");
    refused(Value(Tensor()), "undefined");
    const Value list = Value::list({});
    list.list_elements().push_back(list);
    refused(list, "contains itself");
    list.list_elements().clear();
    BOOST_TEST(load(file("x.pt")).toInt() == 1);
    BOOST_TEST(std::distance(fs::directory_iterator(path), fs::directory_iterator()) == 1); // no temporary is left
}
BOOST_AUTO_TEST_CASE(PW_2_new_files_follow_the_umask_and_replaced_ones_keep_their_mode) {
    const auto mode = [&](const std::string& name) { return unsigned(fs::status(file(name)).permissions()); };
    const mode_t before = ::umask(027);
    save(Value(1), file("new.pt"));
    ::umask(077);
    save(Value(1), file("private.pt"));
    ::umask(022);
    save(Value(2), file("private.pt"));
    save(Value(2), file("ordinary.pt"));
    ::umask(before);
    BOOST_TEST(mode("new.pt") == 0640u);
    BOOST_TEST(mode("private.pt") == 0600u);
    BOOST_TEST(mode("ordinary.pt") == 0644u);
    BOOST_TEST(load(file("private.pt")).toInt() == 2);
}
BOOST_AUTO_TEST_CASE(modules_and_optimizers_are_saved_and_loaded_by_name) {
    nn::Sequential a(nn::Linear(3, 4), nn::BatchNorm1d(4)), b(nn::Linear(3, 4), nn::BatchNorm1d(4));
    optim::Adam oa(a->parameters(), optim::AdamOptions(0.1)), ob(b->parameters(), optim::AdamOptions(0.2));
    a->forward(reel::randn({8, 3})).sum().backward();
    oa.step();
    save(a, file("a.pt"));
    save(oa, file("o.pt"));
    load(b, file("a.pt"));
    load(ob, file("o.pt"));
    const auto pa = a->parameters(), pb = b->parameters();
    for (std::size_t i = 0; i < pa.size(); ++i) BOOST_TEST(reel::equal(pa[i], pb[i]));
    BOOST_TEST(ob.state_dict().toGenericDict().at("state").toGenericDict().size() == pa.size());
    LoadOptions options;
    options.ordered_dicts = true;
    const Value v = load(file("a.pt"), options);
    BOOST_TEST(v.get<serialize::OrderedDictValue>().attributes.contains("_metadata"));
}
BOOST_AUTO_TEST_CASE(PW_1_versions_are_kept_inside_a_checkpoint) {
    nn::Sequential net(nn::Linear(3, 4), nn::BatchNorm1d(4));
    ValueDict checkpoint;
    checkpoint.set("model", net->state_dict().to_value());
    checkpoint.set("epoch", 3);
    save(Value(checkpoint), file("c.pt"));
    const Value loaded = load(file("c.pt"));
    const nn::StateDict state = nn::StateDict::from_value(loaded.toGenericDict().at("model"));
    BOOST_REQUIRE(state.metadata);
    BOOST_TEST((*state.metadata)["1"].at("version").toInt() == 2); // of BatchNorm1d
    // the same, and in the same place, as the module alone
    LoadOptions options;
    options.ordered_dicts = true;
    const Value boxed = load(file("c.pt"), options);
    const auto& model = boxed.toGenericDict().at("model").get<serialize::OrderedDictValue>();
    BOOST_TEST(model.attributes.at("_metadata").get<serialize::OrderedDictValue>().items.size() == 3u);
    BOOST_TEST(bool(pickle_save(boxed) == pickle_save(Value(checkpoint))));
}
BOOST_AUTO_TEST_CASE(dicts_of_many_keys_take_time_in_proportion) {
    ValueDict d;
    constexpr int n = 200'000;
    for (int i = 0; i < n; ++i) d.set("key " + std::to_string(i), i);
    const auto start = std::chrono::steady_clock::now();
    const Value back = pickle_load(pickle_save(Value(d)));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    BOOST_TEST(back.toGenericDict().size() == std::size_t(n));
    BOOST_TEST(back.toGenericDict().at("key 199999").toInt() == n - 1);
    BOOST_TEST(seconds.count() < 20); // one key after the other it is minutes
}
BOOST_AUTO_TEST_CASE(archives_in_memory) {
    const std::vector<char> data = pickle_save(Value::list({Value(reel::ones({2}))}));
    BOOST_TEST(pickle_load(data).elements().at(0).toTensor().sum().item<float>() == 2);
}
BOOST_AUTO_TEST_CASE(arrays_of_numpy_there_and_back) {
    OrderedDict<std::string, Tensor> d("Tensor");
    d.insert("a", reel::arange(6, kFloat).reshape({2, 3}).t());
    d.insert("b/c", reel::ones({}, kDouble));
    d.insert("flags", reel::ones({3}).to(kBool));
    serialize::save_npz(d, file("d.npz"));
    const auto r = serialize::load_npz(file("d.npz"));
    for (const auto& item : d) {
        BOOST_TEST((r[item.key()].sizes() == item.value().sizes()));
        BOOST_TEST(reel::equal(r[item.key()], item.value()));
    }
    serialize::save_npy(d["a"], file("a.npy"));
    BOOST_TEST(reel::equal(serialize::load_npy(file("a.npy")), d["a"]));
    BOOST_CHECK_THROW(serialize::save_npy(reel::ones({2}).to(kBFloat16), file("b.npy")), TypeError);
}

// --- what is saved and loaded by itself, wherever it goes

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
BOOST_AUTO_TEST_CASE(PK_2_an_ordered_dict_with_metadata_loads_as_a_dict) {
    nn::Linear m(2, 2);
    const Value v = pickle_load(pickle_save(m->state_dict().to_value()));
    BOOST_REQUIRE(v.isGenericDict());
    BOOST_TEST(v.toGenericDict().contains("weight"));
    const Value theirs = load((fixtures() / "state_tied.pt").string());
    BOOST_TEST(theirs.isGenericDict());
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
