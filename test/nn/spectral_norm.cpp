// Spectral normalisation under its older names; numbers are PyTorch 2.15's for the same seed.
#include <reel/nn/utils/spectral_norm.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;

namespace {
bool is(const Tensor& t, std::vector<double> numbers) {
    return allclose(t.detach().reshape({-1}).to(kDouble), tensor(numbers, kDouble), 1e-4, 2e-5);
}
} // namespace

BOOST_AUTO_TEST_SUITE(spectral_norm)

BOOST_AUTO_TEST_CASE(a_parameter_and_two_buffers_make_the_weight) {
    manual_seed(0);
    nn::Linear net = nn::utils::spectral_norm(nn::Linear(3, 2));
    const nn::StateDict state = net->state_dict();
    BOOST_TEST((state.keys() == std::vector<std::string>{"bias", "weight_orig", "weight_u", "weight_v"}));
    BOOST_TEST((*state.metadata)[""].find(std::string_view("spectral_norm"))->repr() == "{'weight.version': 1}");
    BOOST_CHECK(is(net->get_buffer("weight_u"), {-0.612787, -0.790248}));
    BOOST_CHECK(is(net->get_buffer("weight_v"), {0.343065, 0.712779, -0.611761}));
    BOOST_CHECK(is(net(arange(6.).view({2, 3})), {-1.704027, 0.688346, -3.049781, -3.214705}));
    const Tensor u = net->get_buffer("weight_u");
    BOOST_CHECK(is(u, {-0.600691, -0.799481}));
    net->eval();
    const Tensor x = randn({1, 3}), y = net(x), before = u.clone();
    BOOST_CHECK(equal(u, before));
    net->train();
    nn::utils::remove_spectral_norm(net);
    BOOST_CHECK(allclose(net(x), y));
    BOOST_TEST(net->buffers().empty());
    BOOST_TEST(nn::Parameter::is(net->weight));
}
BOOST_AUTO_TEST_CASE(errors) {
    nn::Linear net = nn::utils::spectral_norm(nn::Linear(3, 2));
    BOOST_TEST(has(message_of([&] { nn::utils::spectral_norm(net); }), "'weight' has a spectral_norm already"));
    BOOST_TEST(has(message_of<ValueError>([&] { nn::utils::spectral_norm(net, "bias", 0); }), "is 0; expected"));
    BOOST_TEST(message_of<ValueError>([&] { nn::utils::remove_spectral_norm(net, "bias"); }) ==
               "spectral_norm of 'bias' not found in Linear");
}

BOOST_AUTO_TEST_SUITE_END()
