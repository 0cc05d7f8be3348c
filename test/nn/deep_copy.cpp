// Deep copies as handles of the same kind.
#include <reel/nn/deep_copy.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;

BOOST_AUTO_TEST_SUITE(deep_copy)

BOOST_AUTO_TEST_CASE(has_the_handle_s_type_and_tensors_of_its_own) {
    nn::Linear net(2, 2);
    nn::Linear copy = nn::deep_copy(net);
    const Tensor x = randn({1, 2});
    BOOST_CHECK(equal(copy(x), net(x)));
    BOOST_CHECK(!copy->weight.is_same(net->weight));
    {
        NoGradGuard no_grad;
        net->weight.fill_(0);
    }
    BOOST_CHECK(!equal(copy(x), net(x)));
    const std::shared_ptr<nn::LinearImpl> pointer = nn::deep_copy(copy.ptr());
    BOOST_CHECK(equal(nn::call(*pointer, x), copy(x)));
    BOOST_TEST(has(message_of([] { nn::deep_copy(any_module({})); }), "derive from Cloneable"));
}

BOOST_AUTO_TEST_SUITE_END()
