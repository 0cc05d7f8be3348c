// Draws by priority (Schaul et al. 2016).
#include <reel/rl/replay/prioritized_replay_buffer.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <message.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/replay/lazy_tensor_storage.hpp>

using namespace reel;
using namespace reel::rl;
using reel::testing::message;
namespace tt = boost::test_tools;

namespace {

TensorDict frames(std::int64_t count) { return TensorDict({{"a", arange(count, kFloat)}}, {count}); }
ReplayBufferOptions places(std::int64_t n) { return ReplayBufferOptions().storage(LazyTensorStorage(n)); }
TensorDictReplayBufferOptions td_places(std::int64_t n) {
    return TensorDictReplayBufferOptions().storage(LazyTensorStorage(n));
}

} // namespace

BOOST_AUTO_TEST_SUITE(replay_prioritized, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(entries_come_as_their_priorities_say) {
    constexpr std::int64_t n = 30;
    PrioritizedReplayBuffer buffer(0.7, 0.5, places(100).batch_size(n));
    buffer.extend(frames(n));
    buffer.set_seed(11);
    const Tensor priority = arange(n, kDouble);
    buffer.update_priority(arange(n), priority);
    const Tensor p = priority.add(1e-8).pow(0.7);
    const Tensor expected = p / p.sum();
    std::vector<double> count(n, 0.0);
    constexpr int rounds = 3000;
    for (int r = 0; r < rounds; ++r) {
        const Tensor index = buffer.sample_with_info().index;
        for (std::int64_t k = 0; k < n; ++k) ++count[std::size_t(index[k].item<std::int64_t>())];
    }
    double chi2 = 0;
    for (std::int64_t i = 1; i < n; ++i) {
        const double e = expected[i].item<double>() * rounds * double(n);
        chi2 += (count[std::size_t(i)] - e) * (count[std::size_t(i)] - e) / e;
    }
    BOOST_TEST(chi2 < 56.9);  // 28 degrees of freedom, p = 0.001
    BOOST_TEST(count[0] < 5); // its p is 1e-8^0.7 of a sum of 215: twice in a million draws
}

BOOST_AUTO_TEST_CASE(weights_make_up_for_it) {
    // the figures are those of torchrl 0.14's PrioritizedSampler for these priorities
    PrioritizedReplayBuffer buffer(0.7, 0.5, places(10));
    buffer.extend(frames(6));
    BOOST_TEST(buffer.sample_with_info(6).weight.equal(ones({6})));
    buffer.update_priority(tensor({0, 3, 4, 1}), tensor({1., 2., 3., 4.}));
    const double expected[] = {1, 2.6390, 1, 1.6245, 2.1577, 1};
    for (int i = 0; i < 6; ++i) BOOST_TEST(buffer.prioritized_sampler()[i] == expected[i], tt::tolerance(1e-4));
    BOOST_TEST(buffer.prioritized_sampler()[6] == 0);
    BOOST_TEST(buffer.prioritized_sampler().max_priority() == 4);
    const ReplaySample s = buffer.sample_with_info(6);
    BOOST_TEST((s.weight.scalar_type() == kFloat));
    for (int k = 0; k < 6; ++k)
        BOOST_TEST(s.weight[k].item<double>() == std::pow(expected[s.index[k].item<std::int64_t>()], -0.5),
                   tt::tolerance(1e-4));
    // a new entry has the largest priority so far
    buffer.extend(frames(1));
    BOOST_TEST(buffer.prioritized_sampler()[6] == 2.6390, tt::tolerance(1e-4));
    buffer.prioritized_sampler().set_beta(0);
    BOOST_TEST(buffer.sample_with_info(4).weight.equal(ones({4})));
}

BOOST_AUTO_TEST_CASE(new_entries_take_the_places_and_priorities_of_old_ones) {
    PrioritizedReplayBuffer buffer(1, 1, places(4), 0);
    buffer.extend(frames(4));
    buffer.update_priority(arange(4), tensor({0., 0., 0., 5.}));
    for (int r = 0; r < 20; ++r) BOOST_TEST(buffer.sample_with_info(4).index.equal(full({4}, 3, kLong)));
    buffer.extend(frames(1));
    BOOST_TEST(buffer.prioritized_sampler()[0] == 5);
    buffer.update_priority(3, 0);
    for (int r = 0; r < 20; ++r) BOOST_TEST(buffer.sample_with_info(4).index.equal(zeros({4}, kLong)));
    buffer.clear();
    BOOST_TEST(buffer.prioritized_sampler()[0] == 0);
    buffer.extend(frames(3));
    BOOST_TEST(buffer.prioritized_sampler()[0] == 1);
}

BOOST_AUTO_TEST_CASE(samples_know_where_they_come_from) {
    TensorDictPrioritizedReplayBuffer buffer(1, 1, td_places(10).batch_size(4), 0);
    BOOST_TEST(buffer.extend(frames(6).set("td_error", tensor({1., 0., 0., 0., 3., 0.}))).numel() == 6);
    BOOST_TEST(buffer.prioritized_sampler()[4] == 3);
    TensorDict s = buffer.sample();
    BOOST_TEST(s["a"].equal(s["index"].to(kFloat)));
    for (int k = 0; k < 4; ++k)
        BOOST_TEST((s["index"][k].item<std::int64_t>() == 0 || s["index"][k].item<std::int64_t>() == 4));
    BOOST_TEST((s["priority_weight"].scalar_type() == kFloat));
    // several numbers for one entry: the largest counts
    s.set("td_error", ones({4, 3}) * tensor({1., 7., 2.}));
    buffer.update_tensordict_priority(s);
    BOOST_TEST(buffer.prioritized_sampler()[s["index"][0].item<std::int64_t>()] == 7);
    // what was drawn may be stored again
    s = buffer.sample();
    buffer.extend(s);
    BOOST_TEST(!buffer.storage()
                    .state_dict()
                    .toGenericDict()
                    .at("data")
                    .toGenericDict()
                    .at("entries")
                    .toGenericDict()
                    .contains("index"));
    for (const auto& [how, expected] : {std::pair{"min", 1.}, {"mean", 10. / 3}, {"median", 2.}}) {
        TensorDictPrioritizedReplayBuffer other(1, 1, td_places(3).reduction(how), 0);
        other.extend(frames(3).set("td_error", ones({3, 3}) * tensor({1., 7., 2.})));
        BOOST_TEST(other.prioritized_sampler()[0] == expected, tt::tolerance(1e-6));
    }
    TensorDictReplayBuffer even(td_places(4));
    even.extend(frames(3));
    BOOST_TEST(even.sample(2).contains("index"));
    BOOST_TEST(!even.sample(2).contains("priority_weight"));
    even.update_priority(0, 3); // of no use, and no error
    BOOST_CHECK_THROW(TensorDictReplayBuffer(td_places(4).reduction("sum")), ValueError);
}

BOOST_AUTO_TEST_CASE(priorities_that_are_none_change_nothing) {
    PrioritizedReplayBuffer buffer(0.6, 0.4, places(10));
    buffer.extend(frames(3));
    buffer.update_priority(arange(3), tensor({1., 2., 3.}));
    const double before[] = {buffer.prioritized_sampler()[0], buffer.prioritized_sampler()[1]};
    const auto refused = [&](const Tensor& index, const Tensor& priority) {
        const std::string text = message([&] { buffer.update_priority(index, priority); });
        for (int i = 0; i < 2; ++i) BOOST_TEST(buffer.prioritized_sampler()[i] == before[i]);
        return text;
    };
    const char* expected = "; expected a finite number that is not negative, such as the absolute TD error";
    BOOST_TEST(refused(tensor({0, 1}), tensor({5., -1.})) ==
               std::string("PrioritizedSampler: the priority of entry 1 is -1") + expected);
    BOOST_TEST(refused(tensor({0, 1}), tensor({5., double(NAN)})) ==
               std::string("PrioritizedSampler: the priority of entry 1 is nan") + expected);
    BOOST_TEST(refused(tensor({0, 1}), tensor({5., double(INFINITY)})) ==
               std::string("PrioritizedSampler: the priority of entry 1 is inf") + expected);
    BOOST_TEST(refused(tensor({0, 7}), tensor({5., 1.})) ==
               "ReplayBuffer: update_priority: the index 7 is out of range, the buffer holds 3 entries");
    BOOST_TEST(refused(tensor({0, 1}), tensor({5., 1., 2.})) ==
               "ReplayBuffer: update_priority: the index is [2], the priority is [3]; expected one priority for each "
               "entry");
    TensorDictPrioritizedReplayBuffer tds(1, 1, td_places(5));
    tds.extend(frames(2).set("td_error", ones({2})));
    BOOST_CHECK_THROW(tds.extend(frames(2).set("td_error", -ones({2}))), ValueError);
    BOOST_TEST(tds.size() == 2);
    BOOST_CHECK_THROW(tds.update_tensordict_priority(frames(2)), KeyError);
}

BOOST_AUTO_TEST_CASE(impossible_samplers) {
    BOOST_TEST(message([] { PrioritizedSampler(10, -1, 0.5); }) ==
               "PrioritizedSampler: alpha is -1, expected a finite number that is not negative");
    BOOST_CHECK_THROW(PrioritizedSampler(10, 1, NAN), ValueError);
    BOOST_CHECK_THROW(PrioritizedSampler(0, 1, 1), ValueError);
    BOOST_TEST(message([] { ReplayBuffer(places(5).sampler(PrioritizedSampler(10, 1, 1))); }) ==
               "PrioritizedSampler: it is made for 10 entries, the storage has 5 places");
    BOOST_CHECK_THROW(PrioritizedReplayBuffer(1, 1, places(5).sampler(PrioritizedSampler(5, 1, 1))), ValueError);
    BOOST_CHECK_THROW(PrioritizedReplayBuffer(1, 1, ReplayBufferOptions()), ValueError);
    PrioritizedReplayBuffer zero(1, 1, places(5), 0);
    zero.extend(frames(2));
    zero.update_priority(arange(2), zeros({2}));
    BOOST_TEST(message([&] { zero.sample(1); }) ==
               "PrioritizedSampler: the 2 priorities sum to 0; expected a positive finite sum");
}

BOOST_AUTO_TEST_SUITE_END()
