// Why a parameter has a gradient, or none.
#include <reel/inspect/explain_grad.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "allocations.hpp"
#include "inspect/explained_nets.hpp"

using namespace reel;
using namespace reel::inspect;
using namespace reel::testing;
using autograd::variable_list;

BOOST_AUTO_TEST_SUITE(explain_grad_)

BOOST_AUTO_TEST_CASE(a_gradient_and_the_node_that_sent_it) {
    Net net;
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    BOOST_TEST(r.entries.size() == 6u);
    CHECK_FATE(r, "first.weight", Got);
    CHECK_FATE(r, "second.bias", Got);
    const GradEntry& e = *r.find("first.weight");
    BOOST_REQUIRE(e.nodes.size() == 1u);
    BOOST_TEST(contains(e.nodes[0], "in first"), e.nodes[0]);
    BOOST_TEST(e.norm == std::sqrt(net->first->weight.grad().square().sum().item<double>()),
               boost::test_tools::tolerance(1e-6));
    BOOST_TEST(r.count(GradFate::Got) == 4u);
}

BOOST_AUTO_TEST_CASE(a_sparse_gradient) {
    nn::Sequential net{nn::Embedding(nn::EmbeddingOptions(5, 2).sparse(true)), nn::Linear(2, 1)};
    const Recorder recorder(*net);
    net(tensor({1, 3, 1})).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "0.weight", Got);
    BOOST_TEST(r.find("0.weight")->norm == net->parameters()[0].grad().norm().item<double>(),
               boost::test_tools::tolerance(1e-6));
    BOOST_TEST(r.find("0.weight")->finite);
}

BOOST_AUTO_TEST_CASE(a_module_that_was_never_called) {
    Net net;
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "other.weight", NeverCalled);
    BOOST_TEST(contains(r.find("other.weight")->text, "other was never called"));
}

BOOST_AUTO_TEST_CASE(a_frozen_one) {
    Net net;
    net->first->requires_grad_(false);
    const Recorder recorder(*net);
    net(input()).sum().backward();
    CHECK_FATE(explain_grad(*net), "first.weight", Frozen);
    CHECK_FATE(explain_grad(*net), "second.weight", Got);
}

BOOST_AUTO_TEST_CASE(a_result_that_leads_nowhere) {
    Net net;
    const Recorder recorder(*net);
    const Tensor aside = net->other(input()) * 3;
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "other.weight", DeadEnd);
    BOOST_TEST(contains(r.find("other.weight")->nodes.at(0), "MulBackward0"), r.text());
}

BOOST_AUTO_TEST_CASE(a_detach_between_two_layers) {
    Net net;
    net->between = [](const Tensor& h) { return tanh(h).detach(); };
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Cut);
    CHECK_FATE(r, "second.weight", Got);
    const GradEntry& e = *r.find("first.weight");
    BOOST_TEST(e.cause == "detach");
    BOOST_TEST(contains(e.nodes.at(0), "TanhBackward0"), e.text);
    BOOST_TEST(!e.place.empty());
}

BOOST_AUTO_TEST_CASE(an_op_under_no_grad) {
    Net net;
    net->between = [](const Tensor& h) {
        NoGradGuard guard;
        return tanh(h);
    };
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Cut);
    BOOST_TEST(r.find("first.weight")->cause == "tanh under no_grad");
}

BOOST_AUTO_TEST_CASE(a_whole_module_under_no_grad) {
    Net net;
    const Recorder recorder(*net);
    Tensor h;
    {
        NoGradGuard guard;
        h = net->first(input());
    }
    net->second(h).sum().backward();
    CHECK_FATE(explain_grad(*net), "first.weight", Cut);
    CHECK_FATE(explain_grad(*net), "first.bias", Cut);
}

BOOST_AUTO_TEST_CASE(an_integer_cast_and_a_comparison) {
    Net net;
    net->between = [](const Tensor& h) { return h.to(kLong).to(kFloat); };
    {
        const Recorder recorder(*net);
        net(input()).sum().backward();
        const GradReport r = explain_grad(*net);
        CHECK_FATE(r, "first.weight", Cut);
        BOOST_TEST(r.find("first.weight")->cause == "to_copy");
    }
    net->zero_grad();
    net->between = [](const Tensor& h) { return (h > 0).to(kFloat); };
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Cut);
    BOOST_TEST(r.find("first.weight")->cause == "gt");
}

BOOST_AUTO_TEST_CASE(argmax_and_item) {
    Net net;
    net->between = [](const Tensor& h) { return one_hot(h.argmax(1), 4).to(kFloat); };
    {
        const Recorder recorder(*net);
        net(input()).sum().backward();
        const GradReport r = explain_grad(*net);
        BOOST_TEST(r.find("first.weight")->cause == "argmax");
        // the op's own block says so
        BOOST_TEST(contains(r.text(), "cut by argmax, which is not differentiable: its result carries no gradient"),
                   r.text());
    }
    net->between = [](const Tensor& h) { return ones({2, 4}) * h.sum().item<double>(); };
    const Recorder recorder(*net);
    net->zero_grad();
    net(input()).sum().backward();
    BOOST_TEST(explain_grad(*net).find("first.weight")->cause == "item");
}

BOOST_AUTO_TEST_CASE(printing_a_loss_is_no_cut) {
    Net net;
    const Recorder recorder(*net);
    const Tensor loss = net(input()).sum();
    BOOST_TEST(std::isfinite(loss.item<double>()));
    BOOST_TEST(std::isfinite(loss.detach().item<double>()));
    loss.backward();
    CHECK_FATE(explain_grad(*net), "first.weight", Got);
}

BOOST_AUTO_TEST_CASE(recorders_may_end_in_any_order) {
    Net net;
    auto outer = std::make_unique<Recorder>(*net);
    auto inner = std::make_unique<Recorder>(*net);
    const Recorder* last = inner.get();
    outer.reset();
    BOOST_TEST(Recorder::current() == last);
    BOOST_TEST(autograd::AnomalyMode::is_enabled()); // for the places of the one that is left
    inner.reset();
    BOOST_TEST(!Recorder::current());
    BOOST_TEST(!autograd::AnomalyMode::is_enabled());
}

BOOST_AUTO_TEST_CASE(a_large_model_takes_no_longer_than_its_size) {
    /// What is asked of the heap to explain a model of so many layers.
    const auto work = [](int layers) {
        nn::Sequential net;
        for (int i = 0; i < layers; ++i) net->push_back(nn::Linear(2, 2));
        const Recorder recorder(*net, {.places = false, .norms = false});
        const Tensor y = net(ones({1, 2}));
        ones({1}).requires_grad_().sum().backward(); // all parameters lead to the same dead end
        return allocations_of(
            [&] { BOOST_TEST(explain_grad(*net).count(GradFate::DeadEnd) == 2 * std::size_t(layers)); });
    };
    const std::int64_t few = work(100), many = work(1000);
    BOOST_TEST(few > 0);
    BOOST_TEST(many < 15 * few); // a walk that remembers where it was, for each parameter, would be 100 times as many
}

BOOST_AUTO_TEST_CASE(no_backward_and_no_recorder) {
    Net net;
    CHECK_FATE(explain_grad(*net), "first.weight", Unknown);
    const Recorder recorder(*net);
    (void)net(input());
    CHECK_FATE(explain_grad(*net), "first.weight", NoBackward);
}

BOOST_AUTO_TEST_CASE(reports_survive_stop_and_start_again_after_clear) {
    Net net;
    Recorder recorder(*net);
    net(input()).sum().backward();
    recorder.stop();
    net->zero_grad(); // not seen any more
    const GradReport r = explain_grad(*net, recorder);
    CHECK_FATE(r, "first.weight", Cleared);
    BOOST_TEST(r.find("first.weight")->cause == "assignment");
    BOOST_TEST(!autograd::AnomalyMode::is_enabled());
}

BOOST_AUTO_TEST_CASE(as_json) {
    Net net;
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const std::string json = explain_grad(*net).json();
    BOOST_TEST(contains(json, R"("name":"first.weight","shape":"float32[4, 3]","fate":"got")"), json);
    BOOST_TEST(contains(json, R"("counts":{"got":4,"never called":2})"), json);
}

BOOST_AUTO_TEST_CASE(expectations) {
    Net net;
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const std::vector<std::string> bad{"other.weight", "other.bias"};
    const auto names_them = [&](const GradExpectationError& e) {
        return e.parameters() == bad && contains(e.what(), "other was never called");
    };
    BOOST_CHECK_EXCEPTION(expect_grads(*net), GradExpectationError, names_them);
    BOOST_CHECK_NO_THROW(expect_grads(*net, {.without = {"other.*"}}));
    BOOST_CHECK_THROW(expect_grads(*net, {.without = {"other.*", "first.bias"}}), GradExpectationError);
    BOOST_CHECK_THROW(expect_grads(*net, {.frozen = {"first.*"}, .without = {"other.*"}}), GradExpectationError);
    BOOST_CHECK_THROW(expect_grads(*net, {.without = {"other.*"}, .min_norm = 1e6}), GradExpectationError);
    BOOST_CHECK_THROW(expect_grads(*net, {.without = {"other.*"}, .max_norm = 1e-9}), GradExpectationError);
    BOOST_CHECK_THROW(expect_grads(*net, {.without = {"nobody"}}), ValueError);
    BOOST_CHECK_THROW(expect_grads(*net, {.min_norm = 2, .max_norm = 1}), ValueError);
    net->first->weight.mutable_grad().fill_(std::nan(""));
    BOOST_CHECK_THROW(expect_grads(*net, {.without = {"other.*"}}), GradExpectationError);
    BOOST_CHECK_NO_THROW(expect_grads(*net, {.without = {"other.*"}, .finite = false}));
    net->first->weight.mutable_grad().zero_();
    BOOST_CHECK_THROW(expect_grads(*net, {.without = {"other.*"}, .nonzero = true}), GradExpectationError);
}

BOOST_AUTO_TEST_CASE(nodes_of_a_cleared_gradient_sent_nothing_that_is_there) {
    Net net;
    const Recorder recorder(*net);
    for (int step = 0; step < 2; ++step) {
        net->zero_grad();
        net(input()).sum().backward();
    }
    BOOST_TEST(explain_grad(*net).find("first.weight")->nodes.size() == 1u, explain_grad(*net).text());
    net(input()).sum().backward(); // added to the second
    BOOST_TEST(explain_grad(*net).find("first.weight")->nodes.size() == 2u, explain_grad(*net).text());
}

BOOST_AUTO_TEST_CASE(lists_of_parameters_are_never_called) {
    WithList net;
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "list.0", Got);
    CHECK_FATE(r, "list.1", Unused);
    CHECK_FATE(r, "idle.weight", NeverCalled);
}

BOOST_AUTO_TEST_CASE(the_text_has_a_line_for_each_reason_and_details_one_for_each_parameter) {
    Net net;
    net->first->requires_grad_(false);
    const Recorder recorder(*net, {.places = false});
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    const std::string text = r.text();
    BOOST_TEST(
        text.starts_with("other.weight, other.bias: no gradient: other was never called on the recorder's thread\n"),
        text);
    BOOST_TEST(contains(text, "first.weight, first.bias: frozen: it does not require grad\n"), text);
    BOOST_TEST(contains(text, "second.weight, second.bias: gradient, norms "), text);
    BOOST_TEST(text.ends_with("6 parameters: 2 with a gradient, 2 frozen, 2 without\n"), text);
    const std::string details = r.details();
    BOOST_TEST(std::count(details.begin(), details.end(), '\n') == 6);
    BOOST_TEST(contains(details, "second.bias    float32[2]  gradient, norm "), details);
    BOOST_TEST(contains(details, ", from LinearBackward0 in second"), details);
}

BOOST_AUTO_TEST_CASE(many_parameters_with_one_reason_are_counted) {
    nn::Sequential net;
    for (int i = 0; i < 5; ++i) net->push_back(nn::Linear(1, 1));
    const GradReport r = explain_grad(*net);
    BOOST_TEST(contains(r.text(), "0.weight, 0.bias, 1.weight, 1.bias, 2.weight, 2.bias, ... (10 in all): no gradient"),
               r.text());
}

namespace {
struct ForgetfulImpl : nn::Module {
    ForgetfulImpl() { known = register_module("known", nn::Linear(3, 2)); }
    Tensor forward(const Tensor& x) { return forgotten(known(x)) * scale; }
    nn::Linear known{nullptr}, forgotten{2, 2};
    Tensor scale = full({2}, 0.5).requires_grad_();
};
REEL_MODULE(Forgetful);
} // namespace

BOOST_AUTO_TEST_CASE(what_was_used_and_not_registered_is_listed) {
    Forgetful net;
    const Recorder recorder(*net, {.places = false});
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    const auto lists = [&](const std::string& part) {
        return std::any_of(r.unregistered.begin(), r.unregistered.end(),
                           [&](const std::string& line) { return contains(line, part); });
    };
    BOOST_TEST(r.unregistered.size() == 4u, r.text()); // weight and bias, the scale, the module
    BOOST_TEST(lists("float32[2] requires grad, is used by MulBackward0"), r.text());
    BOOST_TEST(lists("is no parameter of the model: an input, or forgotten by register_parameter"), r.text());
    BOOST_TEST(lists("Linear was called by"), r.text());
    BOOST_TEST(lists("forgotten by register_module"), r.text());
    BOOST_TEST(contains(r.text(), "not registered: "), r.text());
    BOOST_TEST(contains(r.json(), "\"unregistered\":["), r.json());
}

BOOST_AUTO_TEST_SUITE_END()
