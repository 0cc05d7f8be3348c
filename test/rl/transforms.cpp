// Transforms and TransformedEnv.
#include <reel/rl/envs/transforms/transformed_env.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"
#include "rl/counting_envs.hpp"

using namespace reel;
using namespace reel::rl;
using reel::testing::CountingEnv;
using reel::testing::GroupsEnv;
using reel::testing::message;
using Sizes = std::vector<std::int64_t>;
using Floats = std::vector<float>;

namespace {

Floats numbers(const Tensor& t) {
    const Tensor flat = t.to(kFloat).contiguous();
    return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}
NestedKey next(const char* name) { return NestedKey(name).under("next"); }
RolloutOptions on() { return RolloutOptions().break_when_any_done(false); }

/// Appends its name to a list whenever it is called; on inputs adds one to the action.
struct Recorder : Transform {
    Recorder(std::string id, std::vector<std::string>* log) : id(std::move(id)), log(log) {}
    std::string name() const override { return "Recorder"; }
    TensorDict call(TensorDict td) override {
        log->push_back(id);
        return td;
    }
    TensorDict inv_call(const TensorDict& td) override {
        log->push_back("inv " + id);
        return td.clone(false).set("action", reel::remainder(td["action"] + 1, 3));
    }
    std::string id;
    std::vector<std::string>* log;
};

} // namespace

BOOST_AUTO_TEST_SUITE(transforms)

BOOST_AUTO_TEST_CASE(EN_8_in_order_on_results_in_reverse_on_inputs) {
    std::vector<std::string> log;
    TransformedEnv env(CountingEnv(3), Recorder("a", &log), Compose(Recorder("b", &log), Recorder("c", &log)));
    env.append_transform(Recorder("d", &log));
    BOOST_TEST(env.transform().size() == 3u);
    TensorDict td = env.reset();
    BOOST_TEST(log == (std::vector<std::string>{"a", "b", "c", "d"}));
    log.clear();
    env.step(td.set("action", reel::tensor(std::int64_t(0))));
    BOOST_TEST(log == (std::vector<std::string>{"inv d", "inv c", "inv b", "inv a", "a", "b", "c", "d"}));
    BOOST_TEST(td["action"].item<int>() == 0); // the root keeps what the policy did
    check_env_specs(env);
}
BOOST_AUTO_TEST_CASE(EN_8_appending_extends_the_list_and_the_specs) {
    TransformedEnv env(CountingEnv(5), StepCounter());
    BOOST_TEST(!env.observation_spec().contains("episode_reward"));
    env.append_transform(RewardSum());
    BOOST_TEST(env.observation_spec().contains("episode_reward"));
    check_env_specs(env);
    TransformedEnv outer(std::make_shared<TransformedEnv>(std::move(env)), InitTracker());
    check_env_specs(outer);
    const TensorDict td = outer.rollout(7, {}, on());
    BOOST_TEST(numbers(td["is_init"]) == (Floats{1, 0, 0, 0, 0, 1, 0}));
    BOOST_TEST(numbers(td["step_count"]) == (Floats{0, 1, 2, 3, 4, 0, 1}));
}
BOOST_AUTO_TEST_CASE(a_transform_serves_one_environment) {
    const TransformPtr counter = std::make_shared<StepCounter>();
    TransformedEnv first(CountingEnv(3), counter);
    BOOST_TEST(message([&] { TransformedEnv second(CountingEnv(3), counter); }) ==
               "TransformedEnv: StepCounter transforms an environment already; give this one a transform of its own");
    BOOST_CHECK_THROW(TransformedEnv(EnvPtr(), std::vector<TransformPtr>()), ValueError);
    BOOST_CHECK_THROW(StepCounter().parent(), Error);
}

BOOST_AUTO_TEST_CASE(EN_6_counts_steps) {
    TransformedEnv env(CountingEnv(3, {2}), StepCounter());
    const TensorDict td = env.rollout(6, {}, on());
    BOOST_CHECK(td["step_count"].scalar_type() == kLong);
    BOOST_TEST(td["step_count"].sizes().vec() == (Sizes{2, 6, 1}));
    BOOST_TEST(numbers(td["step_count"][0]) == (Floats{0, 1, 2, 0, 1, 2}));
    BOOST_TEST(numbers(td[next("step_count")][0]) == (Floats{1, 2, 3, 1, 2, 3}));
    BOOST_TEST(numbers(td["step_count"][1]) == (Floats{0, 1, 2, 3, 0, 1}));
    // written from the root's count, whatever it is
    TensorDict root = env.reset().set("step_count", reel::tensor({{7}, {9}}));
    BOOST_TEST(numbers(env.rand_step(root)[next("step_count")]) == (Floats{8, 10}));
}
BOOST_AUTO_TEST_CASE(EN_6_max_steps) {
    TransformedEnv env(CountingEnv(3, {2}), StepCounter(2));
    TensorDict td = env.rollout(4, {}, on());
    BOOST_TEST(numbers(td[next("truncated")][0]) == (Floats{0, 1, 0, 1}));
    BOOST_TEST(numbers(td[next("done")][0]) == (Floats{0, 1, 0, 1}));
    BOOST_TEST(numbers(td[next("terminated")]) == Floats(8, 0));
    BOOST_TEST(numbers(td["observation"][0]) == (Floats{0, 1, 0, 1}));
    check_env_specs(env);
    // both at once
    td = TransformedEnv(CountingEnv(3), StepCounter(3)).rollout(9);
    BOOST_TEST(td.batch_size() == Sizes{3});
    BOOST_TEST(td[next("terminated")][2].item<bool>());
    BOOST_TEST(td[next("truncated")][2].item<bool>());
    // without update_done, "done" says nothing of it
    TransformedEnv quiet(CountingEnv(9), StepCounter(2, "truncated", "step_count", false));
    td = quiet.rollout(4, {}, on());
    BOOST_TEST(numbers(td[next("truncated")].select(1, 0)).at(1) == 1.0f);
    BOOST_TEST(numbers(td[next("done")].select(1, 0)).at(1) == 0.0f);
}
BOOST_AUTO_TEST_CASE(EN_6_a_rollout_ends_at_a_truncated_step_all_the_same) {
    TransformedEnv quiet(CountingEnv(9), StepCounter(2, "truncated", "step_count", false));
    BOOST_TEST(quiet.rollout(6).batch_size() == Sizes{2});
}
BOOST_AUTO_TEST_CASE(EN_6_bad_arguments) {
    BOOST_CHECK_THROW(StepCounter(0), ValueError);
    BOOST_CHECK_THROW(StepCounter(-3), ValueError);
    BOOST_TEST(message([] {
                   StepCounter(3, {"a", "truncated"});
               }) == "StepCounter: expected truncated_key to be a single name, got ('a', 'truncated')");
    BOOST_CHECK_THROW(StepCounter(3, "truncated", {"a", "count"}), ValueError);
}
BOOST_AUTO_TEST_CASE(EN_6_partial_resets_and_groups) {
    TransformedEnv env(CountingEnv(100, {3}), StepCounter());
    TensorDict td = env.reset();
    for (int i = 0; i < 4; ++i) td = env.step_mdp(env.rand_step(td));
    td = env.reset(td.set("_reset", reel::tensor({true, false, true})));
    BOOST_TEST(numbers(td["step_count"]) == (Floats{0, 4, 0}));
    TransformedEnv groups(GroupsEnv{}, StepCounter());
    check_env_specs(groups);
    const TensorDict two = groups.rollout(5, {}, on());
    BOOST_TEST((numbers(two[NestedKey{"left", "step_count"}][0]) == Floats{0, 1, 0, 1, 0}));
    BOOST_TEST((numbers(two[NestedKey{"right", "step_count"}][0]) == Floats{0, 1, 2, 0, 1}));
}

BOOST_AUTO_TEST_CASE(time_limit) {
    TransformedEnv env(CountingEnv(3, {2}), TimeLimit(4));
    BOOST_TEST(!env.observation_spec().contains("step_count"));
    const TensorDict td = env.rollout(9, {}, on());
    BOOST_TEST(numbers(td["observation"][0]) == (Floats{0, 1, 2, 0, 1, 2, 0, 1, 2}));
    BOOST_TEST(numbers(td["observation"][1]) == (Floats{0, 1, 2, 3, 0, 1, 2, 3, 0}));
    BOOST_TEST(numbers(td[next("truncated")][1]) == (Floats{0, 0, 0, 1, 0, 0, 0, 1, 0}));
    BOOST_TEST(numbers(td[next("truncated")][0]) == Floats(9, 0));
    TransformedEnv groups(GroupsEnv{}, TimeLimit(1));
    const TensorDict one = groups.rollout(1);
    BOOST_TEST((one[NestedKey{"next", "left", "truncated"}].all().item<bool>()));
    BOOST_TEST((one[NestedKey{"next", "right", "done"}].all().item<bool>()));
    BOOST_CHECK_THROW(TimeLimit(0), ValueError);
}

BOOST_AUTO_TEST_CASE(reward_sum) {
    TransformedEnv env(CountingEnv(3, {2}), RewardSum());
    const TensorDict td = env.rollout(5, {}, on());
    const Tensor sums = td[next("episode_reward")][0], roots = td["episode_reward"][0];
    const float expected[] = {0.1f, 0.3f, 0.6f, 0.1f, 0.3f};
    for (int t = 0; t < 5; ++t) BOOST_TEST(sums[t].item<float>() == expected[t], boost::test_tools::tolerance(1e-5f));
    BOOST_TEST(roots[3].item<float>() == 0.0f);
    check_env_specs(env);
    TransformedEnv named(CountingEnv(3), RewardSum({"reward"}, {{"log", "return"}}));
    BOOST_TEST((named.rollout(2).contains(NestedKey{"next", "log", "return"})));
    BOOST_CHECK_THROW(RewardSum({"reward"}, {"a", "b"}), ValueError);
    BOOST_CHECK_THROW(TransformedEnv(CountingEnv(3), RewardSum({"rewrad"})), KeyError);
    TransformedEnv groups(GroupsEnv{}, RewardSum());
    check_env_specs(groups);
    BOOST_TEST((groups.observation_spec().contains(NestedKey{"right", "episode_reward"})));
}

BOOST_AUTO_TEST_CASE(init_tracker) {
    TransformedEnv env(CountingEnv(2, {2}), InitTracker("first"));
    const TensorDict td = env.rollout(6, {}, on());
    BOOST_TEST(numbers(td["first"][0]) == (Floats{1, 0, 1, 0, 1, 0}));
    BOOST_TEST(numbers(td["first"][1]) == (Floats{1, 0, 0, 1, 0, 0}));
    BOOST_TEST(numbers(td[next("first")]) == Floats(12, 0));
    check_env_specs(env);
    BOOST_CHECK_THROW(TransformedEnv(CountingEnv(2), InitTracker("observation")), KeyError);
    BOOST_CHECK_THROW(InitTracker(""), ValueError);
}

BOOST_AUTO_TEST_CASE(observation_norm) {
    const Tensor loc = reel::tensor({1.0f}), scale = reel::tensor({2.0f});
    TransformedEnv scaled(CountingEnv(9), ObservationNorm(loc, scale));
    BOOST_TEST(numbers(scaled.rollout(3)["observation"]) == (Floats{1, 3, 5}));
    TransformedEnv normal(CountingEnv(9), ObservationNorm(loc, scale, {"observation"}, {"norm"}, true));
    const TensorDict td = normal.rollout(3);
    BOOST_TEST(numbers(td["norm"]) == (Floats{-0.5, 0, 0.5}));
    BOOST_TEST(numbers(td["observation"]) == (Floats{0, 1, 2}));
    check_env_specs(normal);

    CartPole cart(CartPoleOptions().batch_size({16}));
    TransformedEnv bounded(CartPole(), ObservationNorm(reel::zeros({4}), reel::tensor({-1.0f, 1.0f, 1.0f, 1.0f})));
    BOOST_TEST(bounded.observation_spec()["observation"].high()[0].item<float>() == 4.8f); // bounds changed places
    check_env_specs(bounded);
    // outside of an environment, and with gradients
    ObservationNorm alone(loc, scale);
    const Tensor x = reel::tensor({3.0f}).requires_grad_();
    const TensorDict out = alone.forward(TensorDict({{"observation", x}}, {}));
    out["observation"].backward();
    BOOST_TEST(x.grad().item<float>() == 2.0f);
    BOOST_CHECK_THROW(ObservationNorm(loc, Tensor()), ValueError);
}
BOOST_AUTO_TEST_CASE(observation_norm_measures) {
    for (const bool standard_normal : {false, true}) {
        CartPole cart(CartPoleOptions().batch_size({16}));
        cart.set_seed(0);
        ObservationNorm norm({}, {}, {"observation"}, {}, standard_normal);
        BOOST_TEST(message([&] {
                       norm.forward(TensorDict({{"observation", reel::zeros({4})}}, {}));
                   }) == "ObservationNorm: loc and scale are not known yet; give them to it, or call init_stats");
        norm.init_stats(cart, 50);
        BOOST_TEST(norm.loc().sizes().vec() == Sizes{4});
        BOOST_CHECK_THROW(norm.init_stats(cart, 50), Error);
        cart.set_seed(0);
        const TensorDict seen = norm.forward(cart.rollout(50, {}, on()));
        const Tensor flat = seen["observation"].reshape({-1, 4});
        BOOST_TEST(flat.mean({0}).abs().max().item<float>() < 1e-4f);
        BOOST_TEST((flat.std({0}) - 1).abs().max().item<float>() < 1e-4f);
    }
}

BOOST_AUTO_TEST_CASE(cat_frames) {
    TransformedEnv env(CountingEnv(3, {2}), CatFrames(3, -1));
    BOOST_TEST(env.observation_spec()["observation"].shape() == (Sizes{2, 3}));
    const TensorDict td = env.rollout(4, {}, on());
    BOOST_TEST(numbers(td["observation"][0]) == (Floats{0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0, 0}));
    BOOST_TEST(numbers(td[next("observation")][0]) == (Floats{0, 0, 1, 0, 1, 2, 1, 2, 3, 0, 0, 1}));
    BOOST_TEST(numbers(td["observation"][1]) == (Floats{0, 0, 0, 0, 0, 1, 0, 1, 2, 1, 2, 3}));
    check_env_specs(env);
    TransformedEnv padded(CountingEnv(3),
                          CatFrames(2, -1, {"observation"}, {"frames"}, CatFramesPadding::Constant, -7));
    const TensorDict two = padded.rollout(2);
    BOOST_TEST(numbers(two["frames"]) == (Floats{-7, 0, 0, 1}));
    BOOST_TEST(numbers(two["observation"]) == (Floats{0, 1}));
    check_env_specs(padded);
    TransformedEnv bounded(CartPole(), CatFrames(2, -1));
    BOOST_TEST(bounded.observation_spec()["observation"].high()[4].item<float>() == 4.8f);
    check_env_specs(bounded);
    BOOST_CHECK_THROW(CatFrames(0, -1), ValueError);
    BOOST_CHECK_THROW(CatFrames(2, 0), ValueError);
    BOOST_CHECK_THROW(TransformedEnv(CountingEnv(3, {2}), CatFrames(2, -2)), ValueError); // a dimension of the batch
    BOOST_CHECK_THROW(TransformedEnv(CountingEnv(3), CatFrames(2, -1, {"pixels"})), KeyError);
}

BOOST_AUTO_TEST_CASE(saved_states_go_on_alike) {
    const auto make = [] {
        return TransformedEnv(CartPole(CartPoleOptions().batch_size({3})), StepCounter(15), TimeLimit(11),
                              CatFrames(2, -1), RewardSum());
    };
    TransformedEnv env = make(), other = make();
    env.set_seed(2);
    TensorDict td = env.reset();
    const auto go = [](TransformedEnv& e, TensorDict root, int steps) {
        for (int i = 0; i < steps; ++i) root = e.step_and_maybe_reset(e.rand_action(root)).second;
        return root;
    };
    td = go(env, td, 8);
    const TensorDict saved = env.state_dict();
    other.load_state_dict(saved.clone());
    BOOST_CHECK(go(env, td.clone(), 40).equal(go(other, td.clone(), 40)));
    // what does not fit changes nothing
    TransformedEnv third = make();
    third.load_state_dict(saved.clone());
    TensorDict broken = saved.clone();
    broken.set({"base_env", "state"}, reel::zeros({1}));
    BOOST_CHECK_THROW(other.load_state_dict(broken), Error);
    const TensorDict before = third.state_dict();
    BOOST_CHECK_THROW(third.load_state_dict(broken), Error);
    BOOST_CHECK(third.state_dict().equal(before));
}

BOOST_AUTO_TEST_CASE(it_passes_on_what_the_environment_offers) {
    TransformedEnv env(GymEnv("CartPole-v1"), StepCounter());
    env.set_seed(0);
    env.reset();
    BOOST_TEST(env.render().sizes().vec() == (Sizes{200, 300, 3}));
    BOOST_TEST(env.name() == "CartPole");
    BOOST_CHECK(env.action_spec() == OneHot(2, std::nullopt, kLong));
    env.set_action_check(ActionCheck::Project);
    TensorDict td = env.reset().set("action", reel::tensor({0, 3}));
    env.step(td);
    BOOST_TEST(numbers(td["action"]) == (Floats{0, 1}));
    env.close();
    BOOST_CHECK(env.base_env()->is_closed());
    BOOST_CHECK_THROW(env.reset(), Error);
}

BOOST_AUTO_TEST_SUITE_END()
