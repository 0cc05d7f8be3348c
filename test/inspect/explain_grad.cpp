// Why a parameter has a gradient, or none.
#include <reel/inspect/explain_grad.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cmath>
#include <memory>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

using namespace reel;
using namespace reel::inspect;
using autograd::variable_list;

namespace {

/// Two layers and one beside them; what happens between them is up to the test.
struct NetImpl : nn::Module {
    NetImpl() {
        first = register_module("first", nn::Linear(3, 4));
        second = register_module("second", nn::Linear(4, 2));
        other = register_module("other", nn::Linear(3, 2));
    }
    Tensor forward(const Tensor& x) { return second(between(first(x))); }
    std::function<Tensor(const Tensor&)> between = [](const Tensor& h) { return tanh(h); };
    nn::Linear first{nullptr}, second{nullptr}, other{nullptr};
};
REEL_MODULE(Net);

struct WithListImpl : nn::Module {
    WithListImpl() {
        list = register_module("list", nn::ParameterList(variable_list{ones({3}), ones({3})}));
        idle = register_module("idle", nn::Linear(3, 1));
    }
    Tensor forward(const Tensor& x) { return x * (*list)[0]; }
    nn::ParameterList list{nullptr};
    nn::Linear idle{nullptr};
};
REEL_MODULE(WithList);

Tensor input() { return arange(6).to(kFloat).reshape({2, 3}) / 5 - 0.4; }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
GradFate fate(const GradReport& r, const std::string& name) {
    BOOST_REQUIRE(r.find(name));
    return r.find(name)->fate;
}
#define CHECK_FATE(report, name, expected)                                                                             \
    BOOST_TEST(std::string(to_string(fate(report, name))) == std::string(to_string(GradFate::expected)), report.text())

} // namespace

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
        BOOST_TEST(explain_grad(*net).find("first.weight")->cause == "argmax");
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

BOOST_AUTO_TEST_CASE(cleared_by_zero_grad) {
    Net net;
    optim::SGD sgd(net->second->parameters(), 0.1);
    const Recorder recorder(*net);
    net(input()).sum().backward();
    sgd.zero_grad();
    net->first->zero_grad();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "second.weight", Cleared);
    BOOST_TEST(r.find("second.weight")->cause == "Optimizer.zero_grad");
    BOOST_TEST(r.find("first.weight")->cause == "Module.zero_grad");
    BOOST_TEST(!r.find("first.weight")->place.empty());
}

BOOST_AUTO_TEST_CASE(zeros_that_zero_grad_left_are_no_gradient) {
    Net net;
    const Recorder recorder(*net);
    net(input()).sum().backward();
    net->zero_grad(false);
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Cleared);
    BOOST_TEST(contains(r.find("first.weight")->text, "only zeros any more: cleared by Module.zero_grad"), r.text());
    net(input()).sum().backward();
    CHECK_FATE(explain_grad(*net), "first.weight", Got);
}

BOOST_AUTO_TEST_CASE(the_latest_of_several_steps_is_explained) {
    Net net;
    optim::SGD sgd(net->parameters(), 0.1);
    const Recorder recorder(*net);
    net(input()).sum().backward();
    sgd.zero_grad();
    net->between = [](const Tensor& h) { return h.detach(); };
    net(input()).sum().backward();
    GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Cut); // it was cleared before, which is not why
    BOOST_TEST(r.find("first.weight")->cause == "detach");
    CHECK_FATE(r, "second.weight", Got);
    sgd.zero_grad();
    net->between = [](const Tensor& h) { return tanh(h); };
    net(input()).sum().backward();
    CHECK_FATE(explain_grad(*net), "first.weight", Got);
    // Not called in the latest step, but it had a gradient, which was cleared.
    sgd.zero_grad();
    net->other(input()).sum().backward();
    r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Cleared);
    BOOST_TEST(contains(r.find("first.weight")->text, "first was never called"), r.text());
}

BOOST_AUTO_TEST_CASE(a_gradient_from_an_earlier_pass_says_so) {
    Net net;
    const Recorder recorder(*net);
    net(input()).sum().backward();
    BOOST_TEST(explain_grad(*net).find("first.weight")->latest);
    net->between = [](const Tensor& h) { return h.detach(); };
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Got);
    BOOST_TEST(!r.find("first.weight")->latest);
    BOOST_TEST(contains(r.find("first.weight")->text, "Nothing came in the latest pass: cut by detach()"), r.text());
    BOOST_TEST(r.find("second.weight")->latest);
}

BOOST_AUTO_TEST_CASE(two_losses_one_after_the_other) {
    Net net;
    const Recorder recorder(*net);
    net->other(input()).detach().sum().requires_grad_().backward(); // the first loss loses `other`
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "other.weight", Cut);
    CHECK_FATE(r, "first.weight", Got);
}

BOOST_AUTO_TEST_CASE(a_pass_that_threw) {
    Net net;
    net->between = [](const Tensor& h) {
        const Tensor t = tanh(h);
        t.register_hook([](const Tensor&) -> Tensor { throw ValueError("no"); });
        return t;
    };
    const Recorder recorder(*net);
    BOOST_CHECK_THROW(net(input()).sum().backward(), ValueError);
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Interrupted);
    BOOST_TEST(contains(r.find("first.weight")->text, "tensor hook #"), r.text());
    BOOST_TEST(contains(r.find("first.weight")->text, "threw, at TanhBackward0"), r.text());
    CHECK_FATE(r, "second.weight", Got);
}

BOOST_AUTO_TEST_CASE(grad_hands_its_result_to_the_caller) {
    Net net;
    const Recorder recorder(*net);
    (void)autograd::grad({net(input()).sum()}, {net->second->weight});
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "second.weight", NotRequested);
    BOOST_TEST(contains(r.find("second.weight")->text, "to the caller of grad()"), r.text());
    BOOST_TEST(contains(r.find("first.weight")->text, "asked for other tensors"), r.text());
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
    nn::Sequential net;
    for (int i = 0; i < 2500; ++i) net->push_back(nn::Linear(2, 2));
    const Recorder recorder(*net, {.places = false, .norms = false});
    const Tensor y = net(ones({1, 2}));
    ones({1}).requires_grad_().sum().backward(); // all 5,000 parameters lead to the same dead end
    const auto start = std::chrono::steady_clock::now();
    BOOST_TEST(explain_grad(*net).count(GradFate::DeadEnd) == 5000u);
    // A walk per parameter would be twelve million nodes, and takes many seconds.
    BOOST_TEST(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 2.0);
}

BOOST_AUTO_TEST_CASE(a_hook_that_returned_none) {
    Net net;
    const RemovableHandle handle = net->second->register_full_backward_hook(
        [](nn::Module&, const variable_list&, const variable_list&) -> std::optional<variable_list> {
            return variable_list{Tensor()};
        });
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", HookNone);
    BOOST_TEST(contains(r.find("first.weight")->cause, "of second"), r.text());
    CHECK_FATE(r, "second.weight", Got);
}

namespace {
struct Swallow : autograd::Function<Swallow> {
    static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x * 1; }
    static variable_list backward(autograd::AutogradContext*, variable_list) { return {Tensor()}; }
};
} // namespace

BOOST_AUTO_TEST_CASE(a_function_that_returned_none) {
    Net net;
    net->between = [](const Tensor& h) { return Swallow::apply(h); };
    const Recorder recorder(*net);
    net(input()).sum().backward();
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", NoneReturned);
    BOOST_TEST(contains(r.find("first.weight")->text, "SwallowBackward"), r.text());
}

BOOST_AUTO_TEST_CASE(a_pass_for_other_inputs) {
    Net net;
    const Recorder recorder(*net);
    net(input()).sum().backward({}, std::nullopt, false, variable_list{net->second->weight});
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "second.weight", Got);
    CHECK_FATE(r, "first.weight", NotRequested);
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

BOOST_AUTO_TEST_SUITE_END()
