// Whole branches left out at random.
#include <reel/nn/modules/stochastic_depth.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>
#include <reel/nn/factory.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

BOOST_AUTO_TEST_SUITE(stochastic_depth)

BOOST_AUTO_TEST_CASE(rows_stay_or_go_as_a_whole) {
    manual_seed(3);
    const Tensor y = nn::StochasticDepth(0.2, "row")(ones({4000, 2, 3})), per = y.sum({1, 2});
    BOOST_TEST(reel::logical_or(per == 0, reel::abs(per - 7.5) < 1e-5).all().item<bool>());
    const double kept = (per != 0).to(kFloat).mean().item<double>();
    BOOST_TEST(kept > 0.77);
    BOOST_TEST(kept < 0.83);
}
BOOST_AUTO_TEST_CASE(a_batch_stays_or_goes_as_a_whole) {
    manual_seed(3);
    nn::StochasticDepth m(0.5, "batch");
    int kept = 0;
    for (int i = 0; i < 200; ++i) {
        const double sum = m(ones({4, 2})).sum().item<double>();
        BOOST_TEST((sum == 0 || sum == 16));
        kept += sum != 0;
    }
    BOOST_TEST(kept > 70);
    BOOST_TEST(kept < 130);
}
BOOST_AUTO_TEST_CASE(draws_are_bernoullis) { // torchvision: torch.empty([N, 1]).bernoulli_(1 - p)
    manual_seed(9);
    const Tensor y = nn::StochasticDepth(0.4, "row")(ones({64, 3}));
    manual_seed(9);
    const Tensor b = empty({64, 1}).bernoulli_(0.6);
    BOOST_TEST(((y != 0) == (b != 0)).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(the_gradient_is_scaled_as_the_input) {
    const Tensor x = rand({50, 2}).requires_grad_(), y = nn::StochasticDepth(0.5, "row")(x);
    y.sum().backward();
    BOOST_TEST((x.grad() == (y != 0).to(kFloat) * 2).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(ends_of_the_range_and_evaluation) {
    const Tensor x = rand({5, 2}) + 1;
    BOOST_TEST(nn::StochasticDepth(0, "row")(x).is_same(x));
    BOOST_TEST(nn::StochasticDepth(1, "batch")(x).abs().sum().item<double>() == 0);
    nn::StochasticDepth m(0.5, "row");
    m->eval();
    BOOST_TEST(m(x).is_same(x));
}
BOOST_AUTO_TEST_CASE(printed_copied_and_made_by_name) { // M-29
    nn::StochasticDepth m(0.2, "batch");
    BOOST_TEST(m->repr() == "StochasticDepth(p=0.2, mode='batch')");
    BOOST_TEST(std::dynamic_pointer_cast<nn::StochasticDepthImpl>(m->clone())->options.mode() == "batch");
    BOOST_TEST(m->state_dict().size() == 0u);
    const auto made = nn::make_module("StochasticDepth", {}, {{"p", 0.3}, {"mode", "row"}});
    BOOST_TEST(made->repr() == "StochasticDepth(p=0.3, mode='row')");
}
BOOST_AUTO_TEST_CASE(refusals) {
    BOOST_TEST(message([] { nn::StochasticDepth(1.5, "row"); }) ==
               "StochasticDepth: p is 1.5; expected a probability between 0 and 1");
    BOOST_TEST(message([] { nn::StochasticDepth(0.5, "column"); }) ==
               "StochasticDepth: mode is 'column'; expected 'row' or 'batch'");
    BOOST_TEST(message([] {
                   nn::StochasticDepth(0.5, "row")(ones({}));
               }).find("input has no dimensions; mode 'row' expects a batch of examples [N, ...]") !=
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
