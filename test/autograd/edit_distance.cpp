#include <reel/autograd/detail/edit_distance.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/op.hpp>

using namespace reel;
using reel::detail::edit_distance;

BOOST_AUTO_TEST_SUITE(edit_distances)

BOOST_AUTO_TEST_CASE(insertions_deletions_replacements_and_swaps_count_one) {
    BOOST_TEST(edit_distance("relu", "relu") == 0);
    BOOST_TEST(edit_distance("relu", "relu6") == 1);
    BOOST_TEST(edit_distance("relu6", "relu") == 1);
    BOOST_TEST(edit_distance("gelu", "relu") == 1);
    BOOST_TEST(edit_distance("rleu", "relu") == 1);
    BOOST_TEST(edit_distance("kitten", "sitting") == 3);
    BOOST_TEST(edit_distance("", "abc") == 3);
    BOOST_TEST(edit_distance("abc", "") == 3);
    BOOST_TEST(edit_distance("", "") == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_op_is_told_the_near_ones) {
    BOOST_CHECK_EXCEPTION(ops::registry().at("sofmtax"), KeyError,
                          [](const Error& e) { return e.msg().find("did you mean: softmax") != std::string::npos; });
}

BOOST_AUTO_TEST_SUITE_END()
