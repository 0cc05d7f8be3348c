// Batches of experience (EN-9).
#include <reel/rl/collectors/collector.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/rl/envs/gym_env.hpp>
#include <reel/rl/envs/transforms/step_counter.hpp>
#include <reel/rl/envs/transforms/transformed_env.hpp>
#include <reel/rl/modules/random_policy.hpp>

#include "message.hpp"
#include "tally_env.hpp"
#include "warnings.hpp"

using namespace reel;
using namespace reel::rl;
using boost::test_tools::per_element;
using reel::testing::message;
using reel::testing::TallyEnv;

namespace {
template <class T> std::vector<T> values(const Tensor& t) {
    const Tensor c = t.contiguous();
    return std::vector<T>(c.data_ptr<T>(), c.data_ptr<T>() + c.numel());
}
std::vector<std::int64_t> ids_of(const TensorDict& batch) {
    return values<std::int64_t>(batch[{"collector", "traj_ids"}]);
}
/// The action says which call of the policy it is from.
struct Calls {
    std::shared_ptr<int> calls = std::make_shared<int>(0);
    TensorDict operator()(TensorDict td) const {
        std::vector<std::int64_t> sizes = td.batch_size();
        sizes.push_back(1);
        return td.set("action", reel::full(sizes, double((*calls)++), kFloat));
    }
};
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
} // namespace

BOOST_AUTO_TEST_SUITE(rl_collector)

BOOST_AUTO_TEST_CASE(EN_9_batches_go_on_where_the_last_one_ended) {
    // EN-1, EN-2
    Collector collector(TallyEnv(4), Calls(), CollectorOptions(6, 12));
    std::vector<TensorDict> batches;
    for (const TensorDict& batch : collector) batches.push_back(batch);
    BOOST_REQUIRE_EQUAL(batches.size(), 2u);
    for (const TensorDict& b : batches) BOOST_TEST(b.batch_size() == Ints({6}), per_element());
    BOOST_TEST(values<float>(batches[0]["observation"]) == Floats({0, 1, 2, 3, 0, 1}), per_element());
    BOOST_TEST(values<float>(batches[0][{"next", "observation"}]) == Floats({1, 2, 3, 4, 1, 2}), per_element());
    BOOST_TEST(values<float>(batches[1]["observation"]) == Floats({2, 3, 0, 1, 2, 3}), per_element());
    BOOST_TEST(values<float>(batches[1]["action"]) == Floats({6, 7, 8, 9, 10, 11}), per_element());
    BOOST_TEST(values<float>(batches[0][{"next", "reward"}]) == Floats({1, 12, 23, 34, 41, 52}), per_element());
    BOOST_TEST(values<bool>(batches[0][{"next", "done"}]) == std::vector<bool>({0, 0, 0, 1, 0, 0}), per_element());
    BOOST_TEST(!batches[0]["done"].any().item<bool>());
    BOOST_TEST(ids_of(batches[0]) == Ints({0, 0, 0, 0, 1, 1}), per_element());
    BOOST_TEST(ids_of(batches[1]) == Ints({1, 1, 2, 2, 2, 2}), per_element());
    BOOST_TEST((batches[0][{"next", "done"}].sizes().vec()) == Ints({6, 1}), per_element());
    BOOST_TEST(collector.frames() == 12);
    BOOST_TEST(collector.iterations() == 2);
    BOOST_TEST(!collector.next().has_value());
    // The noise at the root is that of the step before, or of a reset.
    BOOST_TEST(values<float>(batches[0]["noise"])[1] == values<float>(batches[0][{"next", "noise"}])[0]);
    BOOST_TEST(values<float>(batches[0]["noise"])[4] != values<float>(batches[0][{"next", "noise"}])[3]);
}

BOOST_AUTO_TEST_CASE(EN_9_a_batch_of_environments_has_time_last) {
    Collector collector(TallyEnv(2, {2}), Calls(), CollectorOptions(8, 16));
    const TensorDict first = *collector.next(), second = *collector.next();
    BOOST_TEST(first.batch_size() == Ints({2, 4}), per_element());
    BOOST_TEST(first["observation"].is_contiguous());
    BOOST_TEST(values<float>(first["observation"]) == Floats({0, 1, 0, 1, 0, 1, 2, 0}), per_element());
    BOOST_TEST(ids_of(first) == Ints({0, 0, 2, 2, 1, 1, 1, 3}), per_element());
    // a reset of the one does not touch the other
    BOOST_TEST(values<float>(second["observation"]) == Floats({0, 1, 0, 1, 1, 2, 0, 1}), per_element());
    BOOST_TEST(ids_of(second) == Ints({4, 4, 5, 5, 3, 3, 6, 6}), per_element());
    BOOST_TEST((first[{"collector", "traj_ids"}].sizes().vec()) == Ints({2, 4}), per_element());
}

BOOST_AUTO_TEST_CASE(EN_9_what_is_delivered_stays_as_it_was) {
    Collector collector(TallyEnv(5), Calls(), CollectorOptions(3));
    const TensorDict first = *collector.next();
    const TensorDict copy = first.clone();
    for (int i = 0; i < 3; ++i) collector.next();
    BOOST_TEST(first.equal(copy));
}

BOOST_AUTO_TEST_CASE(EN_9_nothing_is_recorded) {
    nn::Linear layer(1, 1);
    bool recorded = true;
    const Policy policy = [&](TensorDict td) {
        recorded = GradMode::is_enabled();
        return td.set("action", layer(td["observation"]));
    };
    Collector collector(TallyEnv(5), policy, CollectorOptions(3));
    const TensorDict batch = *collector.next();
    BOOST_TEST(!recorded);
    BOOST_TEST(GradMode::is_enabled());
    BOOST_TEST(!batch["action"].requires_grad());
    // A policy that switches recording on does not get gradients into the batch either.
    Collector other(
        TallyEnv(5),
        [&](TensorDict td) {
            const EnableGradGuard grad;
            return td.set("action", layer(td["observation"]));
        },
        CollectorOptions(3));
    BOOST_TEST(!(*other.next())["action"].requires_grad());
}

BOOST_AUTO_TEST_CASE(EN_9_frames_that_do_not_divide_are_rounded_up_and_warned_about) {
    reel::testing::Warnings heard;
    Collector ragged(TallyEnv(5), Calls(), CollectorOptions(30, 50));
    BOOST_REQUIRE_EQUAL(heard.texts.size(), 1u);
    BOOST_TEST(heard.texts[0] ==
               "Collector: total_frames (50) is not a multiple of the frames of a batch (30): 10 more "
               "are delivered");
    int batches = 0;
    for (const TensorDict& batch : ragged) {
        BOOST_TEST(batch.batch_size() == Ints({30}), per_element());
        ++batches;
    }
    BOOST_TEST(batches == 2);
    BOOST_TEST(ragged.frames() == 60);

    heard.texts.clear();
    Collector three(TallyEnv(5, {3}), Calls(), CollectorOptions(10, 24));
    BOOST_REQUIRE_EQUAL(heard.texts.size(), 1u);
    BOOST_TEST(heard.texts[0] == "Collector: frames_per_batch (10) is not a multiple of the 3 environments: batches "
                                 "have 12 frames");
    BOOST_TEST(three.frames_per_batch() == 12);
    BOOST_TEST(three.next()->batch_size() == Ints({3, 4}), per_element());
}

BOOST_AUTO_TEST_CASE(EN_9_reset_at_each_iter) {
    Collector collector(TallyEnv(100), Calls(), CollectorOptions(3, 9).reset_at_each_iter(true));
    for (std::int64_t i = 0; i < 3; ++i) {
        const TensorDict batch = *collector.next();
        BOOST_TEST(values<float>(batch["observation"]) == Floats({0, 1, 2}), per_element());
        BOOST_TEST(ids_of(batch) == Ints({i, i, i}), per_element());
    }
}

BOOST_AUTO_TEST_CASE(EN_9_a_reset_that_was_asked_for_begins_new_trajectories) {
    Collector collector(TallyEnv(100), Calls(), CollectorOptions(3));
    collector.next();
    collector.reset();
    const TensorDict batch = *collector.next();
    BOOST_TEST(values<float>(batch["observation"]) == Floats({0, 1, 2}), per_element());
    BOOST_TEST(ids_of(batch) == Ints({1, 1, 1}), per_element());
}

BOOST_AUTO_TEST_CASE(EN_9_init_random_frames) {
    const Calls policy;
    Collector collector(TallyEnv(100), policy, CollectorOptions(4, 16).init_random_frames(6));
    collector.next();
    const TensorDict random = *collector.next(); // begins at frame 4
    BOOST_TEST(*policy.calls == 0);
    BOOST_TEST(random["action"].std().item<double>() > 0);
    collector.next();
    BOOST_TEST(*policy.calls == 4);
}

BOOST_AUTO_TEST_CASE(EN_9_max_frames_per_traj) {
    Collector collector(TallyEnv(100), Calls(), CollectorOptions(10).max_frames_per_traj(4));
    const TensorDict batch = *collector.next();
    const std::vector<bool> ends = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    BOOST_TEST(values<bool>(batch[{"next", "truncated"}]) == ends, per_element());
    BOOST_TEST(values<bool>(batch[{"next", "done"}]) == ends, per_element());
    BOOST_TEST(!(batch[{"next", "terminated"}].any().item<bool>()));
    BOOST_TEST(values<std::int64_t>(batch["step_count"]) == Ints({0, 1, 2, 3, 0, 1, 2, 3, 0, 1}), per_element());
    BOOST_TEST(ids_of(batch) == Ints({0, 0, 0, 0, 1, 1, 1, 1, 2, 2}), per_element());
    BOOST_TEST(message([] {
                   Collector(TransformedEnv(TallyEnv(9), StepCounter()), Calls(),
                             CollectorOptions(10).max_frames_per_traj(4));
               }) == "Collector: max_frames_per_traj counts steps under 'step_count', but TallyEnv has such an entry "
                     "already; give its StepCounter max_steps instead");
}

BOOST_AUTO_TEST_CASE(EN_9_splitting_comes_before_the_postproc) {
    std::vector<Ints> seen;
    const auto options = CollectorOptions(10, 20).split_trajs(true).postproc([&](TensorDict td) {
        seen.push_back(td.batch_size());
        return td.set("seen", reel::ones(td.batch_size()));
    });
    Collector collector(TallyEnv(4), Calls(), options);
    const TensorDict batch = *collector.next(); // 4 + 4 + 2 steps
    BOOST_REQUIRE_EQUAL(seen.size(), 1u);
    BOOST_TEST(seen[0] == Ints({3, 4}), per_element());
    BOOST_TEST(batch.batch_size() == Ints({3, 4}), per_element());
    BOOST_TEST(batch.contains("seen"));
    const std::vector<bool> mask = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    BOOST_TEST(values<bool>(batch[{"collector", "mask"}]) == mask, per_element());
    // The postproc's dictionary is what is delivered, whatever it is.
    Collector other(TallyEnv(4), Calls(),
                    CollectorOptions(3).postproc([](TensorDict td) { return td.select({"action"}); }));
    BOOST_TEST(other.next()->size() == 1u);
}

BOOST_AUTO_TEST_CASE(EN_9_exploration_type) {
    std::optional<ExplorationType> seen;
    const Policy policy = [&](TensorDict td) {
        seen = exploration_type();
        return td.set("action", td["observation"]);
    };
    Collector(TallyEnv(3), policy, CollectorOptions(2)).next();
    BOOST_TEST((seen == ExplorationType::RANDOM));
    Collector(TallyEnv(3), policy, CollectorOptions(2).exploration_type(ExplorationType::MODE)).next();
    BOOST_TEST((seen == ExplorationType::MODE));
    BOOST_TEST(!exploration_type().has_value());
    Collector as_without(TallyEnv(3), policy, CollectorOptions(2).exploration_type(std::nullopt));
    const set_exploration_type mean(ExplorationType::MEAN);
    as_without.next();
    BOOST_TEST((seen == ExplorationType::MEAN));
}

BOOST_AUTO_TEST_CASE(EN_7_a_missing_spec_comes_from_the_environment) {
    Collector collector(TallyEnv(4), RandomPolicy(), CollectorOptions(50, 50));
    BOOST_TEST((*collector.next())["action"].std().item<double>() > 0.5);
    Collector none(TallyEnv(4), nullptr, CollectorOptions(50, 50));
    BOOST_TEST((*none.next())["action"].std().item<double>() > 0.5);
}

BOOST_AUTO_TEST_CASE(EN_9_the_older_name) {
    SyncDataCollector collector(GymEnv("CartPole-v1"), RandomPolicy(), CollectorOptions(200, 200));
    const TensorDict batch = *collector.next();
    BOOST_TEST((batch[{"next", "reward"}].sizes().vec()) == Ints({200, 1}), per_element());
    BOOST_TEST((batch["action"].sum(-1) == 1).all().item<bool>());
    const Tensor ended = batch[{"next", "done"}].squeeze(-1).slice(0, 0, 199);
    const Tensor ids = batch[{"collector", "traj_ids"}];
    BOOST_TEST(((ids.slice(0, 1) - ids.slice(0, 0, 199)) == ended.to(kLong)).all().item<bool>());
}

BOOST_AUTO_TEST_CASE(EN_9_a_policy_may_return_a_dictionary_of_its_own) {
    const Policy policy = [](TensorDict td) {
        TensorDict own;
        own.set("action", td["observation"] + 0.5);
        own.set({"extra", "twice"}, td["observation"] * 2);
        return own;
    };
    Collector collector(TallyEnv(3), policy, CollectorOptions(5));
    const TensorDict batch = *collector.next();
    BOOST_TEST(values<float>(batch["action"]) == Floats({0.5, 1.5, 2.5, 0.5, 1.5}), per_element());
    BOOST_TEST(values<float>(batch[{"extra", "twice"}]) == Floats({0, 2, 4, 0, 2}), per_element());
}

BOOST_AUTO_TEST_CASE(seeds_decide_everything) {
    const Policy noisy = [](TensorDict td) { return td.set("action", reel::randn({1})); };
    const auto run = [&](std::int64_t seed) {
        Collector collector(TallyEnv(3), noisy, CollectorOptions(7));
        collector.set_seed(seed);
        collector.next();
        return *collector.next();
    };
    const TensorDict once = run(3), again = run(3), other = run(4);
    BOOST_TEST(once.equal(again));
    BOOST_TEST(!once["noise"].equal(other["noise"]));
    BOOST_TEST(!once["action"].equal(other["action"]));
    // A collector that was not seeded follows the default generator as it was when it was made.
    const auto unseeded = [&] {
        manual_seed(5);
        Collector collector(TallyEnv(3), noisy, CollectorOptions(7));
        reel::randn({3});
        return *collector.next();
    };
    BOOST_TEST(unseeded().equal(unseeded()));
    // Collecting leaves the default generator alone.
    Collector collector(TallyEnv(3), noisy, CollectorOptions(7));
    manual_seed(6);
    const Tensor expected = reel::randn({2});
    manual_seed(6);
    collector.next();
    BOOST_TEST(reel::randn({2}).equal(expected));
}

BOOST_AUTO_TEST_CASE(a_restored_collector_goes_on_bit_for_bit) {
    const Policy noisy = [](TensorDict td) { return td.set("action", reel::randn(td["observation"].sizes())); };
    const auto make = [&] { return std::make_unique<Collector>(TallyEnv(3, {2}), noisy, CollectorOptions(10, 60)); };
    const auto whole = make();
    whole->set_seed(1);
    whole->next();
    whole->next();
    const TensorDict state = whole->state_dict().clone();
    std::vector<TensorDict> expected;
    for (const TensorDict& batch : *whole) expected.push_back(batch);
    BOOST_TEST(expected.size() == 4u);

    const auto resumed = make();
    resumed->load_state_dict(state);
    BOOST_TEST(resumed->frames() == 20);
    BOOST_TEST(resumed->iterations() == 2);
    std::size_t i = 0;
    for (const TensorDict& batch : *resumed) BOOST_TEST(batch.equal(expected.at(i++)));
    BOOST_TEST(i == 4u);

    // States of something else change nothing.
    const auto victim = make();
    victim->load_state_dict(state);
    Collector single(TallyEnv(3), noisy, CollectorOptions(10));
    single.next();
    BOOST_TEST(
        message([&] { victim->load_state_dict(single.state_dict()); }) ==
        "Collector.load_state_dict: the state is that of environments of batch size [] (1 trajectories), here it "
        "is [2]");
    BOOST_CHECK_THROW(victim->load_state_dict(state.exclude({"env"})), KeyError);
    BOOST_CHECK_THROW(victim->load_state_dict(state.exclude({"frames"})), KeyError);
    BOOST_TEST(victim->next()->equal(expected[0]));
}

BOOST_AUTO_TEST_CASE(a_state_of_before_the_first_batch) {
    Collector collector(TallyEnv(3), nullptr, CollectorOptions(4));
    collector.set_seed(8);
    const TensorDict state = collector.state_dict();
    const TensorDict first = *collector.next();
    collector.load_state_dict(state);
    BOOST_TEST(collector.next()->equal(first));
}

BOOST_AUTO_TEST_CASE(entries_of_all_shapes_and_layouts) {
    // Categorical actions of a single environment have no dimension at all.
    Collector categorical(GymEnv("CartPole-v1", GymEnvOptions().categorical_action_encoding(true)), nullptr,
                          CollectorOptions(20));
    BOOST_TEST(((*categorical.next())["action"].sizes().vec()) == Ints({20}), per_element());
    const Policy strided = [](TensorDict td) {
        const Tensor seen = td["observation"]; // [2, 1]
        td.set("action", seen + 1);
        td.set("turned", reel::stack({seen.squeeze(-1), seen.squeeze(-1) * 2, seen.squeeze(-1) * 3}).t());
        td.set("wide", (seen + 1).expand({2, 4}));
        td.set("none", reel::empty({2, 0}));
        return td.set("flat", seen.squeeze(-1) > 0);
    };
    Collector collector(TallyEnv(5, {2}), strided, CollectorOptions(6));
    const TensorDict batch = *collector.next();
    const Tensor seen = batch["observation"]; // [2, 3, 1]
    BOOST_TEST(batch["turned"].equal(seen * reel::tensor({1.f, 2.f, 3.f})));
    BOOST_TEST(batch["wide"].equal((seen + 1).expand({2, 3, 4})));
    BOOST_TEST((batch["none"].sizes().vec()) == Ints({2, 3, 0}), per_element());
    BOOST_TEST(batch["flat"].equal(seen.squeeze(-1) > 0));
}

BOOST_AUTO_TEST_CASE(EN_9_device) {
    Collector collector(TallyEnv(5), nullptr, CollectorOptions(6).device(Device("meta")));
    for (int i = 0; i < 2; ++i) {
        const TensorDict batch = *collector.next();
        for (const auto& item : batch.items(true, true)) BOOST_TEST(item.second.tensor().is_meta());
    }
}

BOOST_AUTO_TEST_SUITE_END()
