// Slices of trajectories.
#include <reel/rl/replay/slice_sampler.hpp>

#include <boost/test/unit_test.hpp>

#include <set>

#include <message.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/replay/lazy_tensor_storage.hpp>
#include <reel/rl/replay/replay_buffer.hpp>

using namespace reel;
using namespace reel::rl;
using reel::testing::message;

namespace {

/// One trajectory after the other; "t" counts all steps, "id" trajectories.
TensorDict trajectories(std::initializer_list<std::int64_t> lengths, std::int64_t first_step = 0,
                        std::int64_t first_id = 0) {
    std::vector<std::int64_t> step, id;
    std::vector<bool> done;
    for (const std::int64_t n : lengths) {
        for (std::int64_t i = 0; i < n; ++i) {
            step.push_back(first_step++);
            id.push_back(first_id);
            done.push_back(i + 1 == n);
        }
        ++first_id;
    }
    const std::int64_t n = std::int64_t(step.size());
    return TensorDict({{"t", tensor(step)},
                       {"id", tensor(id)},
                       {{"next", "done"}, tensor(done).unsqueeze(1)},
                       {{"next", "truncated"}, zeros({n, 1}, kBool)}},
                      {n});
}
ReplayBufferOptions places(std::int64_t n, SliceSamplerOptions slices) {
    return ReplayBufferOptions().storage(LazyTensorStorage(n)).sampler(SliceSampler(slices));
}
/// Consecutive steps of one trajectory; the last one is marked.
void check_slices(const TensorDict& sample, std::int64_t length) {
    const std::int64_t n = sample.batch_size(0);
    BOOST_TEST_REQUIRE(n % length == 0);
    const Tensor t = sample["t"].view({-1, length}), id = sample["id"].view({-1, length});
    BOOST_TEST((t - t.narrow(1, 0, 1)).equal(arange(length).expand({n / length, length})));
    BOOST_TEST(id.equal(id.narrow(1, 0, 1).expand({n / length, length})));
    const Tensor truncated = sample[{"next", "truncated"}].view({-1, length});
    BOOST_TEST(truncated.select(1, length - 1).all().item<bool>());
    BOOST_TEST(!truncated.narrow(1, 0, length - 1).any().item<bool>());
    const Tensor done = sample[{"next", "done"}].view({-1, length});
    BOOST_TEST(done.select(1, length - 1).all().item<bool>());
}

} // namespace

BOOST_AUTO_TEST_SUITE(replay_slices)

BOOST_AUTO_TEST_CASE(slices_stay_within_trajectories) {
    for (const bool by_id : {false, true}) {
        SliceSamplerOptions options;
        options.slice_len(3);
        if (by_id) options.traj_key(NestedKey("id"));
        ReplayBuffer buffer(places(40, options));
        buffer.set_seed(5);
        buffer.extend(trajectories({5, 2, 3, 9}));
        std::set<std::int64_t> starts;
        for (int r = 0; r < 60; ++r) {
            const TensorDict s = buffer.sample(12);
            check_slices(s, 3);
            for (int k = 0; k < 4; ++k) starts.insert(s["t"][3 * k].item<std::int64_t>());
        }
        // every place at which a slice of three fits
        BOOST_TEST((starts == std::set<std::int64_t>{0, 1, 2, 7, 10, 11, 12, 13, 14, 15, 16}));
    }
}

BOOST_AUTO_TEST_CASE(over_the_ring_s_end_too) {
    ReplayBuffer buffer(places(12, SliceSamplerOptions().num_slices(2)));
    buffer.set_seed(6);
    buffer.extend(trajectories({5, 5}));
    buffer.extend(trajectories({6}, 10, 2)); // steps 4 to 15 are left, the last six over the end
    std::set<std::int64_t> starts;
    for (int r = 0; r < 80; ++r) {
        const TensorDict s = buffer.sample(8);
        check_slices(s, 4);
        starts.insert(s["t"][0].item<std::int64_t>());
        starts.insert(s["t"][4].item<std::int64_t>());
    }
    BOOST_TEST((starts == std::set<std::int64_t>{5, 6, 10, 11, 12}));
    // new entries are seen
    buffer.extend(trajectories({12}, 100, 9));
    check_slices(buffer.sample(8), 4);
    BOOST_TEST(buffer.sample(8)["t"].min().item<std::int64_t>() >= 100);
}

BOOST_AUTO_TEST_CASE(short_trajectories_come_whole_if_wanted) {
    ReplayBuffer buffer(places(12, SliceSamplerOptions().slice_len(4).strict_length(false)));
    buffer.extend(trajectories({2, 2, 2}));
    const TensorDict s = buffer.sample(4);
    BOOST_TEST(s.batch_size(0) == 2);
    check_slices(s, 2);
}

BOOST_AUTO_TEST_CASE(impossible_slices) {
    BOOST_TEST(message([] { SliceSampler{SliceSamplerOptions{}}; }) ==
               "SliceSampler: expected either num_slices or slice_len, got none");
    BOOST_TEST(message([] { SliceSampler(SliceSamplerOptions().num_slices(1).slice_len(2)); }) ==
               "SliceSampler: expected either num_slices or slice_len, got both");
    BOOST_TEST(message([] { SliceSampler(SliceSamplerOptions().slice_len(0)); }) ==
               "SliceSampler: slice_len is 0, expected at least 1");
    ReplayBuffer buffer(places(12, SliceSamplerOptions().slice_len(4)));
    buffer.extend(trajectories({3, 2, 3}));
    BOOST_TEST(message([&] { buffer.sample(6); }) ==
               "SliceSampler: the batch size 6 is no multiple of slice_len, which is 4");
    BOOST_TEST(message([&] { buffer.sample(4); }) ==
               "SliceSampler: no trajectory is long enough for slices of 4 entries, the longest has 3; turn "
               "strict_length off to take shorter ones whole");
    ReplayBuffer flags(places(12, SliceSamplerOptions().slice_len(1).end_key("t")));
    flags.extend(trajectories({3}));
    BOOST_TEST(message([&] { flags.sample(2); }) == "SliceSampler: end_key: 't' is Long, expected Bool");
    ReplayBuffer missing(places(12, SliceSamplerOptions().slice_len(1).end_key("dnoe")));
    missing.extend(trajectories({3}));
    BOOST_CHECK_THROW(missing.sample(2), KeyError);
}

BOOST_AUTO_TEST_SUITE_END()
