// From one step to the next (EN-10); the expected entries are those of torchrl's function of that name.
#include <reel/rl/envs/step_mdp.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"
#include <reel/autograd.hpp>

using namespace reel;
using namespace reel::rl;

namespace {

Tensor number(int v) { return reel::full({1}, v); }
TensorDict step_of_time_t() {
    const TensorDict next({{"obs", number(10)},
                           {"reward", number(11)},
                           {"done", number(12)},
                           {"terminated", number(13)},
                           {"agents", TensorDict({{"obs", number(14)}, {"reward", number(15)}}, {})},
                           {"empty", TensorDict()},
                           {"next", TensorDict({{"obs", number(16)}}, {})},
                           {"r2", TensorDict({{"reward", number(17)}}, {})}},
                          {});
    return TensorDict({{"obs", number(0)},
                       {"action", number(1)},
                       {"reward", number(2)},
                       {"done", number(3)},
                       {"extra", number(4)},
                       {"agents", TensorDict({{"action", number(5)}, {"obs", number(6)}, {"hidden", number(7)}}, {})},
                       {"only", TensorDict({{"reward", number(20)}}, {})},
                       {"next", next}},
                      {});
}
/// "obs=10 agents/obs=14", in order.
std::string leaves(const TensorDict& td) {
    std::string text;
    for (const NestedKey& key : td.keys(true, true)) {
        text += text.empty() ? "" : " ";
        for (std::size_t i = 0; i < key.size(); ++i) text += (i ? "/" : "") + key.path()[i];
        text += "=" + std::to_string(td[key].item<int>());
    }
    return text;
}
std::string moved(const StepMdpOptions& options) { return leaves(step_mdp(step_of_time_t(), std::nullopt, options)); }
const NestedKey agents_action{"agents", "action"}, agents_reward{"agents", "reward"};

} // namespace

BOOST_AUTO_TEST_SUITE(step_mdp_suite)

BOOST_AUTO_TEST_CASE(EN_10_root_entries_then_next) {
    BOOST_TEST(moved({}) == "obs=10 done=12 extra=4 agents/action=5 agents/obs=14 agents/hidden=7 agents/reward=15 "
                            "only/reward=20 terminated=13 next/obs=16 r2/reward=17");
    BOOST_TEST(moved(StepMdpOptions().keep_other(false)) ==
               "obs=10 done=12 terminated=13 agents/obs=14 agents/reward=15 next/obs=16 r2/reward=17");
}
BOOST_AUTO_TEST_CASE(EN_10_what_is_excluded) {
    BOOST_TEST(moved(StepMdpOptions().exclude_done(true)) ==
               "obs=10 extra=4 agents/action=5 agents/obs=14 agents/hidden=7 agents/reward=15 only/reward=20 "
               "terminated=13 next/obs=16 r2/reward=17");
    BOOST_TEST(moved(StepMdpOptions().exclude_reward(false).exclude_action(false)) ==
               "obs=10 action=1 reward=11 done=12 extra=4 agents/action=5 agents/obs=14 agents/hidden=7 "
               "agents/reward=15 only/reward=20 terminated=13 next/obs=16 r2/reward=17");
    BOOST_TEST(moved(StepMdpOptions().keep_other(false).exclude_action(false)) ==
               "action=1 obs=10 done=12 terminated=13 agents/obs=14 agents/reward=15 next/obs=16 r2/reward=17");
}
BOOST_AUTO_TEST_CASE(EN_10_nested_keys) {
    StepMdpOptions options;
    options.action_keys({"action", agents_action});
    BOOST_TEST(moved(StepMdpOptions(options).keep_other(false).exclude_action(false)) ==
               "action=1 agents/action=5 agents/obs=14 agents/reward=15 obs=10 done=12 terminated=13 next/obs=16 "
               "r2/reward=17");
    options.reward_keys({"reward", agents_reward, {"r2", "reward"}, {"only", "reward"}});
    const TensorDict result = step_mdp(step_of_time_t(), std::nullopt, options);
    BOOST_TEST(leaves(result) == "obs=10 done=12 extra=4 agents/obs=14 agents/hidden=7 terminated=13 next/obs=16");
    BOOST_TEST(!result.contains("r2")); // left empty, not made
    BOOST_TEST(!result.contains("only"));
    BOOST_TEST(!result.contains("empty"));
}
BOOST_AUTO_TEST_CASE(EN_10_leaves_are_shared_and_the_input_unchanged) {
    const TensorDict td = step_of_time_t(), before = td.clone();
    TensorDict result = step_mdp(td);
    BOOST_TEST(result["obs"].is_same(td[NestedKey({"next", "obs"})]));
    BOOST_TEST(result[NestedKey({"agents", "hidden"})].is_same(td[NestedKey({"agents", "hidden"})]));
    result.set({"agents", "more"}, number(9)).set({"next", "more"}, number(9)).set({"only", "more"}, number(9));
    BOOST_CHECK(td.equal(before)); // their containers are new
}
BOOST_AUTO_TEST_CASE(EN_10_a_given_dictionary_is_updated) {
    TensorDict mine({{"obs", number(99)}, {"mine", number(0)}}, {});
    const TensorDict result = step_mdp(step_of_time_t(), mine);
    BOOST_TEST(result.is(mine));
    BOOST_TEST(leaves(mine) ==
               "obs=10 mine=0 done=12 extra=4 agents/action=5 agents/obs=14 agents/hidden=7 agents/reward=15 "
               "only/reward=20 terminated=13 next/obs=16 r2/reward=17");
}
BOOST_AUTO_TEST_CASE(EN_10_without_next) {
    BOOST_CHECK_THROW(step_mdp(TensorDict({{"obs", number(0)}}, {})), KeyError);
}

BOOST_AUTO_TEST_SUITE_END()
