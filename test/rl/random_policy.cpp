// RandomPolicy (EN-7).
#include <reel/rl/modules/random_policy.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"
#include <reel/autograd.hpp>
#include <reel/rl.hpp>

using namespace reel;
using namespace reel::rl;

BOOST_AUTO_TEST_SUITE(random_policy)

BOOST_AUTO_TEST_CASE(EN_7_writes_a_draw) {
    const OneHot spec(4, std::vector<std::int64_t>{3, 4}, kLong);
    TensorDict td({3});
    const TensorDict result = RandomPolicy(spec)(td);
    BOOST_TEST(result.is(td));
    BOOST_TEST(spec.is_in(td["action"]));
    RandomPolicy(spec, {"agent", "choice"})(td);
    BOOST_TEST(spec.is_in((td[NestedKey{"agent", "choice"}])));
    const Composite several({{"a", Bounded(0, 1, {3, 2})}, {{"n", "b"}, Categorical(2, {3})}}, {3});
    BOOST_TEST(several.is_in(RandomPolicy(several)(TensorDict({3}))));
}
BOOST_AUTO_TEST_CASE(EN_7_before_a_spec_is_known) {
    RandomPolicy policy;
    BOOST_TEST(!policy.has_action_spec());
    BOOST_TEST(reel::testing::message([&] {
                   policy(TensorDict());
               }).find("RandomPolicy: called before its action spec is known") == 0u);
    policy.set_action_spec(Categorical(2));
    BOOST_TEST(policy.has_action_spec());
    BOOST_TEST(Categorical(2).is_in(policy(TensorDict())["action"]));
    BOOST_CHECK_THROW(RandomPolicy{TensorSpec()}, Error);
}
BOOST_AUTO_TEST_CASE(a_generator_of_its_own) {
    RandomPolicy a(Unbounded({8})), b(Unbounded({8}));
    Generator ga{Device(kCPU)}, gb{Device(kCPU)};
    ga.manual_seed(1);
    gb.manual_seed(1);
    a.set_generator(ga);
    b.set_generator(gb);
    BOOST_TEST(reel::equal(a(TensorDict())["action"], b(TensorDict())["action"]));
}
BOOST_AUTO_TEST_CASE(it_is_a_policy) {
    Acrobot env;
    const TensorDict td = env.rollout(5, RandomPolicy(env.action_spec()));
    BOOST_TEST(td.batch_size(0) == 5);
    BOOST_TEST(env.action_spec().is_in(td["action"]));
}

BOOST_AUTO_TEST_SUITE_END()
