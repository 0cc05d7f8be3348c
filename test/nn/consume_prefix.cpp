// State dicts of wrapped models, for the model itself.
#include <reel/nn/utils/consume_prefix.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;

namespace {
struct WrapperImpl : nn::Module {
    WrapperImpl() { module = register_module("module", nn::Sequential(nn::Linear(2, 2), nn::BatchNorm1d(2))); }
    nn::Sequential module{nullptr};
};
} // namespace

BOOST_AUTO_TEST_SUITE(consume_prefix)

BOOST_AUTO_TEST_CASE(the_state_of_a_wrapper_becomes_that_of_what_it_wraps) {
    WrapperImpl wrapper;
    nn::StateDict state = wrapper.state_dict();
    BOOST_TEST(state.keys()[0] == "module.0.weight");
    nn::utils::consume_prefix_in_state_dict_if_present(state, "module.");
    nn::Sequential net(nn::Linear(2, 2), nn::BatchNorm1d(2));
    const nn::StateDict own = net->state_dict();
    BOOST_TEST(state.keys() == own.keys());
    BOOST_TEST((*state.metadata)["1"].find(std::string_view("version"))->toInt() == 2);
    BOOST_TEST(!state.metadata->contains("module"));
    net->load_state_dict(state);
    BOOST_CHECK(equal(net->parameters()[0], wrapper.module->parameters()[0]));
    nn::utils::consume_prefix_in_state_dict_if_present(state, "module."); // not present
    BOOST_TEST(state.keys() == own.keys());
}

BOOST_AUTO_TEST_SUITE_END()
