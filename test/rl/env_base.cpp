// EnvBase: layout of steps, rollouts, partial resets, seeds, bad input.
#include <reel/rl/envs/env_base.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"
#include "rl/counting_envs.hpp"

using namespace reel;
using namespace reel::rl;
using reel::testing::CountingEnv;
using reel::testing::GroupsEnv;
using reel::testing::message;
using Sizes = std::vector<std::int64_t>;

namespace {

std::vector<float> numbers(const Tensor& t) {
    const Tensor flat = t.to(kFloat).contiguous();
    return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}
NestedKey next(const char* name) { return NestedKey(name).under("next"); }
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

} // namespace

BOOST_AUTO_TEST_SUITE(env_base)

BOOST_AUTO_TEST_CASE(EN_1_layout_of_a_step) {
    CountingEnv env(3);
    TensorDict td = env.reset();
    BOOST_CHECK(td.keys() == (std::vector<NestedKey>{"observation", "done", "terminated", "truncated"}));
    const TensorDict taken = env.rand_step(td);
    BOOST_TEST(taken.is(td)); // the same dictionary, with "action" and "next"
    BOOST_TEST(td.dict("next").size() == 5u);
    for (const char* flag : {"done", "terminated", "truncated"}) {
        BOOST_TEST(td[flag].sizes().vec() == Sizes{1});
        BOOST_TEST(td[next(flag)].sizes().vec() == Sizes{1});
        BOOST_CHECK(td[flag].scalar_type() == kBool);
    }
    BOOST_TEST(td[next("reward")].sizes().vec() == Sizes{1});
    BOOST_TEST(!td.contains("reward"));
}

BOOST_AUTO_TEST_CASE(EN_1_done_is_terminated_or_truncated) {
    CountingEnv env(1);
    const TensorDict td = env.rand_step(env.reset()); // the environment wrote "terminated" alone
    BOOST_TEST(td[next("terminated")].item<bool>());
    BOOST_TEST(td[next("done")].item<bool>());
    BOOST_TEST(!td[next("truncated")].item<bool>());
}

BOOST_AUTO_TEST_CASE(EN_2_rollouts_stack_steps) {
    CountingEnv env(4);
    const TensorDict td = env.rollout(10);
    BOOST_TEST(td.batch_size() == Sizes{4}); // stopped at the end
    BOOST_TEST(numbers(td["observation"]) == (std::vector<float>{0, 1, 2, 3}));
    BOOST_TEST(numbers(td[next("observation")]) == (std::vector<float>{1, 2, 3, 4}));
    BOOST_TEST(numbers(td[next("done")]) == (std::vector<float>{0, 0, 0, 1}));
    BOOST_TEST(env.rollout(3).batch_size() == Sizes{3});
}

BOOST_AUTO_TEST_CASE(EN_2_root_equals_the_next_before_except_after_an_end) {
    CountingEnv env(3, {2});
    const TensorDict td = env.rollout(8, {}, RolloutOptions().break_when_any_done(false));
    BOOST_TEST(td.batch_size() == (Sizes{2, 8}));
    BOOST_TEST(numbers(td["observation"][0]) == (std::vector<float>{0, 1, 2, 0, 1, 2, 0, 1}));
    BOOST_TEST(numbers(td["observation"][1]) == (std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3}));
    for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t t = 0; t + 1 < 8; ++t) {
            const bool ended = td[next("done")][i][t].item<bool>();
            const float root = td["observation"][i][t + 1].item<float>();
            BOOST_TEST(root == (ended ? 0.0f : td[next("observation")][i][t].item<float>()));
            BOOST_TEST(!td["done"][i][t + 1].item<bool>());
        }
    BOOST_TEST(!td.contains("_reset"));
}

BOOST_AUTO_TEST_CASE(rollouts_with_a_policy_and_options) {
    CountingEnv env(3, {2});
    int calls = 0;
    const Policy policy = [&](TensorDict td) {
        ++calls;
        return td.set("action", reel::full({2}, 2)).set("mine", reel::full({2}, calls));
    };
    const TensorDict all =
        env.rollout(20, policy, RolloutOptions().break_when_any_done(false).break_when_all_done(true));
    BOOST_TEST(all.batch_size() == (Sizes{2, 4})); // the second one ends at 4, the first was not reset
    BOOST_TEST(numbers(all["observation"][0]) == (std::vector<float>{0, 1, 2, 3}));
    BOOST_TEST(calls == 4);
    BOOST_TEST(numbers(all["mine"][0]) == (std::vector<float>{1, 2, 3, 4}));
    BOOST_TEST((all["action"] == 2).all().item<bool>());

    const TensorDict cut = env.rollout(2, policy, RolloutOptions().set_truncated(true));
    BOOST_TEST(numbers(cut[next("truncated")][0]) == (std::vector<float>{0, 1}));
    BOOST_TEST(numbers(cut[next("done")][0]) == (std::vector<float>{0, 1}));
    const TensorDict on =
        env.rollout(1, policy, RolloutOptions().auto_reset(false).tensordict(env.step_mdp(cut.index({"...", 0}))));
    BOOST_TEST(numbers(on["observation"]) == (std::vector<float>{1, 1})); // went on from there, no reset
    BOOST_CHECK_THROW(env.rollout(0), ValueError);
    BOOST_CHECK_THROW(env.rollout(1, policy, RolloutOptions().auto_reset(false)), ValueError);
}

BOOST_AUTO_TEST_CASE(partial_resets) {
    CountingEnv env(100, {3});
    TensorDict td = env.reset();
    for (int i = 0; i < 2; ++i) td = env.step_mdp(env.rand_step(td));
    td.set("mine", reel::tensor({5, 6, 7}));
    env.resets = 0;
    TensorDict asked = td.clone(false).set("_reset", reel::tensor({false, true, false}));
    const TensorDict after = env.reset(asked);
    BOOST_TEST(env.resets == 1);
    BOOST_TEST(numbers(after["observation"]) == (std::vector<float>{2, 0, 2}));
    BOOST_TEST(numbers(after["mine"]) == (std::vector<float>{5, 6, 7})); // comes along
    BOOST_TEST(!after.contains("_reset"));
    BOOST_TEST(asked.contains("_reset")); // the input is unchanged
    BOOST_TEST(numbers(env.rand_step(after)[next("observation")]) == (std::vector<float>{3, 1, 3}));
    // a trailing 1 is fine, no environment at all too
    BOOST_TEST(env.reset(td.clone(false).set("_reset", reel::zeros({3, 1}, TensorOptions(kBool)))).equal(td));
    BOOST_TEST(env.resets == 1);
    const Tensor odd = reel::zeros({3, 2}, TensorOptions(kBool));
    BOOST_TEST(message([&] {
                   env.reset(TensorDict({{"_reset", odd}}, {3}));
               }) ==
               "CountingEnv.reset: expected the mask '_reset' of sizes [3, 1], those of 'done' (a last 1 may be left "
               "out), got [3, 2]");
    BOOST_CHECK_THROW(env.reset(TensorDict({{"_reset", reel::ones({3})}}, {3})), TypeError);
}

BOOST_AUTO_TEST_CASE(groups_end_and_begin_on_their_own) {
    GroupsEnv env;
    check_env_specs(env);
    BOOST_CHECK(env.reset_keys() == (std::vector<NestedKey>{{"left", "_reset"}, {"right", "_reset"}}));
    BOOST_TEST(env.done_keys().size() == 6u);
    BOOST_CHECK_THROW(env.action_key(), KeyError);
    BOOST_TEST(has(message([&] { env.reward_spec(); }), "('left', 'reward'), ('right', 'reward')"));
    const TensorDict td = env.rollout(6, {}, RolloutOptions().break_when_any_done(false));
    BOOST_TEST((numbers(td[NestedKey{"left", "observation"}][0]) == std::vector<float>{0, 1, 0, 1, 0, 1}));
    BOOST_TEST((numbers(td[NestedKey{"right", "observation"}][1]) == std::vector<float>{0, 1, 2, 0, 1, 2}));
    BOOST_TEST((numbers(td[NestedKey{"next", "right", "terminated"}][1]) == std::vector<float>{0, 0, 1, 0, 0, 1}));
    BOOST_TEST((!td.contains(NestedKey{"left", "_reset"})));
}

BOOST_AUTO_TEST_CASE(one_reset_of_a_group_alone) {
    GroupsEnv env;
    TensorDict td = env.step_mdp(env.rand_step(env.reset()));
    const TensorDict after = env.reset(td.clone(false).set({"left", "_reset"}, reel::tensor({true, false})));
    BOOST_TEST((numbers(after[NestedKey{"left", "observation"}]) == std::vector<float>{0, 1}));
}

BOOST_AUTO_TEST_CASE(seeds) {
    CartPole a, b;
    BOOST_TEST(a.set_seed(4) == b.set_seed(4));
    BOOST_TEST(a.set_seed(4) != b.set_seed(5));
    b.set_seed(4);
    const auto run = [](CartPole& env) { return env.rollout(30, {}, RolloutOptions().break_when_any_done(false)); };
    const TensorDict first = run(a);
    reel::rand({3}); // the default generator does not matter
    BOOST_TEST(first.equal(run(b)));
    BOOST_TEST(!first.equal(run(b)));
    CartPole copy = b; // goes on with the same numbers, by itself
    BOOST_TEST(run(copy).equal(run(b)));
    CartPole unseeded;
    reel::manual_seed(1);
    const TensorDict x = run(unseeded);
    reel::manual_seed(1);
    BOOST_TEST(x.equal(run(unseeded)));
}

BOOST_AUTO_TEST_CASE(specs_and_what_does_not_fit_them) {
    CountingEnv env(3, {2});
    BOOST_TEST(env.action_spec().n() == 3);
    BOOST_TEST(env.reward_spec().shape() == (Sizes{2, 1}));
    BOOST_TEST(env.done_spec().shape() == (Sizes{2, 1}));
    BOOST_CHECK(env.done_keys() == (std::vector<NestedKey>{"done", "terminated", "truncated"}));
    BOOST_CHECK(env.reset_keys() == (std::vector<NestedKey>{"_reset"}));
    const TensorDict fake = env.fake_tensordict();
    BOOST_TEST(fake.keys(true, true).size() == env.rand_step(env.reset()).keys(true, true).size());
    check_env_specs(env);

    struct Wrong : CountingEnv {
        using CountingEnv::CountingEnv;
        std::int64_t mode = 0;
        TensorDict do_step(const TensorDict& td) override {
            TensorDict result = CountingEnv::do_step(td);
            if (mode == 1) result.set("more", result["reward"]);
            if (mode == 2) result.del_("reward");
            if (mode == 3) result.set("observation", result["observation"].to(kDouble));
            return result;
        }
    };
    Wrong wrong(3);
    check_env_specs(wrong);
    wrong.mode = 1;
    BOOST_TEST(has(message([&] { check_env_specs(wrong); }), "the entry 'more' is in none of the specs"));
    wrong.mode = 2;
    BOOST_TEST(has(message([&] { check_env_specs(wrong); }), "there is no entry 'reward'"));
    wrong.mode = 3;
    BOOST_TEST(has(message([&] { check_env_specs(wrong); }), "expected dtype float32"));
    check_env_specs(wrong, CheckEnvSpecsOptions().check_dtype(false));
}

BOOST_AUTO_TEST_CASE(bad_input) {
    CountingEnv env(3, {2});
    TensorDict td = env.reset();
    // a missing action
    BOOST_TEST(
        has(message([&] { env.step(TensorDict(td.clone(false)).set("actoin", reel::zeros({2}))); }), "'actoin'"));
    BOOST_CHECK_THROW(env.step(td), KeyError);
    BOOST_TEST(!td.contains("next"));
    // outside the spec
    td.set("action", reel::tensor({1, 3}));
    BOOST_TEST(message([&] { env.step(td); }) ==
               "CountingEnv.step: the entry 'action': tensor(3) (value 1 of 2) is not in Categorical(n=3, shape=[2], "
               "dtype=int64); project() gives the nearest value that is");
    td.set("action", reel::zeros({2, 1}, TensorOptions(kLong)));
    BOOST_TEST(message([&] { env.step(td); }) ==
               "CountingEnv.step: the entry 'action': expected sizes [2] of Categorical(n=3, shape=[2], dtype=int64), "
               "got [2, 1]");
    td.set("action", reel::tensor({0.5f, 1.0f}));
    BOOST_CHECK_THROW(env.step(td), ValueError);
    td.set("action", reel::tensor({2.0f, 1.0f})); // the same numbers in another dtype
    env.step(td);
    // another batch, no environment
    BOOST_TEST(message([&] { env.step(TensorDict({3})); }) ==
               "CountingEnv.step: expected a dictionary of batch size [2], got [3]");
    BOOST_CHECK_THROW(env.reset(TensorDict({3})), Error);
    BOOST_CHECK_THROW(env.render(), NotImplementedError);
    env.close();
    BOOST_TEST(message([&] { env.reset(); }) == "CountingEnv.reset: the environment was closed");
    BOOST_CHECK_THROW(CountingEnv(3, {0}), ValueError);
}

BOOST_AUTO_TEST_CASE(actions_outside_the_spec_can_be_projected) {
    Pendulum env;
    TensorDict td = env.reset_to(reel::tensor({0.5, 0.0}));
    td.set("action", reel::tensor({7.0f}));
    BOOST_CHECK_THROW(env.step(td), ValueError);
    env.set_action_check(ActionCheck::Project);
    env.step(td);
    BOOST_TEST(td["action"].item<float>() == 2.0f); // what was done
    const Tensor projected = td[next("observation")];
    env.set_action_check(ActionCheck::None);
    td = env.reset_to(reel::tensor({0.5, 0.0})).set("action", reel::tensor({7.0f}));
    env.step(td);
    BOOST_TEST(td["action"].item<float>() == 7.0f);
    BOOST_TEST(reel::equal(td[next("observation")], projected)); // the motor's own limit
}

BOOST_AUTO_TEST_SUITE_END()
