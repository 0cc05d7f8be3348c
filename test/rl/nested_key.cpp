// Names of entries.
#include <reel/rl/nested_key.hpp>

#include <message.hpp>

using reel::rl::NestedKey;

BOOST_AUTO_TEST_SUITE(nested_key)

BOOST_AUTO_TEST_CASE(parts_and_text) {
    const NestedKey reward = "reward", next{"next", "reward"};
    BOOST_TEST(reward.size() == 1u);
    BOOST_TEST(next.size() == 2u);
    BOOST_TEST(reward.str() == "'reward'");
    BOOST_TEST(next.str() == "('next', 'reward')");
    BOOST_CHECK(reward.under("next") == next);
    BOOST_CHECK(next.tail() == reward);
    BOOST_CHECK(next.with_back("done") == NestedKey({"next", "done"}));
    BOOST_CHECK(reward != next);
}

BOOST_AUTO_TEST_CASE(empty_names_are_refused) {
    BOOST_CHECK_THROW(NestedKey(""), reel::KeyError);
    BOOST_CHECK_THROW(NestedKey(std::vector<std::string>()), reel::KeyError);
    BOOST_CHECK_THROW((NestedKey{"next", ""}), reel::KeyError);
    BOOST_CHECK_THROW(NestedKey("reward").tail(), reel::KeyError);
}

BOOST_AUTO_TEST_SUITE_END()
