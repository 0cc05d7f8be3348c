// Standing still between the nodes of a backward pass.
#include <reel/inspect/backward_steps.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd.hpp>
#include <reel/inspect/explain_grad.hpp>
#include <reel/inspect/recorder.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::inspect;

namespace {
Tensor leaf() { return arange(3).to(kFloat).requires_grad_(); }
struct RootImpl : nn::Module {
    Tensor forward(const Tensor& x) { return sqrt(x * 0); }
};
REEL_MODULE(Root);
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(backward_steps, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(every_node_once_in_the_engine_s_order) {
    const Tensor x = leaf();
    const Tensor y = exp(x * 2).sum();
    BackwardSteps steps(y);
    std::vector<std::string> names;
    while (BackwardStep* step = steps.next()) {
        BOOST_TEST(step->number == names.size());
        BOOST_TEST(step->grads.at(0).defined());
        if (step->name == "AccumulateGrad") {
            BOOST_TEST(step->leaf_shape == "float32[3]");
            BOOST_TEST(!x.grad().defined()); // it has not run yet
        }
        names.push_back(step->name);
    }
    const std::vector<std::string> expected{"SumBackward0", "ExpBackward0", "MulBackward0", "AccumulateGrad"};
    BOOST_TEST(names == expected, boost::test_tools::per_element());
    BOOST_TEST(steps.done());
    BOOST_TEST(steps.next() == nullptr);
    BOOST_TEST(allclose(x.grad(), exp(x.detach() * 2) * 2));
}

BOOST_AUTO_TEST_CASE(replacing_a_gradient_between_two_nodes) {
    const Tensor x = leaf();
    for (BackwardSteps steps((x * 2).sum()); BackwardStep* step = steps.next();)
        if (step->name == "MulBackward0") step->grads[0] = step->grads[0] * 10;
    BOOST_TEST(x.grad().equal(full({3}, 20.0)));
}

BOOST_AUTO_TEST_CASE(stopping_leaves_the_rest_undone) {
    const Tensor x = leaf();
    const Tensor y = (x * 2).sum();
    {
        BackwardSteps steps(y, {}, true);
        BOOST_REQUIRE(steps.next_where([](const BackwardStep& s) { return s.name == "MulBackward0"; }));
        steps.stop();
        BOOST_TEST(steps.next() == nullptr);
    }
    BOOST_TEST(!x.grad().defined());
    { BackwardSteps unused(y, {}, true); } // a pass that never began
    {                                      // dropped on the way
        BackwardSteps steps(y, {}, true);
        steps.next();
    }
    BOOST_TEST(!x.grad().defined());
    BackwardSteps steps(y); // the tape is as good as before
    steps.next();
    steps.finish();
    BOOST_TEST(x.grad().equal(full({3}, 2.0)));
}

BOOST_AUTO_TEST_CASE(a_recorder_sees_the_steps) {
    nn::Sequential net(nn::Linear(2, 2), nn::Tanh(), nn::Linear(2, 2));
    const Recorder recorder(*net);
    const Tensor y = net(ones({1, 2})).sum();
    BackwardSteps steps(y);
    BOOST_REQUIRE(steps.next_where([](const BackwardStep& s) { return s.name == "TanhBackward0"; }));
    steps.stop();
    const GradReport r = explain_grad(*net);
    BOOST_TEST(std::string(to_string(r.find("0.weight")->fate)) == "interrupted", r.text());
    BOOST_TEST(contains(r.find("0.weight")->text, "a stop, at TanhBackward0"), r.text());
    BOOST_TEST(contains(r.find("2.weight")->text, "from LinearBackward0 in 2"), r.text());
}

BOOST_AUTO_TEST_CASE(hooks_run_as_ever_and_errors_arrive) {
    const Tensor x = leaf(), h = x * 2;
    h.register_hook([](const Tensor& g) { return g * 3; });
    BackwardSteps steps(h.sum());
    const BackwardStep* step = steps.next_where([](const BackwardStep& s) { return s.name == "MulBackward0"; });
    BOOST_REQUIRE(step);
    BOOST_TEST(step->grads[0].equal(full({3}, 3.0)));
    steps.finish();
    BOOST_TEST(x.grad().equal(full({3}, 6.0)));

    const Tensor bad = x * 2;
    bad.register_hook([](const Tensor&) -> Tensor { throw ValueError("no"); });
    BackwardSteps failing(bad.sum());
    failing.next();
    BOOST_CHECK_THROW(failing.finish(), ValueError);
}

BOOST_AUTO_TEST_CASE(a_replacement_must_fit) {
    const Tensor x = leaf();
    BackwardSteps steps((x * 2).sum());
    BackwardStep* step = steps.next_where([](const BackwardStep& s) { return s.name == "MulBackward0"; });
    BOOST_REQUIRE(step);
    step->grads[0] = ones({5});
    BOOST_CHECK_THROW(steps.next(), Error);
    BOOST_CHECK_THROW(BackwardSteps{Tensor()}, Error);
    BOOST_CHECK_THROW(BackwardSteps{ones({1})}, Error);
}

BOOST_AUTO_TEST_CASE(the_first_node_that_makes_a_nan) {
    const Tensor x = zeros({2}).requires_grad_();
    x.mutable_grad() = ones({2});
    const Tensor y = (sqrt(x) * 0.0).sum(); // 0 * infinity
    const auto found = find_non_finite(y);
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->node == "SqrtBackward0");
    BOOST_TEST(found->nan);
    BOOST_TEST(!found->arrived);
    BOOST_TEST(contains(found->text, "makes the first NaN"));
    BOOST_TEST(x.grad().equal(ones({2}))); // untouched
    BOOST_TEST(!find_non_finite((x * 2).sum()).has_value());
    const auto infinite = find_non_finite(sqrt(x).sum());
    BOOST_REQUIRE(infinite.has_value());
    BOOST_TEST(!infinite->nan);
    const auto seed = find_non_finite((x * 2).sum(), full({}, std::nan("")));
    BOOST_REQUIRE(seed.has_value());
    BOOST_TEST(seed->arrived);
}

BOOST_AUTO_TEST_CASE(looking_for_a_nan_leaves_the_leaves_of_a_checkpoint_alone) {
    const Tensor x = leaf(), w = leaf();
    const auto f = [&](const Tensor& t) { return t * w; };
    const Tensor y = autograd::checkpoint(autograd::CheckpointOptions{.use_reentrant = true}, f, x).sum();
    BOOST_TEST(!find_non_finite(y).has_value());
    BOOST_TEST(!w.grad().defined()); // only the pass inside of the pass comes to it
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(with_module_and_place_under_a_recorder) {
    nn::Sequential net(nn::Linear(2, 2), Root());
    const Recorder recorder(*net);
    const auto found = find_non_finite(net(ones({1, 2})).sum());
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->module_path == "1");
    BOOST_TEST(!found->place.empty());
}

BOOST_AUTO_TEST_CASE(an_infinity_of_forward_is_named_before_its_gradients) {
    const Tensor x = arange(3).to(kFloat).requires_grad_();
    const auto by_log = find_non_finite((log(x) * ones({3})).sum());
    BOOST_REQUIRE(by_log.has_value());
    BOOST_TEST(by_log->node == "LogBackward0");
    BOOST_TEST(by_log->forward);
    BOOST_TEST(!by_log->nan);
    BOOST_TEST(by_log->text == "LogBackward0 made the first infinity of forward, in its result");

    const Tensor p = softmax(ones({2, 2}) * tensor({0.f, 1000.f}).requires_grad_(), 1); // underflows to 0
    const auto deep = find_non_finite(-(log(p) * ones({2, 2})).mean());
    BOOST_REQUIRE(deep.has_value());
    BOOST_TEST(deep->node == "LogBackward0", deep->text);
    const Tensor large = full({2}, 1000.0).requires_grad_();
    const auto difference = find_non_finite((exp(large) - exp(large)).sum()); // infinity, then infinity - infinity
    BOOST_REQUIRE(difference.has_value());
    BOOST_TEST(difference->node == "ExpBackward0", difference->text);
    BOOST_TEST(!difference->nan);
}

BOOST_AUTO_TEST_CASE(each_that_made_one_on_its_own_is_named) {
    const Tensor w = ones({2}).requires_grad_(), none = zeros({2}).requires_grad_();
    const Tensor by_log = log(none * w) * w; // made first
    const auto found = find_non_finite((by_log + exp((none / none) * w)).sum());
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->node == "LogBackward0", found->text);
    BOOST_TEST(!found->nan);
    BOOST_REQUIRE_EQUAL(found->others.size(), 1);
    BOOST_TEST(found->others[0].node == "DivBackward0");
    BOOST_TEST(found->others[0].nan);
    BOOST_TEST(found->text == "LogBackward0 made the first infinity of forward, in its result\n"
                              "apart from it: DivBackward0 made a NaN of forward, in its result");
}
BOOST_AUTO_TEST_CASE(what_follows_from_the_first_is_not_named_beside_it) {
    const Tensor x = zeros({2}).requires_grad_();
    const Tensor y = log(x);
    const auto found = find_non_finite((exp(-y) * y + (y - y) * x).sum()); // three ways on from one infinity
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->node == "LogBackward0", found->text);
    BOOST_TEST(found->others.empty(), found->text);
}
BOOST_AUTO_TEST_CASE(a_leaf_that_several_ops_read_is_named_once) {
    const Tensor x = full({2}, std::nan("")).requires_grad_(), v = zeros({2}).requires_grad_();
    const auto found = find_non_finite((x * 2 + exp(x) + sqrt(x) + log(v)).sum());
    BOOST_REQUIRE(found.has_value());
    BOOST_REQUIRE_EQUAL(found->others.size(), 1);
    BOOST_TEST((found->arrived != found->others[0].arrived), found->text); // the leaf, and the logarithm
    const Tensor none = zeros({1}).requires_grad_();
    Tensor sum = none.sum();
    for (int i = 0; i < 7; ++i) sum = sum + log(none * double(i)).sum();
    const auto many = find_non_finite(sum);
    BOOST_REQUIRE(many.has_value());
    BOOST_TEST(many->others.size() == 6);
    BOOST_TEST(contains(many->text, "\nand 2 more"), many->text);
}

BOOST_AUTO_TEST_CASE(a_leaf_that_is_not_finite_is_named_as_that) {
    const Tensor x = full({2}, std::nan("")).requires_grad_();
    const auto found = find_non_finite((x * 2).sum());
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->arrived);
    BOOST_TEST(found->forward);
    BOOST_TEST(found->node == "MulBackward0");
    BOOST_TEST(contains(found->text, "operand 0 of MulBackward0, a leaf of shape [2], holds NaN"), found->text);
}

BOOST_AUTO_TEST_CASE(ops_that_keep_nothing_are_named_together) {
    const Tensor x = ones({2}).requires_grad_();
    const auto found = find_non_finite((x + std::nan("")).neg().sum());
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->node == "AddBackward0");
    BOOST_TEST(contains(found->text, "forward made the first NaN in AddBackward0"), found->text);
    BOOST_TEST(contains(found->text, "or in SumBackward0"), found->text);
}

BOOST_AUTO_TEST_CASE(anomaly_mode_does_not_come_first) {
    const Tensor x = zeros({2}).requires_grad_();
    const autograd::DetectAnomalyGuard anomaly;
    const auto found = find_non_finite((sqrt(x) * 0.0).sum());
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->node == "SqrtBackward0");
    BOOST_TEST(!found->forward);
    BOOST_TEST(autograd::AnomalyMode::should_check_nan());
}

BOOST_AUTO_TEST_SUITE_END()
