// Anomaly mode (rule E-52).
#include <reel/autograd/anomaly.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using namespace reel::autograd;

namespace {
Tensor leaf(double value) { return full({1}, value, kDouble).requires_grad_(); }
auto says(std::string text) {
    return [text = std::move(text)](const Error& e) { return std::string(e.what()).find(text) != std::string::npos; };
}
struct Fails : Function<Fails> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1.0; }
    static variable_list backward(AutogradContext*, variable_list) { throw ValueError("mine"); }
};
struct FailsWithAnything : Function<FailsWithAnything> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1.0; }
    static variable_list backward(AutogradContext*, variable_list) { throw std::logic_error("odd"); }
};
struct Collect : WarningHandler {
    std::string text;
    void process(const Warning& w) override { text += w.msg() + '\n'; }
};
} // namespace

/// With external linkage and not inlined, so that it has a frame with a name.
[[gnu::noinline]] Tensor place_of_the_forward_op(const Tensor& x) { return sqrt(x * 0.0) * 0.0; }

BOOST_AUTO_TEST_SUITE(anomaly)

BOOST_AUTO_TEST_CASE(switches_and_nesting) {
    BOOST_TEST(!AnomalyMode::is_enabled());
    {
        const DetectAnomalyGuard outer(false);
        BOOST_TEST(AnomalyMode::is_enabled());
        BOOST_TEST(!AnomalyMode::should_check_nan());
        {
            const DetectAnomalyGuard inner;
            BOOST_TEST(AnomalyMode::should_check_nan());
        }
        BOOST_TEST(!AnomalyMode::should_check_nan());
    }
    BOOST_TEST(!AnomalyMode::is_enabled());
}

BOOST_AUTO_TEST_CASE(E52_nan_names_node_output_and_the_forward_call) {
    const DetectAnomalyGuard guard;
    const Tensor y = place_of_the_forward_op(leaf(1));
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("SqrtBackward0 returned NaN in its result 0"));
    const Tensor z = place_of_the_forward_op(leaf(1));
    BOOST_CHECK_EXCEPTION(z.backward(), Error, says("called by place_of_the_forward_op"));
}

BOOST_AUTO_TEST_CASE(E52_without_check_nan_only_traces) {
    const DetectAnomalyGuard guard(false);
    const Tensor x = leaf(1), y = place_of_the_forward_op(x);
    BOOST_CHECK_NO_THROW(y.backward());
    BOOST_TEST(std::isnan(x.grad().item<double>()));
}

BOOST_AUTO_TEST_CASE(E52_an_error_keeps_its_type_and_gains_the_trace) {
    const DetectAnomalyGuard guard;
    BOOST_CHECK_EXCEPTION(Fails::apply(leaf(1)).backward(), ValueError,
                          says("FailsBackward: the forward operation was"));
    Collect warnings;
    const WarningUtils::WarningHandlerGuard handler(&warnings);
    BOOST_CHECK_THROW(FailsWithAnything::apply(leaf(1)).backward(), std::logic_error);
    BOOST_TEST(warnings.text.find("FailsWithAnythingBackward: the forward operation was") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(E52_the_parent_is_the_node_being_evaluated) { // E-52
    const DetectAnomalyGuard guard;
    const Tensor x = leaf(4), y = sqrt(x);
    // The second derivative fails in a node that was made while SqrtBackward0 was evaluated.
    const Tensor g = grad({y}, {x}, {}, true, true)[0];
    g.grad_fn()->register_posthook([](const variable_list& r, const variable_list&) -> std::optional<variable_list> {
        variable_list bad = r;
        for (Tensor& t : bad)
            if (t.defined()) t = t * std::numeric_limits<double>::quiet_NaN();
        return bad;
    });
    BOOST_CHECK_EXCEPTION(g.backward(), Error, says("it was made while evaluating SqrtBackward0"));
}

BOOST_AUTO_TEST_CASE(E52_leaving_a_scope_restores_the_outer_state_after_an_error) { // E-52
    const DetectAnomalyGuard outer(false);
    try {
        const DetectAnomalyGuard inner(true);
        throw 1;
    } catch (int) {
    }
    BOOST_TEST(AnomalyMode::is_enabled());
    BOOST_TEST(!AnomalyMode::should_check_nan());
}

BOOST_AUTO_TEST_CASE(nodes_made_outside_carry_nothing) {
    const Tensor y = leaf(1) * 2.0;
    BOOST_TEST(y.grad_fn()->creation_trace().empty());
}

BOOST_AUTO_TEST_SUITE_END()
