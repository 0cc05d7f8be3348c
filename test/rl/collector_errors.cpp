// What collectors refuse, and what happens when others throw.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <stdexcept>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/collectors/collector.hpp>

#include "message.hpp"
#include "tally_env.hpp"

using namespace reel;
using namespace reel::rl;
using reel::testing::message;
using reel::testing::TallyEnv;

BOOST_AUTO_TEST_SUITE(rl_collector_errors)

BOOST_AUTO_TEST_CASE(options_without_sense) {
    const auto says = [](const CollectorOptions& options) {
        return message([&] { Collector(TallyEnv(3), nullptr, options); });
    };
    BOOST_TEST(says(CollectorOptions()) == "Collector: frames_per_batch must be at least 1, got 0");
    BOOST_TEST(says(CollectorOptions(-2)) == "Collector: frames_per_batch must be at least 1, got -2");
    BOOST_TEST(says(CollectorOptions(4, -2)) ==
               "Collector: total_frames must be a number of frames, or -1 for batches without end, got -2");
    BOOST_TEST(says(CollectorOptions(4).init_random_frames(-1)) ==
               "Collector: init_random_frames must not be negative, got -1");
    BOOST_TEST(says(CollectorOptions(4).max_frames_per_traj(-1)) ==
               "Collector: max_frames_per_traj must not be negative (0: no limit), got -1");
    BOOST_TEST(message([] { Collector(EnvPtr(), nullptr, CollectorOptions(4)); }) ==
               "Collector: the environment is empty");
    BOOST_CHECK_THROW(Collector(TallyEnv(3), nullptr, CollectorOptions()), ValueError);
    Collector nothing(TallyEnv(3), nullptr, CollectorOptions(4, 0));
    BOOST_TEST((nothing.begin() == nothing.end()));
}

BOOST_AUTO_TEST_CASE(dictionaries_that_differ_within_a_batch) {
    const auto run = [](std::function<void(TensorDict&, float)> more) {
        Collector collector(
            TallyEnv(9),
            [&](TensorDict td) {
                td.set("action", td["observation"] + 1);
                more(td, td["observation"].item<float>());
                return td;
            },
            CollectorOptions(4));
        return message([&] { collector.next(); });
    };
    BOOST_TEST(run([](TensorDict& td, float t) { td.set("x", reel::zeros({t < 2 ? 2 : 3})); }) ==
               "Collector: the entry 'x' is of shape [3] and float32 on cpu, where the first one was of shape [2] and "
               "float32 on cpu: all that come into one batch must be alike");
    BOOST_TEST(run([](TensorDict& td, float t) { td.set("x", reel::zeros({2}, t < 2 ? kFloat : kLong)); }) ==
               "Collector: the entry 'x' is of shape [2] and int64 on cpu, where the first one was of shape [2] and "
               "float32 on cpu: all that come into one batch must be alike");
    BOOST_TEST(run([](TensorDict& td, float t) {
                   if (t == 2) td.set({"deep", "x"}, reel::zeros({2}));
               }) ==
               "Collector: the tensor ('deep', 'x') at index 2 was not there at the first one: all that come into one "
               "batch must have the same entries");
    BOOST_TEST(run([](TensorDict& td, float t) { t < 2 ? td.set("x", reel::zeros({2})) : td.del_("x"); }) ==
               "Collector: there is no tensor 'x' at index 2, but at the first one: all that come into one batch must "
               "have the same entries");
}

BOOST_AUTO_TEST_CASE(what_is_thrown_arrives_and_the_next_batch_can_be_had) {
    auto env = std::make_shared<TallyEnv>(9);
    env->before_step = [](int step) {
        if (step == 2) throw std::invalid_argument("badness");
    };
    Collector collector(env, nullptr, CollectorOptions(4));
    BOOST_CHECK_THROW(collector.next(), std::invalid_argument);
    BOOST_TEST(collector.frames() == 0);
    env->before_step = nullptr;
    const Tensor seen = (*collector.next())["observation"];
    BOOST_TEST(seen.squeeze(-1).equal(reel::arange(2, 6, 1, kFloat)));

    Collector silent(
        TallyEnv(9), [](TensorDict td) { return td; }, CollectorOptions(4));
    BOOST_CHECK_THROW(silent.next(), KeyError); // no action
    collector.shutdown();
    BOOST_TEST(env->is_closed());
    BOOST_CHECK_THROW(collector.next(), Error);
    collector.update_policy_weights_();
}

BOOST_AUTO_TEST_SUITE_END()
