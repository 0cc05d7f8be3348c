// jit::freeze and optimize_for_inference: copies of script modules that record nothing.
#include <reel/script/freeze.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

namespace {
jit::Module scaled() {
    const jit::Module m("Scaled");
    m.register_parameter("weight", full({2}, 3.0).requires_grad_(), false);
    m.register_buffer("shift", ones({2}));
    m.define("def forward(self, x):\n    return x * self.weight + self.shift\n"
             "def twice(self, x):\n    return self.forward(self.forward(x))\n");
    return m;
}
} // namespace

BOOST_AUTO_TEST_SUITE(script_freeze)

BOOST_AUTO_TEST_CASE(a_frozen_copy_is_apart_and_records_nothing) {
    const jit::Module m = scaled();
    m.eval();
    const jit::Module frozen = jit::freeze(m);
    const Tensor x = full({2}, 2.0);
    BOOST_TEST(equal(frozen.forward({x}).toTensor(), full({2}, 7.0)));
    BOOST_TEST((m.forward({x}).toTensor().requires_grad() && !frozen.forward({x}).toTensor().requires_grad()));
    m.setattr("shift", zeros({2}));
    BOOST_TEST(equal(m.forward({x}).toTensor().detach(), full({2}, 6.0)));
    BOOST_TEST(equal(frozen.forward({x}).toTensor(), full({2}, 7.0)));
    BOOST_TEST(equal(jit::optimize_for_inference(m, {"twice"}).run_method("twice", x).toTensor(), full({2}, 18.0)));
}
BOOST_AUTO_TEST_CASE(what_is_training_or_not_there_is_refused) {
    const jit::Module m = scaled();
    BOOST_TEST(message([&] { jit::freeze(m); }) ==
               "freeze: Scaled is in training mode; expected eval mode: call .eval() before");
    m.eval();
    BOOST_TEST(message([&] {
                   jit::freeze(m, std::vector<std::string>{"shift", "none"});
               }) == "freeze: Scaled has no attribute or method 'none' to preserve");
    BOOST_TEST((message([&] { jit::optimize_for_inference(m, {"thrice"}); }).find("thrice") != std::string::npos));
    BOOST_TEST(jit::getGraphExecutorOptimize());
    jit::setGraphExecutorOptimize(false);
    BOOST_TEST(!jit::getGraphExecutorOptimize());
    jit::setGraphExecutorOptimize(true);
}

BOOST_AUTO_TEST_SUITE_END()
