// CartPole.
#include <reel/rl/envs/classic_control/cart_pole.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"
#include "rl/trajectories.hpp"
#include "warnings.hpp"

using namespace reel;
using namespace reel::rl;
using reel::testing::message;
using reel::testing::replay;
using reel::testing::Replayed;

namespace {

Tensor state_of(const std::vector<double>& numbers) { return reel::tensor(numbers, TensorOptions(kDouble)); }
Tensor push(std::int64_t direction) { return reel::one_hot(reel::tensor(direction), 2); }
/// The result of one push from a state.
TensorDict pushed(CartPole& env, const Tensor& state, std::int64_t direction) {
    return env.step(env.reset_to(state).set("action", push(direction))).dict("next");
}
void check_replay(const std::string& file, CartPole env, std::int64_t steps) {
    const Replayed result = replay(file, env);
    BOOST_TEST(result.steps == steps);
    BOOST_TEST(result.ends > 0);
    BOOST_TEST(result.worst_observation <= 1);
    BOOST_TEST(result.worst_reward == 0);
    BOOST_TEST(result.wrong_flags == 0);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cart_pole)

BOOST_AUTO_TEST_CASE(EN_3_EN_4_trajectories_of_gymnasium) {
    reel::testing::Warnings warnings;
    check_replay("cart_pole", CartPole(), 200);
    check_replay("cart_pole_sutton_barto", CartPole(CartPoleOptions().sutton_barto_reward(true)), 40);
    check_replay("cart_pole_semi_implicit",
                 CartPole(CartPoleOptions().kinematics_integrator(KinematicsIntegrator::SemiImplicitEuler)), 60);
}

BOOST_AUTO_TEST_CASE(EN_3_one_step_by_hand) {
    CartPole env;
    const double x = 0.1, v = -0.2, theta = 0.03, w = 0.4, M = 1.1, p = 0.05;
    const TensorDict next = pushed(env, state_of({x, v, theta, w}), 1);
    const double temp = (10 + p * w * w * std::sin(theta)) / M;
    const double angular = (9.8 * std::sin(theta) - std::cos(theta) * temp) /
                           (0.5 * (4.0 / 3 - 0.1 * std::cos(theta) * std::cos(theta) / M));
    const double linear = temp - p * angular * std::cos(theta) / M;
    const double expected[] = {x + 0.02 * v, v + 0.02 * linear, theta + 0.02 * w, w + 0.02 * angular};
    const Tensor seen = next["observation"];
    for (int i = 0; i < 4; ++i) {
        BOOST_TEST(reel::testing::ulps(seen.data_ptr<float>()[i], float(expected[i])) <= 1);
        BOOST_TEST(std::abs(env.state().data_ptr<double>()[i] - expected[i]) < 1e-15); // float64 inside
    }
    BOOST_TEST(next["reward"].item<float>() == 1.0f);
}

BOOST_AUTO_TEST_CASE(EN_3_limits_are_strict) {
    CartPole env;
    const double still = 0.0, limit = 12 * 2 * M_PI / 360;
    const auto ended = [&](double x, double theta) {
        return pushed(env, state_of({x, still, theta, still}), 0)["terminated"].item<bool>();
    };
    BOOST_TEST(!ended(2.4, 0.0)); // positions advance by the old rates, which are zero
    BOOST_TEST(ended(std::nextafter(2.4, 3.0), 0.0));
    BOOST_TEST(ended(-2.5, 0.0));
    BOOST_TEST(!ended(0.0, limit));
    BOOST_TEST(ended(0.0, std::nextafter(limit, 1.0)));
    BOOST_TEST(ended(0.0, -0.3));
}

BOOST_AUTO_TEST_CASE(EN_3_steps_after_the_end) {
    for (const bool sutton : {false, true}) {
        reel::testing::Warnings warnings;
        CartPole env(CartPoleOptions().sutton_barto_reward(sutton));
        TensorDict td = env.reset_to(state_of({2.39, 3.0, 0.0, 0.0})).set("action", push(0));
        const auto reward = [&] { return env.step(td)[NestedKey{"next", "reward"}].item<float>(); };
        BOOST_TEST(reward() == (sutton ? -1.0f : 1.0f)); // the terminating step
        BOOST_TEST(warnings.texts.size() == 0u);
        BOOST_TEST(reward() == (sutton ? -1.0f : 0.0f));
        BOOST_TEST(td[NestedKey({"next", "terminated"})].item<bool>());
        BOOST_TEST(reward() == (sutton ? -1.0f : 0.0f));
        BOOST_REQUIRE(warnings.texts.size() == 1u); // at the first such step only
        BOOST_TEST(warnings.texts[0].find("had terminated before this step") != std::string::npos);
        bool back = false;
        for (int i = 0; i < 200 && !back; ++i) {
            const float r = reward();
            back = !td[NestedKey({"next", "terminated"})].item<bool>();
            if (back) BOOST_TEST(r == (sutton ? 0.0f : 1.0f));
        }
        BOOST_TEST(warnings.texts.size() == 1u);
    }
}

BOOST_AUTO_TEST_CASE(EN_3_back_in_bounds_counts_again) {
    reel::testing::Warnings warnings;
    CartPole env;
    TensorDict td = env.reset_to(state_of({2.41, -1.5, 0.0, 0.0})).set("action", push(0));
    env.step(td); // 2.38: in bounds, never ended
    BOOST_TEST(!td[NestedKey({"next", "terminated"})].item<bool>());
    td = env.reset_to(state_of({2.45, -1.5, 0.0, 0.0})).set("action", push(0));
    env.step(td); // 2.42
    BOOST_TEST(td[NestedKey({"next", "terminated"})].item<bool>());
    env.step(td); // about 2.386
    BOOST_TEST(!td[NestedKey({"next", "terminated"})].item<bool>());
    BOOST_TEST(td[NestedKey({"next", "reward"})].item<float>() == 1.0f);
    BOOST_TEST(warnings.texts.empty());
}

BOOST_AUTO_TEST_CASE(EN_3_resets_and_specs) {
    CartPole env(CartPoleOptions().batch_size({1000}));
    env.set_seed(3);
    env.reset();
    const Tensor state = env.state();
    BOOST_TEST(state.abs().max().item<double>() <= 0.05);
    BOOST_TEST(state.min().item<double>() < -0.049);
    BOOST_TEST(state.max().item<double>() > 0.049);
    BOOST_TEST(std::abs(state.mean().item<double>()) < 0.002);
    const TensorSpec spec = CartPole().observation_spec()["observation"];
    const float inf = std::numeric_limits<float>::infinity();
    const float angle = float(24 * 2 * M_PI / 360);
    BOOST_CHECK(reel::equal(spec.high(), reel::tensor({4.8f, inf, angle, inf})));
    BOOST_CHECK(reel::equal(spec.low(), reel::tensor({-4.8f, -inf, -angle, -inf})));
    BOOST_CHECK(spec.dtype() == kFloat);
}

BOOST_AUTO_TEST_CASE(EN_5_actions_are_one_hot_or_numbers) {
    CartPole one_hot, categorical(CartPoleOptions().categorical_action_encoding(true));
    BOOST_CHECK(one_hot.action_spec() == OneHot(2, std::nullopt, kLong));
    BOOST_TEST(one_hot.action_spec().shape() == std::vector<std::int64_t>{2});
    BOOST_CHECK(categorical.action_spec() == Categorical(2));
    const Tensor state = state_of({0.1, 0.2, 0.01, -0.3});
    for (const std::int64_t direction : {0, 1}) {
        const TensorDict a = pushed(one_hot, state, direction);
        const TensorDict b =
            categorical.step(categorical.reset_to(state).set("action", reel::tensor(direction))).dict("next");
        BOOST_CHECK(a.equal(b));
    }
}

BOOST_AUTO_TEST_CASE(EN_3_truncated_at_the_limit) {
    CartPole env(CartPoleOptions().max_episode_steps(3).batch_size({2}));
    TensorDict td = env.reset_to(state_of({0.0, 0.0, 0.0, 0.0}));
    for (int step = 1; step <= 3; ++step) {
        td = env.step_mdp(env.step(td.set("action", reel::stack({push(step % 2), push(1 - step % 2)}))));
        BOOST_TEST(td["truncated"].all().item<bool>() == (step == 3));
        BOOST_TEST(td["done"].all().item<bool>() == (step == 3));
        BOOST_TEST(!td["terminated"].any().item<bool>());
    }
    BOOST_CHECK_THROW(CartPole(CartPoleOptions().max_episode_steps(0)), ValueError);
}

BOOST_AUTO_TEST_CASE(a_batch_steps_as_its_environments_alone) {
    reel::testing::Warnings warnings;
    CartPole batch(CartPoleOptions().batch_size({2, 3}));
    batch.set_seed(1);
    TensorDict td = batch.rand_action(batch.reset());
    const Tensor states = batch.state().reshape({6, 4}), actions = td["action"].reshape({6, 2});
    const TensorDict next = batch.step(td).dict("next");
    BOOST_TEST(next.batch_size() == (std::vector<std::int64_t>{2, 3}));
    for (std::int64_t i = 0; i < 6; ++i) {
        CartPole alone;
        const TensorDict one = alone.step(alone.reset_to(states[i]).set("action", actions[i])).dict("next");
        BOOST_CHECK(one.equal(next[i / 3][i % 3]));
    }
}

BOOST_AUTO_TEST_CASE(states_that_cannot_be_set) {
    CartPole env(CartPoleOptions().batch_size({2}));
    BOOST_TEST(message([&] { env.set_state(reel::zeros({3})); }) ==
               "CartPole.set_state: expected sizes [2, 4] or [4], got [3]");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(message([&] {
                   env.set_state(state_of({0.0, 0.0, nan, 0.0}));
               }).find("element 2 of environment 0") != std::string::npos);
    BOOST_TEST(message([&] {
                   env.step(TensorDict({{"action", reel::stack({push(0), push(1)})}}, {2}));
               }) == "CartPole.step: expected a reset before the first step");
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on_alike) {
    CartPole env(CartPoleOptions().batch_size({4}).max_episode_steps(9));
    env.set_seed(5);
    TensorDict td = env.reset();
    const auto go = [](CartPole& e, TensorDict root, int steps) {
        for (int i = 0; i < steps; ++i) root = e.step_and_maybe_reset(e.rand_action(root)).second;
        return root;
    };
    td = go(env, td, 7);
    const TensorDict saved = env.state_dict();
    CartPole other(CartPoleOptions().batch_size({4}).max_episode_steps(9));
    other.load_state_dict(saved.clone());
    BOOST_CHECK(go(env, td.clone(), 30).equal(go(other, td.clone(), 30)));
    CartPole small;
    BOOST_CHECK_THROW(small.load_state_dict(saved), Error);
    BOOST_CHECK_THROW(other.load_state_dict(saved.exclude({"fallen"})), KeyError);
}

BOOST_AUTO_TEST_SUITE_END()
