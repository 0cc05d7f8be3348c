// Experience from several threads (EN-9).
#include <reel/rl/collectors/multi_collector.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <stdexcept>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/rl/collectors/collector.hpp>
#include <reel/rl/envs/gym_env.hpp>
#include <reel/rl/modules/random_policy.hpp>

#include "message.hpp"
#include "tally_env.hpp"

using namespace reel;
using namespace reel::rl;
using boost::test_tools::per_element;
using reel::testing::message;
using reel::testing::TallyEnv;

namespace {
using Ints = std::vector<std::int64_t>;
std::vector<MultiCollector::Factory> cart_poles(std::size_t n) {
    return std::vector<MultiCollector::Factory>(n, [] { return GymEnv("CartPole-v1"); });
}
std::vector<MultiCollector::Factory> counters(std::size_t n, std::int64_t limit = 4, Ints batch = {}) {
    return std::vector<MultiCollector::Factory>(n, [=] { return std::make_shared<TallyEnv>(limit, batch); });
}
/// Draws from the default generator and reads parameters that all threads share.
Policy drawing_policy() {
    const nn::Linear layer(4, 2);
    return [layer](TensorDict td) {
        const Tensor choice = (layer(td["observation"]) + reel::randn({2})).argmax(-1);
        return td.set("action", reel::one_hot(choice, 2));
    };
}
} // namespace

BOOST_AUTO_TEST_SUITE(rl_multi_collector, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(EN_9_batches_do_not_depend_on_the_number_of_workers) {
    const Policy policy = drawing_policy();
    const auto run = [&](std::int64_t workers) {
        MultiCollector collector(cart_poles(3), policy, CollectorOptions(150, 450), workers);
        BOOST_TEST(collector.num_workers() == workers);
        collector.set_seed(11);
        std::vector<TensorDict> batches;
        for (const TensorDict& batch : collector) batches.push_back(batch);
        return batches;
    };
    const std::vector<TensorDict> one = run(1);
    BOOST_REQUIRE_EQUAL(one.size(), 3u);
    BOOST_TEST(one[0].batch_size() == Ints({3, 50}), per_element());
    for (const std::int64_t workers : {2, 3}) {
        const std::vector<TensorDict> several = run(workers);
        for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(one[i].equal(several[i]));
    }
    // Unseeded ones follow the default generator.
    const auto unseeded = [&](std::int64_t workers) {
        manual_seed(3);
        MultiCollector collector(counters(3), RandomPolicy(), CollectorOptions(30), workers);
        return *collector.next();
    };
    const TensorDict expected = unseeded(1);
    BOOST_TEST(expected.equal(unseeded(2)));
    BOOST_TEST(expected.equal(unseeded(3)));
    BOOST_TEST(!expected["noise"][0].equal(expected["noise"][1]));
    BOOST_TEST(!expected["action"][0].equal(expected["action"][1]));
}

BOOST_AUTO_TEST_CASE(each_row_is_what_a_collector_of_its_own_would_deliver) {
    const Policy policy = drawing_policy();
    MultiCollector several(cart_poles(2), policy, CollectorOptions(80), 2);
    several.set_seed(1234567);
    // Environment i has number i + 1 of the SplitMix64 sequence, without its sign bit.
    const std::uint64_t published[] = {6457827717110365317u, 3203168211198807973u};
    const TensorDict batch = *several.next();
    for (std::int64_t i = 0; i < 2; ++i) {
        Collector one(GymEnv("CartPole-v1"), policy, CollectorOptions(40));
        one.set_seed(std::int64_t(published[i] >> 1));
        const TensorDict row = *one.next();
        BOOST_TEST(batch[i].exclude({"collector"}).equal(row.exclude({"collector"})));
        const Tensor ids = batch[{"collector", "traj_ids"}][i], own = row[{"collector", "traj_ids"}];
        BOOST_TEST(ids.equal(own * 2 + i));
    }
}

BOOST_AUTO_TEST_CASE(EN_9_options_hold_for_all) {
    MultiCollector collector(counters(2, 3), RandomPolicy(),
                             CollectorOptions(16, 16).split_trajs(true).postproc(
                                 [](TensorDict td) { return td.set("seen", reel::ones(td.batch_size())); }));
    const TensorDict batch = *collector.next(); // 3 + 3 + 2 steps each
    BOOST_TEST(batch.batch_size() == Ints({6, 3}), per_element());
    BOOST_TEST(batch.contains("seen"));
    BOOST_TEST(!collector.next().has_value());

    MultiCollector inner(counters(2, 3, {2}), nullptr, CollectorOptions(12).max_frames_per_traj(2), 2);
    const TensorDict nested = *inner.next();
    BOOST_TEST(nested.batch_size() == Ints({2, 2, 3}), per_element());
    BOOST_TEST((nested[{"next", "truncated"}].select(2, 1).all().item<bool>()));
    const Ints ids = {0, 0, 4, 2, 2, 6, 1, 1, 5, 3, 3, 7};
    const Tensor given = nested[{"collector", "traj_ids"}].contiguous();
    BOOST_TEST(Ints(given.data_ptr<std::int64_t>(), given.data_ptr<std::int64_t>() + 12) == ids, per_element());

    MultiSyncDataCollector again(counters(2, 100), nullptr, CollectorOptions(4).reset_at_each_iter(true));
    for (int i = 0; i < 3; ++i) BOOST_TEST((*again.next())["observation"].max().item<float>() == 1);
}

BOOST_AUTO_TEST_CASE(policies_are_called_without_gradients_in_every_thread) {
    std::atomic<int> recorded{0}, calls{0};
    const Policy policy = [&](TensorDict td) {
        recorded += GradMode::is_enabled();
        ++calls;
        return td.set("action", reel::zeros({1}));
    };
    MultiCollector collector(counters(4), policy, CollectorOptions(40), 4);
    collector.next();
    BOOST_TEST(calls == 40);
    BOOST_TEST(recorded == 0);
}

BOOST_AUTO_TEST_CASE(a_restored_collector_goes_on_bit_for_bit) {
    const Policy policy = drawing_policy();
    MultiCollector whole(cart_poles(3), policy, CollectorOptions(60, 240), 2);
    whole.set_seed(2);
    whole.next();
    whole.next();
    const TensorDict state = whole.state_dict().clone();
    MultiCollector resumed(cart_poles(3), policy, CollectorOptions(60, 240), 3);
    resumed.load_state_dict(state);
    BOOST_TEST(resumed.frames() == 120);
    const TensorDict third = *whole.next(), fourth = *whole.next();
    BOOST_TEST(third.equal(*resumed.next()));
    BOOST_TEST(fourth.equal(*resumed.next()));
    BOOST_TEST(!resumed.next().has_value());
    // A state that does not fit changes nothing.
    resumed.load_state_dict(state);
    MultiCollector four(cart_poles(4), policy, CollectorOptions(60), 1);
    BOOST_TEST(message([&] { resumed.load_state_dict(four.state_dict()); }) ==
               "MultiCollector.load_state_dict: the state is that of more than 3 environments");
    BOOST_CHECK_THROW(resumed.load_state_dict(state.exclude({"worker1"})), KeyError);
    BOOST_TEST(third.equal(*resumed.next()));
}

BOOST_AUTO_TEST_CASE(what_is_thrown_arrives_with_the_environments_number) {
    for (const std::int64_t workers : {1, 2, 3}) {
        MultiCollector collector(counters(3), nullptr, CollectorOptions(12), workers);
        static_cast<TallyEnv&>(collector.env(2)).before_step = [](int step) {
            if (step == 3) throw std::runtime_error("badness");
        };
        BOOST_TEST(message([&] { collector.next(); }) == "MultiCollector environment 2: badness");
        static_cast<TallyEnv&>(collector.env(2)).before_step = nullptr;
        collector.reset();
        BOOST_TEST(collector.next().has_value());
        BOOST_TEST(collector.frames() == 12);
    }
    MultiCollector silent(
        counters(2), [](TensorDict td) { return td; }, CollectorOptions(4), 2);
    BOOST_CHECK_THROW(silent.next(), KeyError); // no action
}

BOOST_AUTO_TEST_CASE(constructors_check_what_they_get) {
    const auto says = [](const std::vector<MultiCollector::Factory>& make, std::int64_t workers = 0) {
        return message([&] { MultiCollector(make, nullptr, CollectorOptions(4), workers); });
    };
    BOOST_TEST(says({}) == "MultiCollector: expected at least one environment, got none");
    BOOST_TEST(says(counters(2), -1) == "MultiCollector: num_workers must not be negative, got -1");
    BOOST_TEST(says({[] { return EnvPtr(); }}) == "MultiCollector: factory 0 returned no environment");
    BOOST_TEST(says({MultiCollector::Factory()}) == "MultiCollector: factory 0 is empty");
    const EnvPtr same = std::make_shared<TallyEnv>(3);
    BOOST_TEST(says({[=] { return same; }, [=] { return same; }}) ==
               "MultiCollector: factory 1 returned environment 0 again; each needs one of its own");
    BOOST_TEST(says({counters(1)[0], counters(1, 3, {2})[0]}) ==
               "MultiCollector: the specs of environment 1 (TallyEnv, batch size [2]) differ from those of "
               "environment 0 (TallyEnv, batch size [])");
    MultiCollector collector(counters(2), nullptr, CollectorOptions(4));
    BOOST_CHECK_THROW(collector.env(2), IndexError);
    BOOST_TEST(message([] { MultiCollector(counters(2), nullptr, CollectorOptions()); }) ==
               "MultiCollector: frames_per_batch must be at least 1, got 0");
    collector.shutdown();
    BOOST_TEST(collector.env(1).is_closed());
}

BOOST_AUTO_TEST_CASE(collectors_end_with_their_threads_whatever_they_did) {
    for (int i = 0; i < 20; ++i) {
        MultiCollector unused(counters(3), nullptr, CollectorOptions(6), 3);
        MultiCollector used(counters(3), nullptr, CollectorOptions(6), 3);
        used.next();
    }
}

BOOST_AUTO_TEST_SUITE_END()
