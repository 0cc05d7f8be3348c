// Module::save and Module::load.
#include "message.hpp"

#include <reel/autograd/archive.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn.hpp>

using namespace reel;
using reel::testing::message;
using serialize::InputArchive;
using serialize::OutputArchive;

namespace {
InputArchive saved(const nn::Module& m) {
    OutputArchive out;
    m.save(out);
    return InputArchive(out.value());
}
bool same_state(nn::Module& a, nn::Module& b) {
    const nn::StateDict x = a.state_dict(), y = b.state_dict();
    if (x.size() != y.size()) return false;
    for (const auto& item : x)
        if (!reel::equal(item->toTensor(), y.tensor(item.key()))) return false;
    return true;
}
nn::Sequential network(std::int64_t width = 4) {
    return nn::Sequential(nn::Linear(3, width), nn::BatchNorm1d(width), nn::ReLU(), nn::Functional(reel::tanh),
                          nn::Sequential(nn::Dropout(0.5), nn::Linear(width, 2)));
}
/// Counts its own way, beside what every module saves.
struct CounterImpl : nn::Cloneable<CounterImpl> {
    CounterImpl() { CounterImpl::reset(); }
    void reset() override { fc = register_module("fc", nn::Linear(2, 2)); }
    void save(OutputArchive& archive) const override {
        Module::save(archive);
        archive.write("count", Value(count));
    }
    void load(InputArchive& archive) override {
        Module::load(archive);
        sum = fc->weight.sum().item<float>(); // sees what was loaded
        Value v;
        archive.read("count", v);
        count = v.toInt();
    }
    std::int64_t count = 0;
    float sum = 0;
    nn::Linear fc{nullptr};
};
REEL_MODULE(Counter);
} // namespace

BOOST_AUTO_TEST_SUITE(archive)

BOOST_AUTO_TEST_CASE(submodules_are_archives_and_functions_are_left_out) {
    nn::Sequential net = network();
    OutputArchive out;
    net->save(out);
    BOOST_TEST(out.is_standard());
    InputArchive in(out.value()), normalisation, activation, inner, last;
    BOOST_TEST(in.keys() == (std::vector<std::string>{"0", "1", "2", "4"}), boost::test_tools::per_element());
    in.read("1", normalisation);
    BOOST_TEST(normalisation.keys() ==
                   (std::vector<std::string>{"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}),
               boost::test_tools::per_element());
    in.read("2", activation); // without parameters: empty, but there
    BOOST_TEST(activation.keys().empty());
    in.read("4", inner);
    inner.read("1", last);
    Tensor w;
    last.read("weight", w);
    BOOST_TEST(w.requires_grad());
    BOOST_TEST(!nn::Functional(reel::tanh)->is_serializable());
    BOOST_TEST(net->is_serializable());
}
BOOST_AUTO_TEST_CASE(what_was_saved_is_loaded_in_place) {
    nn::Sequential a = network(), b = network();
    a->forward(reel::randn({8, 3}));
    const Tensor before = b->parameters()[0];
    InputArchive in = saved(*a);
    b->load(in);
    BOOST_TEST(same_state(*a, *b));
    BOOST_TEST(before.is_same(b->parameters()[0]));
    BOOST_TEST(before.requires_grad());
    // another dtype is converted, as a state dict's is
    nn::Sequential d = network();
    d->to(kDouble);
    InputArchive again = saved(*a);
    d->load(again);
    BOOST_TEST((d->parameters()[0].scalar_type() == kDouble));
    BOOST_TEST(reel::equal(d->parameters()[0].to(kFloat), a->parameters()[0]));
}
BOOST_AUTO_TEST_CASE(operators_take_modules_holders_and_pointers) {
    nn::Linear a(3, 2), b(3, 2), c(3, 2);
    OutputArchive one, two;
    one << a;
    two << a.ptr();
    InputArchive i1(one.value()), i2(two.value());
    i1 >> b;
    i2 >> *c;
    BOOST_TEST(same_state(*a, *b));
    BOOST_TEST(same_state(*a, *c));
    const std::shared_ptr<nn::LinearImpl> none;
    BOOST_TEST(message([&] { one << none; }) == "save: the pointer is empty");
    BOOST_TEST(message([&] { i1 >> none; }) == "load: the pointer is empty");
}
BOOST_AUTO_TEST_CASE(missing_entries_are_named_by_full_path_and_nothing_changes) {
    nn::Sequential a = network(), b = network();
    OutputArchive out, zero, one, four, last;
    (*a)[0]->save(zero);
    (*a)[1]->save(one);
    last.write("weight", a->parameters().at(4));
    four.write("0", *std::make_unique<OutputArchive>());
    four.write("1", last);
    out.write("0", zero);
    out.write("1", one);
    out.write("2", *std::make_unique<OutputArchive>());
    out.write("4", four);
    const nn::StateDict before = b->state_dict();
    std::vector<Tensor> values;
    for (const auto& item : before) values.push_back(item->toTensor().clone());
    InputArchive in(out.value(), "net.pt");
    const std::string text = message([&] { b->load(in); });
    BOOST_TEST(text == "Error(s) in loading the archive for Linear from net.pt:\n\tMissing key(s): \"4.1.bias\".");
    std::size_t i = 0;
    for (const auto& item : b->state_dict()) BOOST_TEST(reel::equal(item->toTensor(), values[i++]), item.key());
    // a submodule that is not there at all
    OutputArchive none;
    none.write("0", zero);
    InputArchive part(none.value());
    BOOST_TEST(message([&] { b->load(part); }) == "No such serialized submodule '1': the archive has 0");
    i = 0;
    for (const auto& item : b->state_dict()) BOOST_TEST(reel::equal(item->toTensor(), values[i++]), item.key());
}
BOOST_AUTO_TEST_CASE(other_shapes_are_named_by_full_path_and_nothing_changes) {
    nn::Sequential a(nn::Linear(3, 4), nn::Sequential(nn::Linear(4, 2))),
        b(nn::Linear(3, 4), nn::Sequential(nn::Linear(4, 5)));
    const Tensor before = b->parameters()[0].detach().clone();
    InputArchive in = saved(*a);
    const std::string text = message([&] { b->load(in); });
    BOOST_TEST(text.find("size mismatch for 1.0.weight: the checkpoint has shape [2, 4], the module has [5, 4]") !=
                   std::string::npos,
               text);
    BOOST_TEST(text.find("size mismatch for 1.0.bias") != std::string::npos, text);
    BOOST_TEST(reel::equal(b->parameters()[0], before));
}
BOOST_AUTO_TEST_CASE(surplus_entries_are_ignored) {
    nn::Linear a(3, 2), b(nn::LinearOptions(3, 2).bias(false));
    OutputArchive out, extra;
    a->save(out);
    extra.write("x", Value(1));
    out.write("more", extra);
    InputArchive in(out.value());
    b->load(in); // has no bias
    BOOST_TEST(reel::equal(a->weight, b->weight));
    nn::Linear c(3, 2);
    InputArchive again(out.value());
    c->load(again);
    BOOST_TEST(same_state(*a, *c));
}
BOOST_AUTO_TEST_CASE(state_dicts_are_loaded_too) {
    nn::Sequential a = network(), b = network(), c = network();
    InputArchive in(a->state_dict().to_value());
    b->load(in);
    BOOST_TEST(same_state(*a, *b));
    nn::StateDict bare = a->state_dict();
    bare.metadata = nullptr;
    bare.insert("9.weight", Value(reel::ones({1}))); // surplus
    InputArchive dotted(bare.to_value());
    c->load(dotted);
    BOOST_TEST(same_state(*a, *c));
}
BOOST_AUTO_TEST_CASE(a_state_dict_that_does_not_fit_changes_nothing) {
    nn::Sequential a = network(), b = network(), wide = network(6);
    nn::StateDict cut = a->state_dict();
    cut.erase("4.1.bias");
    const Tensor before = b->parameters()[0].detach().clone();
    InputArchive in(cut.to_value(), "net.pt");
    BOOST_TEST(message([&] { b->load(in); }) ==
               "Error(s) in loading state_dict for Sequential from net.pt:\n\tMissing key(s): \"4.1.bias\".");
    BOOST_TEST(reel::equal(b->parameters()[0], before));
    nn::StateDict mixed = a->state_dict();
    mixed["4.1.weight"] = wide->state_dict()["4.1.weight"];
    InputArchive other(mixed.to_value());
    const std::string text = message([&] { b->load(other); });
    BOOST_TEST(text.find("size mismatch for 4.1.weight") != std::string::npos, text);
    BOOST_TEST(reel::equal(b->parameters()[0], before));
}
BOOST_AUTO_TEST_CASE(hooks_of_state_dicts_run_for_those_alone) {
    nn::Linear a(2, 2), b(2, 2);
    std::string ran;
    for (const nn::Linear& m : {a, b}) {
        m->register_state_dict_pre_hook([&](nn::Module&, const std::string&, bool) { ran += "s"; });
        m->register_load_state_dict_post_hook([&](nn::Module&, nn::IncompatibleKeys&) {
            ran += "l";
            return Value();
        });
    }
    InputArchive in = saved(*a);
    b->load(in);
    BOOST_TEST(ran == "");
    nn::StateDict dict;
    dict.metadata = std::make_shared<nn::StateMetadata>("Module path");
    dict.insert("weight", Value(a->weight));
    dict.insert("bias", Value(a->bias));
    InputArchive state(dict.to_value());
    b->load(state);
    BOOST_TEST(ran == "l");
}
BOOST_AUTO_TEST_CASE(a_module_that_is_not_serializable_is_left_out) {
    struct Scratch : nn::Module {
        Scratch() { register_buffer("b", reel::ones({2})); }
        bool is_serializable() const override { return false; }
    };
    const auto make = [] {
        nn::ModuleList list;
        list->push_back(nn::Linear(2, 2));
        list->push_back(std::make_shared<Scratch>());
        return list;
    };
    nn::ModuleList a = make(), b = make();
    (*a)[1]->get_buffer("b").fill_(9);
    OutputArchive out;
    a->save(out);
    BOOST_TEST(!out.is_standard()); // a state dict would hold more
    InputArchive in(out.value());
    BOOST_TEST(in.keys() == (std::vector<std::string>{"0"}), boost::test_tools::per_element());
    b->load(in);
    BOOST_TEST((*b)[1]->get_buffer("b").sum().item<float>() == 2);
    BOOST_TEST(reel::equal((*a)[0]->parameters()[0], (*b)[0]->parameters()[0]));
}
BOOST_AUTO_TEST_CASE(M47_older_versions_of_a_layer_are_loaded_from_state_dicts) {
    nn::BatchNorm1d a(3), b(3);
    nn::StateDict old = a->state_dict();
    old.erase("num_batches_tracked");
    (*old.metadata)[""] = ValueDict{{"version", Value(1)}};
    InputArchive in(old.to_value());
    b->load(in);
    BOOST_TEST(b->num_batches_tracked.item<std::int64_t>() == 0);
}
BOOST_AUTO_TEST_CASE(overrides_save_what_they_like) {
    Counter a, b;
    a->count = 42;
    nn::Sequential na(nn::Linear(2, 2), a), nb(nn::Linear(2, 2), b);
    OutputArchive out;
    na->save(out);
    BOOST_TEST(!out.is_standard());
    InputArchive in(out.value());
    nb->load(in);
    BOOST_TEST(b->count == 42);
    BOOST_TEST(b->sum == a->fc->weight.sum().item<float>());
    BOOST_TEST(same_state(*na, *nb));
    // its own entry is missing: what was loaded before it is put back
    nn::Sequential nc(nn::Linear(2, 2), Counter());
    const Tensor before = nc->parameters()[0].detach().clone(), inner = nc->parameters()[2].detach().clone();
    OutputArchive cut, zero, one, fc;
    (*na)[0]->save(zero);
    a->fc->save(fc);
    one.write("fc", fc);
    cut.write("0", zero);
    cut.write("1", one);
    InputArchive part(cut.value());
    BOOST_TEST(message([&] { nc->load(part); }) == "No such serialized value '1.count': '1' has fc");
    BOOST_TEST(reel::equal(nc->parameters()[0], before));
    BOOST_TEST(reel::equal(nc->parameters()[2], inner));
}
BOOST_AUTO_TEST_CASE(buffers_that_are_not_persistent_and_reserved_names_are_left_out) {
    struct M : nn::Module {
        M() {
            register_buffer("kept", reel::ones({2}));
            register_buffer("cache", reel::ones({2}), false);
            register_parameter("reserved", Tensor(), false);
        }
    } a, b;
    a.get_buffer("kept").fill_(3);
    a.get_buffer("cache").fill_(3);
    InputArchive in = saved(a);
    BOOST_TEST(in.keys() == (std::vector<std::string>{"kept"}), boost::test_tools::per_element());
    b.load(in);
    BOOST_TEST(b.get_buffer("kept").sum().item<float>() == 6);
    BOOST_TEST(b.get_buffer("cache").sum().item<float>() == 2);
}
BOOST_AUTO_TEST_CASE(extra_state_is_part_of_an_archive) {
    struct M : nn::Module {
        M() { register_parameter("w", reel::ones({1})); }
        bool has_extra_state() const override { return true; }
        Value get_extra_state() const override { return text; }
        void set_extra_state(const Value& v) override { text = v.toStringRef(); }
        std::string text = "none";
    };
    const auto a = std::make_shared<M>(), b = std::make_shared<M>();
    a->text = "learned";
    InputArchive in = saved(*a);
    b->load(in);
    BOOST_TEST(b->text == "learned");
    // put back as well: the second child's shape is wrong
    nn::Sequential na, nb;
    na->register_module("a", a);
    na->register_module("z", nn::Linear(1, 1));
    b->text = "mine";
    nb->register_module("a", b);
    nb->register_module("z", nn::Linear(2, 1));
    InputArchive wrong = saved(*na);
    BOOST_CHECK_THROW(nb->load(wrong), Error);
    BOOST_TEST(b->text == "mine");
}

BOOST_AUTO_TEST_SUITE_END()
