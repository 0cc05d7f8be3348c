// explain_grad over several passes and steps, and what hooks and functions made of gradients in them.
#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/inspect/explain_grad.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "inspect/explained_nets.hpp"

using namespace reel;
using namespace reel::inspect;
using namespace reel::testing;
using autograd::variable_list;

BOOST_AUTO_TEST_SUITE(explain_grad_over_passes)

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

/// The same of hooks over values, alone and among others; none in place of none is nobody's doing.
BOOST_AUTO_TEST_CASE(a_value_hook_that_returned_none) {
    Net net;
    const RemovableHandle handle = net->second->register_full_backward_hook(
        [](nn::Module&, const Value&, const Value&) -> Value { return Value::tuple({Value()}); });
    {
        const Recorder recorder(*net);
        net(input()).sum().backward();
        const GradReport r = explain_grad(*net);
        CHECK_FATE(r, "first.weight", HookNone);
        BOOST_TEST(contains(r.find("first.weight")->cause, "of second"), r.text());
        CHECK_FATE(r, "second.weight", Got);
    }
    RemovableHandle(handle).remove();
    net->zero_grad();
    const RemovableHandle pre = net->second->register_full_backward_pre_hook(
        [](nn::Module&, const Value&) -> Value { return Value::tuple({Value()}); });
    const Recorder recorder(*net);
    net(input()).sum().backward();
    CHECK_FATE(explain_grad(*net), "second.weight", HookNone);
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

BOOST_AUTO_TEST_CASE(a_pass_that_anomaly_mode_interrupted) {
    Net net;
    net->between = [](const Tensor& h) { return sqrt(h * 0) * 0.0; };
    const Recorder recorder(*net);
    const autograd::DetectAnomalyGuard anomaly;
    BOOST_CHECK_THROW(net(input()).sum().backward(), Error);
    const GradReport r = explain_grad(*net);
    CHECK_FATE(r, "first.weight", Interrupted);
    BOOST_TEST(contains(r.find("first.weight")->text, "the pass ended before it came here"), r.text());
    BOOST_TEST(contains(r.find("first.weight")->text, "at SqrtBackward0"), r.text());
}

BOOST_AUTO_TEST_SUITE_END()
