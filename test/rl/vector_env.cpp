// Several environments as one.
#include <reel/rl/envs/vector_env.hpp>

#include <boost/test/unit_test.hpp>

#include <stdexcept>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/collectors/collector.hpp>
#include <reel/rl/envs/check_env_specs.hpp>
#include <reel/rl/envs/gym_env.hpp>
#include <reel/rl/envs/transforms/step_counter.hpp>
#include <reel/rl/envs/transforms/transformed_env.hpp>

#include "message.hpp"
#include "tally_env.hpp"

using namespace reel;
using namespace reel::rl;
using boost::test_tools::per_element;
using reel::testing::message;
using reel::testing::TallyEnv;

namespace {
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
Floats floats(const Tensor& t) {
    const Tensor c = t.contiguous();
    return Floats(c.data_ptr<float>(), c.data_ptr<float>() + c.numel());
}
std::vector<VectorEnv::Factory> of_limits(const Ints& limits, const Ints& inner = {}) {
    std::vector<VectorEnv::Factory> make;
    for (const std::int64_t limit : limits) make.push_back([=] { return std::make_shared<TallyEnv>(limit, inner); });
    return make;
}
TensorDict with_action(TensorDict td) {
    Ints sizes = td.batch_size();
    sizes.push_back(1);
    return td.set("action", reel::ones(sizes));
}
TallyEnv& tallying(VectorEnv& env, std::int64_t i) { return static_cast<TallyEnv&>(env.env(i)); }
std::string what(const std::function<void()>& f) {
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(rl_vector_env, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(batch_size_specs_and_steps) {
    VectorEnv env(of_limits({3, 5, 2}), VectorEnvOptions().num_threads(2));
    BOOST_TEST(env.batch_size() == Ints({3}), per_element());
    BOOST_TEST(env.num_envs() == 3);
    BOOST_TEST(env.num_threads() == 2);
    BOOST_TEST(env.name() == "VectorEnv(3 x TallyEnv)");
    BOOST_TEST(env.action_spec().shape() == Ints({3, 1}), per_element());
    TensorDict td = env.reset();
    BOOST_TEST(td.batch_size() == Ints({3}), per_element());
    BOOST_TEST(floats(td["observation"]) == Floats({0, 0, 0}), per_element());
    for (float step = 1; step <= 2; ++step) {
        env.step(with_action(td));
        BOOST_TEST(floats(td[{"next", "observation"}]) == Floats({step, step, step}), per_element());
        BOOST_TEST(floats(td[{"next", "reward"}]) == Floats({10 + step, 10 + step, 10 + step}), per_element());
    }
    const Tensor done = td[{"next", "done"}];
    BOOST_TEST((done.sizes().vec()) == Ints({3, 1}), per_element());
    BOOST_TEST(!done[0].item<bool>());
    BOOST_TEST(done[2].item<bool>());
    check_env_specs(env);
}

BOOST_AUTO_TEST_CASE(EN_9_only_those_that_are_done_are_reset) {
    VectorEnv env(of_limits({3, 5, 2}));
    TensorDict td = env.reset();
    std::vector<Floats> seen;
    for (int t = 0; t < 4; ++t) {
        seen.push_back(floats(td["observation"]));
        td = env.step_and_maybe_reset(with_action(td)).second;
    }
    BOOST_TEST(seen[2] == Floats({2, 2, 0}), per_element());
    BOOST_TEST(seen[3] == Floats({0, 3, 1}), per_element());
    BOOST_TEST(tallying(env, 0).resets == 2);
    BOOST_TEST(tallying(env, 1).resets == 1);
    BOOST_TEST(tallying(env, 2).resets == 3);
}

BOOST_AUTO_TEST_CASE(batches_of_batches) {
    VectorEnv env(of_limits({2, 4}, {2}));
    BOOST_TEST(env.batch_size() == Ints({2, 2}), per_element());
    BOOST_TEST(env.numel() == 4);
    TensorDict td = env.reset();
    for (int t = 0; t < 2; ++t) td = env.step_and_maybe_reset(with_action(td)).second;
    BOOST_TEST(floats(td["observation"]) == Floats({0, 2, 2, 2}), per_element());
    td = env.step_and_maybe_reset(with_action(td)).second;
    BOOST_TEST(floats(td["observation"]) == Floats({1, 0, 3, 3}), per_element());
}

BOOST_AUTO_TEST_CASE(masks_of_resets) {
    VectorEnv env(of_limits({9, 9}, {2}));
    TensorDict td = env.reset();
    for (int t = 0; t < 2; ++t) td = env.step_and_maybe_reset(with_action(td)).second;
    const auto reset = [&](const Tensor& mask) {
        td.set("_reset", mask);
        td = env.reset(td);
        return floats(td["observation"]);
    };
    BOOST_TEST(reset(reel::tensor({false, true, false, false}).view({2, 2})) == Floats({2, 0, 2, 2}), per_element());
    BOOST_TEST(tallying(env, 1).resets == 1);
    BOOST_TEST(reset(reel::tensor({false, false, false, true}).view({2, 2, 1})) == Floats({2, 0, 2, 0}), per_element());
    BOOST_TEST(reset(reel::zeros({2, 2}, kBool)) == Floats({2, 0, 2, 0}), per_element());
    BOOST_TEST(tallying(env, 0).resets == 2);
    BOOST_TEST(tallying(env, 1).resets == 2);
    BOOST_CHECK_THROW(reset(reel::ones({2, 2}, kLong)), TypeError);
    td.del_("_reset");
    BOOST_CHECK_THROW(reset(reel::ones({2, 2, 3}, kBool)), Error);
    td.del_("_reset");
    BOOST_TEST(floats(td["observation"]) == Floats({2, 0, 2, 0}), per_element());
}

BOOST_AUTO_TEST_CASE(transforms_below_and_above) {
    const VectorEnv::Factory counted = [] { return std::make_shared<TransformedEnv>(TallyEnv(3), StepCounter()); };
    VectorEnv below(2, counted);
    TransformedEnv above(std::make_shared<VectorEnv>(2, [] { return std::make_shared<TallyEnv>(3); }), StepCounter());
    below.set_seed(1);
    above.set_seed(1);
    const auto run = [](EnvBase& env) {
        return env.rollout(8, with_action, RolloutOptions().break_when_any_done(false));
    };
    const TensorDict a = run(below), b = run(above);
    BOOST_TEST(a.batch_size() == Ints({2, 8}), per_element());
    BOOST_TEST(a["step_count"].equal(b["step_count"]));
    BOOST_TEST(a["step_count"][0][4].item<std::int64_t>() == 1);
}

BOOST_AUTO_TEST_CASE(seeds_and_threads) {
    const auto run = [](std::int64_t threads, std::int64_t seed) {
        VectorEnv env(
            5, [] { return GymEnv("CartPole-v1"); }, VectorEnvOptions().num_threads(threads));
        env.set_seed(seed);
        Collector collector(std::make_shared<VectorEnv>(std::move(env)), nullptr, CollectorOptions(500));
        manual_seed(2);
        return *collector.next();
    };
    const auto seeded = [&](std::int64_t threads, std::int64_t seed) {
        manual_seed(1); // the collector's draws
        return run(threads, seed);
    };
    const TensorDict one = seeded(1, 7);
    for (const std::int64_t threads : {2, 3, 5, 9}) BOOST_TEST(one.equal(seeded(threads, 7)));
    BOOST_TEST(!one["observation"].equal(seeded(1, 8)["observation"]));
    // no two environments do the same
    const Tensor first = one["observation"].select(1, 0);
    for (int i = 1; i < 5; ++i) BOOST_TEST(!first[i].equal(first[0]));

    // Environment i has number i + 1 of the SplitMix64 sequence: its published outputs for the seed 1234567.
    VectorEnv env(2, [] { return std::make_shared<TallyEnv>(3); });
    env.set_seed(1234567);
    const std::uint64_t published[] = {6457827717110365317u, 3203168211198807973u};
    for (std::int64_t i = 0; i < 2; ++i) BOOST_TEST(env.env(i).generator().current_seed() == published[i] >> 1);
    // Without a seed the default generator decides, when it is made.
    const auto noise = [] {
        manual_seed(4);
        VectorEnv env(of_limits({3, 3}));
        return env.reset()["noise"];
    };
    BOOST_TEST(noise().equal(noise()));
}

BOOST_AUTO_TEST_CASE(what_one_environment_throws_arrives_with_its_number) {
    for (const std::int64_t threads : {1, 2, 3}) {
        VectorEnv env(of_limits({9, 9, 9}), VectorEnvOptions().num_threads(threads));
        TensorDict td = with_action(env.reset());
        tallying(env, 1).before_step = [](int) { throw std::invalid_argument("badness"); };
        BOOST_TEST(message([&] { env.step(td); }) == "VectorEnv environment 1: badness");
        tallying(env, 1).before_step = [](int) { REEL_THROW(IndexError, "no such thing"); };
        BOOST_TEST(message([&] { env.step(td); }) ==
                   "VectorEnv(3 x TallyEnv).step: an environment has thrown, so the others are a step ahead of it; "
                   "reset first");
        td = with_action(env.reset());
        BOOST_CHECK_THROW(env.step(td), IndexError);
        BOOST_TEST(contains(what([&] {
                                env.reset();
                                env.step(td);
                            }),
                            "no such thing\n  in VectorEnv environment 1"));
        tallying(env, 1).before_step = [](int) { throw 7; };
        env.reset();
        BOOST_TEST(message([&] { env.step(td); }) ==
                   "VectorEnv environment 1: something that is no std::exception was thrown");
        BOOST_TEST(contains(message([&] {
                                env.reset(TensorDict({{"_reset", reel::tensor({true, false, false})}}, {3}));
                            }),
                            "reset all, without a mask"));
        tallying(env, 1).before_step = nullptr;
        td = with_action(env.reset());
        BOOST_TEST(floats(env.step(td)[{"next", "observation"}]) == Floats({1, 1, 1}), per_element());
    }
}

BOOST_AUTO_TEST_CASE(constructors_check_what_they_get) {
    const VectorEnv::Factory make = [] { return std::make_shared<TallyEnv>(3); };
    BOOST_TEST(message([&] { VectorEnv(0, make); }) == "VectorEnv: expected at least one environment, got 0");
    BOOST_TEST(message([&] { VectorEnv(std::vector<VectorEnv::Factory>{}); }) ==
               "VectorEnv: expected at least one environment, got none");
    BOOST_TEST(message([&] { VectorEnv(2, make, VectorEnvOptions().num_threads(-1)); }) ==
               "VectorEnv: num_threads must not be negative, got -1");
    BOOST_TEST(message([&] {
                   VectorEnv({make, [] { return EnvPtr(); }});
               }) == "VectorEnv: factory 1 returned no environment");
    BOOST_TEST(message([&] { VectorEnv({make, VectorEnv::Factory()}); }) == "VectorEnv: factory 1 is empty");
    const EnvPtr same = make();
    BOOST_TEST(message([&] { VectorEnv(2, [&] { return same; }); }) ==
               "VectorEnv: factory 1 returned environment 0 again; each needs one of its own");
    BOOST_TEST(message([&] {
                   VectorEnv({make, [] { return std::make_shared<TallyEnv>(3, Ints{2}); }});
               }) ==
               "VectorEnv: the specs of environment 1 (TallyEnv, batch size [2]) differ from those of environment 0 "
               "(TallyEnv, batch size [])");
    VectorEnv env(2, make);
    BOOST_CHECK_THROW(env.env(2), IndexError);
    BOOST_CHECK_THROW(env.env(-1), IndexError);
    BOOST_CHECK_THROW(env.render(2), IndexError);
    env.close();
    BOOST_TEST(env.env(0).is_closed());
    BOOST_CHECK_THROW(env.reset(), Error);
}

BOOST_AUTO_TEST_CASE(states_go_on_bit_for_bit) {
    const auto make = [] {
        VectorEnv env(3, [] { return GymEnv("CartPole-v1"); });
        env.set_action_check(ActionCheck::Throw);
        return env;
    };
    VectorEnv env = make();
    env.set_seed(5);
    TensorDict td = env.reset();
    const auto go_on = [](EnvBase& env, TensorDict td) {
        TensorDict action = td.clone(false);
        Tensor choice = reel::zeros({3, 2}, kLong);
        choice.select(1, 1).fill_(1);
        std::vector<Tensor> seen;
        for (int t = 0; t < 40; ++t) { // several ends
            action.set("action", choice);
            action = env.step_and_maybe_reset(action).second;
            seen.push_back(action["observation"]);
        }
        return reel::stack(seen);
    };
    const TensorDict state = env.state_dict().clone(), root = td.clone();
    const Tensor expected = go_on(env, td);
    VectorEnv other = make();
    other.reset();
    other.load_state_dict(state);
    BOOST_TEST(go_on(other, root).equal(expected));
    // A state that one part refuses changes none of them.
    other.load_state_dict(state);
    TensorDict broken = env.state_dict().clone();
    broken.dict("env2").del_(broken.dict("env2").keys(true, true).back());
    BOOST_CHECK_THROW(other.load_state_dict(broken), Error);
    BOOST_TEST(go_on(other, root).equal(expected));
}

BOOST_AUTO_TEST_CASE(gradients_flow_in_no_thread_that_has_them_off) {
    VectorEnv env(of_limits({9, 9, 9, 9}), VectorEnvOptions().num_threads(4));
    TensorDict td = with_action(env.reset());
    std::vector<int> enabled(4, -1);
    for (int i = 0; i < 4; ++i)
        tallying(env, i).before_step = [&enabled, i](int) { enabled[std::size_t(i)] = GradMode::is_enabled(); };
    {
        const NoGradGuard no_grad;
        env.step(td);
    }
    BOOST_TEST(enabled == std::vector<int>(4, 0), per_element());
    env.step(td);
    BOOST_TEST(enabled == std::vector<int>(4, 1), per_element());
}

BOOST_AUTO_TEST_SUITE_END()
