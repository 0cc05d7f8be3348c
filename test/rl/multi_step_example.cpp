// The example of MultiStep's page, word for word, and the row that the Python package prints for it.
#include <reel/rl/collectors/collector.hpp>
#include <reel/rl/envs.hpp>
#include <reel/rl/modules/random_policy.hpp>
#include <reel/rl/postprocs/multi_step.hpp>
#include <reel/rl/replay/lazy_tensor_storage.hpp>
#include <reel/rl/replay/multi_step_transform.hpp>
#include <reel/rl/replay/replay_buffer.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using namespace reel::rl;

BOOST_AUTO_TEST_SUITE(multi_step_example)

namespace {

/// The first batch.
TensorDict collect(const MultiStep& postproc) {
    const auto env = std::make_shared<TransformedEnv>(GymEnv("CartPole-v1"), StepCounter());
    env->set_seed(0);
    SyncDataCollector collector(env, RandomPolicy(env->action_spec()), CollectorOptions(10, 2000).postproc(postproc));
    for (const TensorDict& data : collector) return data;
    return {};
}

} // namespace

BOOST_AUTO_TEST_CASE(MS_21_both_rows) {
    manual_seed(0);
    using Numbers = std::vector<double>;
    const auto each = boost::test_tools::per_element();
    TensorDict data = collect(MultiStep(/*gamma=*/0.99, /*n_steps=*/4));
    BOOST_TEST(numbers(data["step_count"]) == Numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), each);
    BOOST_CHECK(data["step_count"].sizes() == IntArrayRef({10, 1}));
    BOOST_TEST(numbers(data[{"next", "step_count"}]) == Numbers({5, 6, 7, 8, 9, 10, 10, 10, 10, 10}), each);
    // the package's counting, and its row for 5 there
    data = collect(MultiStep(MultiStepOptions(0.99, 4).counts_current_step(true)));
    BOOST_TEST(numbers(data[{"next", "step_count"}]) == Numbers({4, 5, 6, 7, 8, 9, 10, 10, 10, 10}), each);
    data = collect(MultiStep(MultiStepOptions(0.99, 5).counts_current_step(true)));
    BOOST_TEST(numbers(data[{"next", "step_count"}]) == Numbers({5, 6, 7, 8, 9, 10, 10, 10, 10, 10}), each);
}

BOOST_AUTO_TEST_CASE(MS_20_a_replay_buffer_does_not_see_the_batches_of_the_collector) {
    // The same steps in batches of 5 and of 20, as a buffer stores them.
    std::vector<TensorDict> stored;
    for (const std::int64_t frames : {5, 20}) {
        manual_seed(3);
        const auto env = std::make_shared<TransformedEnv>(GymEnv("CartPole-v1"), StepCounter());
        env->set_seed(1);
        SyncDataCollector collector(env, RandomPolicy(env->action_spec()), CollectorOptions(frames, 60));
        collector.set_seed(2);
        ReplayBuffer buffer(
            ReplayBufferOptions().storage(LazyTensorStorage(100)).transform(MultiStepTransform(3, 0.9)));
        for (const TensorDict& data : collector) buffer.extend(data);
        stored.push_back(buffer.get(arange(buffer.size())));
    }
    BOOST_TEST(stored[0].batch_size(0) == 57);
    BOOST_TEST(stored[0].equal(stored[1]));
}

BOOST_AUTO_TEST_SUITE_END()
