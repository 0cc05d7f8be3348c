// Optimizers in archives: options and states field by field.
#include "message.hpp"
#include "warnings.hpp"

#include <reel/autograd/archive.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim.hpp>

using namespace reel;
using reel::testing::message;
using reel::testing::Warnings;
using namespace reel::optim;
using reel::serialize::InputArchive;
using reel::serialize::OutputArchive;

namespace {
std::vector<Tensor> parameters(std::int64_t rows = 3) {
    return {reel::full({rows, 2}, 0.5).requires_grad_(), reel::full({2}, -1.).requires_grad_()};
}
void train(Optimizer& o, const std::vector<Tensor>& params, int steps) {
    for (int i = 0; i < steps; ++i)
        o.step([&] {
            o.zero_grad();
            Tensor loss = (params[0] * params[0]).sum() + (params[1] * 3).pow(2).sum();
            loss.backward();
            return loss;
        });
}
/// Steps with `a`, carries everything over to `b`, and compares what further steps do.
template <class O, class Options> void goes_on(const Options& options, const Options& other) {
    const std::vector<Tensor> pa = parameters(), pb = parameters();
    O a(pa, options), b(pb, other);
    train(a, pa, 3);
    OutputArchive out;
    out << a;
    BOOST_TEST(out.is_standard(), O::class_name);
    for (std::size_t i = 0; i < pa.size(); ++i) pb[i].set_data(pa[i].detach().clone());
    InputArchive in(out.value());
    in >> b;
    BOOST_TEST((a.param_groups()[0].options() == b.param_groups()[0].options()), O::class_name);
    train(a, pa, 3);
    train(b, pb, 3);
    for (std::size_t i = 0; i < pa.size(); ++i) BOOST_TEST(reel::equal(pa[i], pb[i]), O::class_name);
}
} // namespace

BOOST_AUTO_TEST_SUITE(archive)

BOOST_AUTO_TEST_CASE(training_goes_on_bit_for_bit) {
    goes_on<SGD>(SGDOptions(0.1).momentum(0.9), SGDOptions(0.3));
    goes_on<Adam>(AdamOptions(0.1).amsgrad(true).betas({0.8, 0.9}), AdamOptions(0.3));
    goes_on<AdamW>(AdamWOptions(0.1), AdamWOptions(0.3).weight_decay(0));
    goes_on<RMSprop>(RMSpropOptions(0.1).centered(true).momentum(0.5), RMSpropOptions(0.3));
    goes_on<Adagrad>(AdagradOptions(0.1), AdagradOptions(0.3));
    goes_on<LBFGS>(LBFGSOptions(0.1).max_iter(2), LBFGSOptions(0.5).max_iter(2));
}
BOOST_AUTO_TEST_CASE(fields_and_their_explicit_marks_stand_by_name) {
    const std::vector<Tensor> p = parameters();
    AdamOptions own(0.25);
    own.eps(1e-8); // as the default, yet set
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{p[0]}, std::make_unique<AdamOptions>(own));
    groups.emplace_back(std::vector<Tensor>{p[1]});
    Adam o(std::move(groups), AdamOptions(0.5).amsgrad(true));
    train(o, p, 1);
    OutputArchive out;
    o.save(out);
    InputArchive in(out.value()), list, first, second, options, states, state;
    in.read("param_groups", list);
    list.read("0", first);
    first.read("options", options);
    Value v;
    options.read("lr", v);
    BOOST_TEST(v.toDouble() == 0.25);
    options.read("given", v);
    BOOST_REQUIRE_EQUAL(v.elements().size(), 2u);
    BOOST_TEST(v.elements()[0].toStringRef() == "lr");
    BOOST_TEST(v.elements()[1].toStringRef() == "eps");
    list.read("1", second);
    second.read("params", v);
    BOOST_TEST(v.elements().at(0).toInt() == 1);
    second.read("options", options);
    options.read("given", v); // a copy of the defaults, marks included
    BOOST_REQUIRE_EQUAL(v.elements().size(), 2u);
    BOOST_TEST(v.elements()[1].toStringRef() == "amsgrad");
    in.read("state", states);
    states.read("1", state);
    BOOST_TEST(state.keys() == (std::vector<std::string>{"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}),
               boost::test_tools::per_element());

    // one options object there and back
    OutputArchive one;
    own.serialize(one);
    AdamOptions back;
    InputArchive source(one.value());
    back.serialize(source);
    BOOST_TEST((back == own));
    AdamOptions defaults(0.5);
    defaults.eps(1e-3).weight_decay(0.1);
    back.inherit(defaults); // only what was not set
    BOOST_TEST(back.lr() == 0.25);
    BOOST_TEST(back.eps() == 1e-8);
    BOOST_TEST(back.weight_decay() == 0.1);
}
BOOST_AUTO_TEST_CASE(a_state_dict_is_loaded_too) {
    const std::vector<Tensor> pa = parameters(), pb = parameters();
    Adam a(pa, AdamOptions(0.1)), b(pb, AdamOptions(0.3));
    train(a, pa, 2);
    InputArchive in(a.state_dict());
    b.load(in);
    BOOST_TEST(b.state().size() == 2u);
    BOOST_TEST(b.param_groups()[0].options().get_lr() == 0.1);
}
namespace {
/// As libtorch wrote it before 1.5.
struct OldArchive {
    OutputArchive out;
    OldArchive& list(const std::string& name, const std::vector<Tensor>& entries) {
        out.write(name + "/size", reel::full({}, std::int64_t(entries.size()), kLong));
        for (std::size_t i = 0; i < entries.size(); ++i) out.write(name + "/" + std::to_string(i), entries[i], true);
        return *this;
    }
};
Tensor count(std::int64_t n) { return reel::full({1}, n, kLong); }
} // namespace
BOOST_AUTO_TEST_CASE(lists_of_states_from_before_there_were_groups_are_read_with_a_warning) {
    const std::vector<Tensor> p = parameters();
    const Tensor a = reel::full({3, 2}, 2.), b = reel::full({2}, 3.);
    Warnings warnings;
    Adam adam(p, AdamOptions(0.3).amsgrad(true));
    OldArchive old;
    old.list("step_buffers", {count(7), count(8)}).list("exp_average_buffers", {a, b});
    old.list("exp_average_sq_buffers", {a * 2, b * 2}).list("max_exp_average_sq_buffers", {a * 3});
    InputArchive in(old.out.value());
    adam.load(in);
    BOOST_REQUIRE(warnings.texts.size() == 1u);
    BOOST_TEST(warnings.texts[0].find("old serialization format") != std::string::npos);
    const auto state = [](const Optimizer& o, const Tensor& q) { return o.state().at(q.unsafeGetTensorImpl()).get(); };
    const auto& second = static_cast<const AdamParamState&>(*state(adam, p[1]));
    BOOST_TEST(second.step() == 8);
    BOOST_TEST((reel::equal(second.exp_avg(), b) && reel::equal(second.exp_avg_sq(), b * 2)));
    BOOST_TEST(!second.max_exp_avg_sq().defined()); // the list is shorter
    BOOST_TEST(reel::equal(state(adam, p[0])->get("max_exp_avg_sq").toTensor(), a * 3));
    BOOST_TEST(adam.param_groups()[0].options().get_lr() == 0.3);

    OldArchive sums, momenta, averages;
    sums.list("sum_buffers", {a, b}).list("step_buffers", {count(1), count(2)});
    Adagrad adagrad(p, AdagradOptions(0.1));
    InputArchive in_sums(sums.out.value());
    adagrad.load(in_sums);
    BOOST_TEST(reel::equal(state(adagrad, p[0])->get("sum").toTensor(), a));
    momenta.list("momentum_buffers", {a}).out.write("iteration_", Value(3));
    SGD sgd(p, SGDOptions(0.1).momentum(0.9));
    InputArchive in_momenta(momenta.out.value());
    sgd.load(in_momenta);
    BOOST_TEST(sgd.state().size() == 1u);
    averages.list("square_average_buffers", {a, b}).list("grad_average_buffers", {a, b});
    RMSprop rmsprop(p, RMSpropOptions(0.1).centered(true));
    InputArchive in_averages(averages.out.value());
    rmsprop.load(in_averages);
    BOOST_TEST(reel::equal(state(rmsprop, p[1])->get("grad_avg").toTensor(), b));
}
BOOST_AUTO_TEST_CASE(lists_of_states_that_do_not_fit_change_nothing) {
    const std::vector<Tensor> p = parameters();
    SGD sgd(p, SGDOptions(0.1).momentum(0.9));
    const auto refused = [&](Optimizer& o, const std::vector<Tensor>& entries) {
        OldArchive old;
        old.list("momentum_buffers", entries);
        InputArchive in(old.out.value());
        return message([&] { o.load(in); });
    };
    const Tensor a = reel::full({3, 2}, 2.);
    BOOST_TEST(refused(sgd, {a, a}) == "load: momentum_buffers/1 has shape [3, 2], the parameter has [2]");
    BOOST_TEST(refused(sgd, {a, p[1], a}) == "load: momentum_buffers/size is 3, this optimizer has 2 parameters");
    BOOST_TEST(sgd.state().empty());
    std::vector<OptimizerParamGroup> two;
    two.emplace_back(std::vector<Tensor>{p[0]});
    two.emplace_back(std::vector<Tensor>{p[1]});
    SGD grouped(std::move(two), SGDOptions(0.1));
    BOOST_TEST(refused(grouped, {a}) == "load: the archive is older than parameter groups, and this optimizer has 2; "
                                        "load it into an optimizer with one");
}
BOOST_AUTO_TEST_CASE(what_does_not_fit_is_named_and_changes_nothing) {
    const std::vector<Tensor> pa = parameters(), pb = parameters(5);
    Adam a(pa, AdamOptions(0.1)), b(pb, AdamOptions(0.3));
    train(a, pa, 2);
    OutputArchive out;
    a.save(out);
    InputArchive in(out.value());
    BOOST_TEST(message([&] { b.load(in); }) == "load: state.0.exp_avg has shape [3, 2], the parameter has [5, 2]");
    BOOST_TEST(b.param_groups()[0].options().get_lr() == 0.3);
    BOOST_TEST(b.state().empty());
    Adam c({pb[0]}, AdamOptions(0.3));
    BOOST_TEST(message([&] { c.load(in); }) ==
               "load: param_groups.0 of the archive has 2 parameters, this optimizer's group has 1");
    std::vector<OptimizerParamGroup> two;
    two.emplace_back(std::vector<Tensor>{pb[0]});
    two.emplace_back(std::vector<Tensor>{pb[1]});
    Adam d(std::move(two), AdamOptions(0.3));
    BOOST_TEST(message([&] { d.load(in); }) == "load: the archive has 1 parameter groups, this optimizer has 2");
    InputArchive empty;
    BOOST_TEST(message([&] { b.load(empty); }) == "No such serialized submodule 'param_groups': the archive is empty");
    OutputArchive bad, groups, group, options, states;
    options.write("lr", Value("fast"));
    group.write("params", Value(std::vector<std::int64_t>{0, 1}));
    group.write("options", options);
    groups.write("0", group);
    bad.write("param_groups", groups);
    bad.write("state", states);
    InputArchive wrong(bad.value());
    const std::string text = message([&] { b.load(wrong); });
    BOOST_TEST(text.starts_with("load: param_groups.0.options.lr: "), text);
}

BOOST_AUTO_TEST_SUITE_END()
