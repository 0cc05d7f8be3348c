// Factories called with sizes outside of braces do not compile, and say why (test/messages has the sentence).
#include <reel/autograd/sizes_in_braces.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(sizes_in_braces)

BOOST_AUTO_TEST_CASE(what_is_right_means_what_it_did) {
    BOOST_TEST(zeros(3).sizes() == IntArrayRef({3}));
    BOOST_TEST(zeros({3, 4}).sizes() == IntArrayRef({3, 4}));
    BOOST_TEST((ones(3, kDouble).scalar_type() == kDouble));
    BOOST_TEST((rand({2}, kDouble).scalar_type() == kDouble));
    BOOST_TEST(full(2, 3).sizes() == IntArrayRef({2}));
    BOOST_TEST(randn({2, 0}).numel() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
