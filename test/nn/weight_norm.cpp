// Weight normalisation under its older names.
#include <reel/nn/utils/weight_norm.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;

BOOST_AUTO_TEST_SUITE(weight_norm)

BOOST_AUTO_TEST_CASE(two_parameters_make_the_weight) {
    nn::Linear net(3, 2);
    const Tensor w = net->weight.detach().clone();
    nn::utils::weight_norm(net);
    BOOST_TEST((net->named_parameters().keys() == std::vector<std::string>{"bias", "weight_g", "weight_v"}));
    BOOST_CHECK(allclose(net->weight, w));
    const Tensor g = net->get_parameter("weight_g"), x = randn({2, 3});
    BOOST_TEST(g.sizes() == IntArrayRef({2, 1}));
    const Tensor without_bias = net(x) - net->bias;
    {
        NoGradGuard no_grad;
        g.mul_(3);
    }
    const Tensor y = net(x) - net->bias;
    BOOST_CHECK(allclose(y, 3 * without_bias, 1e-4, 1e-5));
    y.sum().backward();
    BOOST_TEST(g.grad().defined());
    BOOST_TEST(has(message_of([&] { nn::utils::weight_norm(net); }), "'weight' has a weight_norm already"));
    nn::utils::remove_weight_norm(net);
    BOOST_CHECK(allclose(net->weight, 3 * w));
    BOOST_TEST((net->named_parameters().keys() == std::vector<std::string>{"bias", "weight"}));
    BOOST_TEST(message_of<ValueError>([&] { nn::utils::remove_weight_norm(net); }) ==
               "weight_norm of 'weight' not found in Linear");
}
BOOST_AUTO_TEST_CASE(recurrent_layers_and_own_modules) {
    nn::LSTM lstm(2, 3);
    const Tensor x = randn({4, 1, 2}), y = std::get<0>(lstm(x));
    nn::utils::weight_norm(lstm, "weight_hh_l0");
    BOOST_CHECK(allclose(std::get<0>(lstm(x)), y, 1e-4, 1e-6));
    Scale own(-3.);
    nn::utils::weight_norm(own, "w", std::nullopt);
    BOOST_TEST(number(own->named_parameters()["w_g"]) == 3.);
    BOOST_TEST(number(own(leaf(2))) == -6.);
}

BOOST_AUTO_TEST_SUITE_END()
