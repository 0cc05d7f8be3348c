// Pendulum, MountainCar, MountainCarContinuous, Acrobot; pictures; Gym's names.
#include <reel/rl/envs.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"
#include "rl/trajectories.hpp"

using namespace reel;
using namespace reel::rl;
using reel::testing::message;
using reel::testing::replay;
using reel::testing::Replayed;

namespace {

void check(const Replayed& result, std::int64_t steps, std::int64_t ends) {
    BOOST_TEST(result.steps == steps);
    BOOST_TEST(result.ends == ends);
    BOOST_TEST(result.worst_observation <= 1);
    BOOST_TEST(result.worst_reward <= 1);
    BOOST_TEST(result.wrong_flags == 0);
}
std::int64_t ends_in(const std::string& name) {
    std::ifstream in(reel::testing::trajectory_file(name));
    std::int64_t n = 0;
    for (std::string kind, action, reward, flag; in >> kind;) {
        if (kind == "step" && in >> action >> reward >> flag) n += flag == "1";
        std::getline(in, action);
    }
    return n;
}

} // namespace

BOOST_AUTO_TEST_SUITE(classic_control)

BOOST_AUTO_TEST_CASE(EN_4_pendulum_as_gymnasium) {
    Pendulum env;
    check(replay("pendulum", env), 160, 0);
    const TensorSpec spec = env.action_spec();
    BOOST_CHECK(spec == Bounded(-2.0, 2.0, {1}));
}
BOOST_AUTO_TEST_CASE(EN_4_mountain_car_as_gymnasium) {
    MountainCar env;
    const std::int64_t ends = ends_in("mountain_car");
    BOOST_TEST(ends > 0);
    check(replay("mountain_car", env), 160, ends);
}
BOOST_AUTO_TEST_CASE(EN_4_mountain_car_continuous_as_gymnasium) {
    MountainCarContinuous env;
    const std::int64_t ends = ends_in("mountain_car_continuous");
    BOOST_TEST(ends > 0);
    check(replay("mountain_car_continuous", env), 160, ends);
}
BOOST_AUTO_TEST_CASE(EN_4_acrobot_as_gymnasium) {
    Acrobot env, nips(AcrobotOptions().dynamics(AcrobotDynamics::Nips));
    const std::int64_t ends = ends_in("acrobot");
    BOOST_TEST(ends > 0);
    check(replay("acrobot", env), 120, ends);
    check(replay("acrobot_nips", nips), 20, 0);
}

BOOST_AUTO_TEST_CASE(first_states) {
    const auto range = [](ClassicControlEnv& env, double low, double high, std::int64_t element) {
        env.set_seed(0);
        env.reset();
        const Tensor values = env.state().select(1, element);
        BOOST_TEST(values.min().item<double>() >= low);
        BOOST_TEST(values.max().item<double>() <= high);
        if (high > low) BOOST_TEST(values.max().item<double>() - values.min().item<double>() > 0.9 * (high - low));
    };
    Pendulum pendulum(PendulumOptions().batch_size({500}));
    range(pendulum, -M_PI, M_PI, 0);
    range(pendulum, -1, 1, 1);
    MountainCar car(MountainCarOptions().batch_size({500}));
    range(car, -0.6, -0.4, 0);
    range(car, 0, 0, 1);
    Acrobot acrobot(AcrobotOptions().batch_size({500}));
    range(acrobot, -0.1, 0.1, 3);
}

BOOST_AUTO_TEST_CASE(pictures_follow_the_state) {
    for (const std::string& name : gym_env_names()) {
        BOOST_TEST_CONTEXT(name) {
            const EnvPtr env = GymEnv(name);
            BOOST_CHECK_THROW(env->render(), Error); // nothing to be seen before a reset
            env->set_seed(1);
            env->reset();
            const auto [height, width] = env->render_size();
            const Tensor first = env->render();
            BOOST_TEST(first.sizes() == IntArrayRef({height, width, 3}));
            BOOST_CHECK(first.scalar_type() == kByte);
            const double inked = reel::lt(reel::amin(first, {2}), 250).to(kFloat).mean().item<double>();
            BOOST_TEST(inked > 0.005); // something is drawn, on white
            BOOST_TEST(inked < 0.6);
            BOOST_CHECK(reel::equal(first, env->render())); // drawing changes nothing
            env->rollout(12);
            BOOST_CHECK(!reel::equal(first, env->render()));
            BOOST_CHECK_THROW(env->render(1), IndexError);
        }
    }
}
BOOST_AUTO_TEST_CASE(a_fallen_pole_lies_to_its_side) {
    CartPole env;
    const auto middle_of_ink = [&](double angle) {
        env.set_state(reel::tensor({0.0, 0.0, angle, 0.0}, TensorOptions(kDouble)));
        const Tensor picture = env.render().to(kDouble);
        const Tensor brown = reel::lt((picture - reel::tensor({202.0, 152.0, 101.0})).abs().sum(2), 30.0).to(kDouble);
        const Tensor column = reel::arange(brown.size(1)).to(kDouble);
        return ((brown * column).sum() / brown.sum()).item<double>();
    };
    BOOST_TEST(middle_of_ink(-0.8) < middle_of_ink(0.0) - 10);
    BOOST_TEST(middle_of_ink(0.8) > middle_of_ink(0.0) + 10);
}

BOOST_AUTO_TEST_CASE(gym_names_and_their_limits) {
    const std::vector<std::pair<std::string, std::int64_t>> limits = {{"CartPole-v0", 200},
                                                                      {"CartPole-v1", 500},
                                                                      {"Pendulum-v1", 200},
                                                                      {"MountainCar-v0", 200},
                                                                      {"MountainCarContinuous-v0", 999},
                                                                      {"Acrobot-v1", 500}};
    BOOST_TEST(gym_env_names().size() == limits.size());
    for (const auto& [name, limit] : limits) {
        const EnvPtr env = GymEnv(name);
        BOOST_TEST(*dynamic_cast<ClassicControlEnv&>(*env).max_episode_steps() == limit);
        check_env_specs(*env, CheckEnvSpecsOptions().seed(0));
        const EnvPtr batch = GymEnv(name, GymEnvOptions().batch_size({3, 2}).categorical_action_encoding(true));
        check_env_specs(*batch, CheckEnvSpecsOptions().seed(0));
    }
    const TensorDict whole = GymEnv("Pendulum-v1")->rollout(1000);
    BOOST_TEST(whole.batch_size(0) == 200);
    BOOST_TEST(whole[NestedKey({"next", "truncated"})].sum().item<std::int64_t>() == 1);
    const std::string text = message([] { GymEnv("CartPole-v2"); });
    BOOST_TEST(text.find("GymEnv: no environment 'CartPole-v2'; the nearest: CartPole-v0, CartPole-v1") == 0u);
    BOOST_CHECK_THROW(GymEnv("Humanoid-v4"), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
