// What is written comes back: places, order, samples, threads, and what is refused.
#include <reel/rl/replay/replay_buffer.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

#include <message.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/replay/lazy_tensor_storage.hpp>
#include <reel/rl/replay/list_storage.hpp>
#include <reel/rl/replay/sampler_without_replacement.hpp>

using namespace reel;
using namespace reel::rl;
using boost::test_tools::per_element;
using reel::testing::message;

namespace {

/// Frames numbered from `first` on; the number is everywhere.
TensorDict frames(std::int64_t first, std::int64_t count) {
    const Tensor n = arange(first, first + count, 1, kFloat);
    return TensorDict({{"a", n.unsqueeze(1).expand({count, 3}).contiguous()}, {{"next", "reward"}, n.unsqueeze(1)}},
                      {count});
}
std::vector<std::int64_t> values(const Tensor& t) {
    const Tensor wide = t.to(kLong).contiguous();
    return {wide.data_ptr<std::int64_t>(), wide.data_ptr<std::int64_t>() + wide.numel()};
}
using Ints = std::vector<std::int64_t>;
/// Which frames the buffer holds, place after place.
Ints held(const ReplayBuffer& buffer) { return values(buffer.get(arange(buffer.size()))[{"next", "reward"}]); }

ReplayBufferOptions ring(std::int64_t places) { return ReplayBufferOptions().storage(LazyTensorStorage(places)); }

/// Stores every other row, and counts.
struct EverySecond : ReplayTransform {
    std::int64_t writes = 0;
    std::optional<TensorDict> on_write(TensorDict data) override {
        ++writes;
        if (data.batch_size(0) < 2) return std::nullopt;
        return data[indexing::Slice(0, indexing::None, 2)];
    }
    TensorDict on_sample(TensorDict sample) override {
        sample.set("seen", ones({sample.batch_size(0)}));
        return sample;
    }
    Value state_dict() const override { return writes; }
    void load_state_dict(const Value& state) override { writes = state.toInt(); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(replay_buffer, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(places_go_round) {
    ReplayBuffer buffer(ring(10));
    BOOST_TEST(buffer.empty());
    BOOST_TEST(values(buffer.extend(frames(0, 6))) == (Ints{0, 1, 2, 3, 4, 5}), per_element());
    BOOST_TEST(buffer.size() == 6);
    BOOST_TEST(values(buffer.extend(frames(6, 6))) == (Ints{6, 7, 8, 9, 0, 1}), per_element());
    BOOST_TEST(buffer.size() == 10);
    BOOST_TEST(held(buffer) == (Ints{10, 11, 2, 3, 4, 5, 6, 7, 8, 9}), per_element());
    BOOST_TEST(buffer.add(frames(12, 1)[0]).value() == 2);
    BOOST_TEST(buffer.writer().cursor() == 3);
    BOOST_TEST(buffer.writer().write_count() == 13);
    buffer.clear();
    BOOST_TEST(buffer.empty());
    BOOST_TEST(buffer.add(frames(1, 1)[0]).value() == 0);
}

BOOST_AUTO_TEST_CASE(of_more_rows_than_places_the_last_stay) {
    // where each row went and what stayed are as torchrl 0.14 has them
    ReplayBuffer buffer(ring(10));
    buffer.extend(frames(100, 8));
    const Tensor places = buffer.extend(frames(0, 25));
    BOOST_TEST(values(places.narrow(0, 0, 4)) == (Ints{8, 9, 0, 1}), per_element());
    BOOST_TEST(held(buffer) == (Ints{22, 23, 24, 15, 16, 17, 18, 19, 20, 21}), per_element());
    BOOST_TEST(buffer.writer().cursor() == 3);
    BOOST_TEST(buffer.extend(frames(0, 0)).numel() == 0);
}

BOOST_AUTO_TEST_CASE(entries_keep_their_structure_and_are_copies) {
    ReplayBuffer buffer(ring(5));
    TensorDict rows({{"obs", randn({4, 7, 2}).requires_grad_()},
                     {{"next", "done"}, zeros({4, 7, 1}, kBool)},
                     {{"deep", "er", "id"}, arange(28).view({4, 7})}},
                    {4, 7});
    const Tensor before = rows["obs"].detach().clone();
    buffer.extend(rows);
    rows["obs"].detach().zero_();
    const TensorDict back = buffer.get(tensor({3, 1}));
    BOOST_TEST(back.batch_size() == (Ints{2, 7}), per_element());
    BOOST_TEST(back["obs"].equal(before.index({tensor({3, 1})})));
    BOOST_TEST(!back["obs"].requires_grad());
    BOOST_TEST((back[{"next", "done"}].scalar_type() == kBool));
    BOOST_TEST(values(back[{"deep", "er", "id"}][0]) == (Ints{21, 22, 23, 24, 25, 26, 27}), per_element());
    back["obs"].zero_();
    BOOST_TEST(buffer.get(tensor({3, 1}))["obs"].equal(before.index({tensor({3, 1})})));
}

BOOST_AUTO_TEST_CASE(samples_are_even) {
    ReplayBuffer buffer(ring(20).batch_size(10));
    buffer.extend(frames(0, 20));
    buffer.set_seed(7);
    std::vector<double> count(20, 0.0);
    constexpr int rounds = 2000;
    for (int r = 0; r < rounds; ++r) {
        const ReplaySample s = buffer.sample_with_info();
        BOOST_TEST_REQUIRE(s.data.batch_size(0) == 10);
        BOOST_TEST_REQUIRE(values(s.data[{"next", "reward"}]) == values(s.index), per_element());
        BOOST_TEST_REQUIRE(!s.weight.defined());
        for (const std::int64_t i : values(s.index)) ++count[std::size_t(i)];
    }
    double chi2 = 0;
    const double expected = rounds * 10 / 20.0;
    for (const double c : count) chi2 += (c - expected) * (c - expected) / expected;
    BOOST_TEST(chi2 < 43.8); // 19 degrees of freedom, p = 0.001
}

BOOST_AUTO_TEST_CASE(seeds_decide) {
    const auto draw = [](std::uint64_t seed) {
        ReplayBuffer buffer(ring(50));
        buffer.extend(frames(0, 50));
        buffer.set_seed(seed);
        return values(buffer.sample_with_info(30).index);
    };
    BOOST_TEST(draw(1) == draw(1), per_element());
    BOOST_TEST((draw(1) != draw(2)));
    // without a generator of its own it follows manual_seed
    ReplayBuffer buffer(ring(50));
    buffer.extend(frames(0, 50));
    manual_seed(3);
    const Ints first = values(buffer.sample_with_info(30).index);
    manual_seed(3);
    BOOST_TEST(values(buffer.sample_with_info(30).index) == first, per_element());
}

BOOST_AUTO_TEST_CASE(without_replacement_every_entry_comes_once) {
    // sizes of the batches as torchrl 0.14 has them
    auto sampler = std::make_shared<SamplerWithoutReplacement>();
    ReplayBuffer buffer(ring(10).sampler(sampler).batch_size(4));
    buffer.set_seed(1);
    buffer.extend(frames(0, 6));
    std::vector<Ints> passes;
    for (int pass = 0; pass < 3; ++pass) {
        Ints all = values(buffer.sample_with_info().index);
        BOOST_TEST(all.size() == 4u);
        BOOST_TEST(!sampler->ran_out());
        const Ints rest = values(buffer.sample_with_info().index);
        BOOST_TEST(rest.size() == 2u);
        BOOST_TEST(sampler->ran_out());
        all.insert(all.end(), rest.begin(), rest.end());
        passes.push_back(all);
        std::sort(all.begin(), all.end());
        BOOST_TEST(all == (Ints{0, 1, 2, 3, 4, 5}), per_element());
    }
    BOOST_TEST((passes[0] != passes[1] || passes[1] != passes[2]));
    // more entries: a pass over all of them begins
    buffer.sample();
    buffer.extend(frames(6, 2));
    Ints all = values(buffer.sample_with_info().index);
    const Ints rest = values(buffer.sample_with_info().index);
    all.insert(all.end(), rest.begin(), rest.end());
    std::sort(all.begin(), all.end());
    BOOST_TEST(all == (Ints{0, 1, 2, 3, 4, 5, 6, 7}), per_element());
}

BOOST_AUTO_TEST_CASE(without_replacement_the_rest_may_be_dropped) {
    ReplayBuffer buffer(ring(10).sampler(SamplerWithoutReplacement(true, false)));
    buffer.extend(frames(0, 6));
    for (int i = 0; i < 3; ++i)
        BOOST_TEST(values(buffer.sample_with_info(4).index) == (Ints{0, 1, 2, 3}), per_element());
}

BOOST_AUTO_TEST_CASE(entries_of_a_list_may_differ) {
    ReplayBuffer buffer(ReplayBufferOptions().storage(ListStorage(3)));
    for (const std::int64_t length : {2, 5, 5, 3}) buffer.add(TensorDict({{"x", full({length}, length)}}, {}));
    BOOST_TEST(buffer.size() == 3);
    BOOST_TEST(buffer.get(tensor({1, 2}))["x"].sizes() == IntArrayRef({2, 5}));
    BOOST_TEST(buffer.get(tensor({0}))["x"].sizes() == IntArrayRef({1, 3}));
}

BOOST_AUTO_TEST_CASE(transforms_see_writes_and_samples) {
    auto transform = std::make_shared<EverySecond>();
    ReplayBuffer buffer(ring(10).transform(transform));
    BOOST_TEST(!buffer.add(frames(0, 1)[0]).has_value());
    BOOST_TEST(values(buffer.extend(frames(0, 5))) == (Ints{0, 1, 2}), per_element());
    BOOST_TEST(held(buffer) == (Ints{0, 2, 4}), per_element());
    BOOST_TEST(buffer.sample(2)["seen"].sum().item<double>() == 2);
    BOOST_TEST(transform->writes == 2);
    // a write that fails is none for the transform either
    BOOST_CHECK_THROW(buffer.extend(TensorDict({{"b", zeros({4})}}, {4})), KeyError);
    BOOST_TEST(transform->writes == 2);
}

BOOST_AUTO_TEST_CASE(rows_that_do_not_fit_change_nothing) {
    ReplayBuffer buffer(ring(10));
    buffer.extend(frames(0, 6));
    const auto refused = [&](const TensorDict& rows) {
        const std::string text = message([&] { buffer.extend(rows); });
        BOOST_TEST(held(buffer) == (Ints{0, 1, 2, 3, 4, 5}), per_element());
        BOOST_TEST(buffer.writer().cursor() == 6);
        return text;
    };
    TensorDict rows = frames(0, 2);
    rows.rename_key_("a", "b");
    BOOST_TEST(refused(rows) == "LazyTensorStorage: the rows have no tensor 'a', which the entries stored so far have: "
                                "'a', ('next', 'reward'); the nearest that there is: 'b'");
    rows = frames(0, 2).set("extra", zeros({2}));
    BOOST_TEST(refused(rows) ==
               "LazyTensorStorage: the rows have an entry 'extra' that those stored so far do not have: "
               "'a', ('next', 'reward'); leave it out with exclude({'extra'}), or clear() the buffer "
               "and store it from the start");
    rows = frames(0, 2).set("a", zeros({2, 4}));
    BOOST_TEST(refused(rows) == "LazyTensorStorage: 'a' is [2, 4], but entries are stored as [10, 3]: after the first, "
                                "all sizes must agree");
    rows = frames(0, 2).set("a", zeros({2, 3}, kDouble));
    BOOST_TEST(refused(rows) == "LazyTensorStorage: 'a' is Double, but entries are stored as Float");
    BOOST_TEST(refused(TensorDict({{"a", zeros({3})}}, {})) ==
               "ReplayBuffer: extend expects rows [n, ...], the batch size is []; a single entry is stored by add()");
    ReplayBuffer fresh(ring(3));
    BOOST_TEST(message([&] { fresh.extend(TensorDict({2})); }) == "LazyTensorStorage: the rows have no entries at all");
}

BOOST_AUTO_TEST_CASE(samples_and_places_that_there_are_not) {
    ReplayBuffer buffer(ring(10));
    BOOST_TEST(message([&] { buffer.sample(4); }) ==
               "ReplayBuffer: cannot sample 4 entries, the buffer holds 0; extend it first, or sample fewer");
    buffer.extend(frames(0, 3));
    BOOST_TEST(message([&] { buffer.sample(4); }) ==
               "ReplayBuffer: cannot sample 4 entries, the buffer holds 3; extend it first, or sample fewer");
    BOOST_TEST(message([&] { buffer.sample(); }) ==
               "ReplayBuffer: sample() needs a batch size: give it one, or the buffer's options");
    BOOST_TEST(message([&] { buffer.sample(0); }) == "ReplayBuffer: batch_size is 0, expected at least 1");
    BOOST_TEST(message([&] {
                   buffer.get(tensor({0, 3}));
               }) == "ReplayBuffer: get: the index 3 is out of range, the buffer holds 3 entries");
    BOOST_TEST(message([&] { buffer.get(tensor({-1})); }) ==
               "ReplayBuffer: get: the index -1 is out of range, the buffer holds 3 entries");
    BOOST_CHECK_THROW(buffer.get(tensor({0.5})), TypeError);
    BOOST_CHECK_THROW(ReplayBuffer{ReplayBufferOptions{}}, ValueError);
    BOOST_CHECK_THROW(ReplayBuffer(ring(3).batch_size(0)), ValueError);
    BOOST_TEST(message([] { LazyTensorStorage(0); }) == "replay storage: max_size is 0, expected at least 1");
    BOOST_CHECK_THROW(buffer.append_transform(nullptr), ValueError);
}

BOOST_AUTO_TEST_CASE(one_writer_and_several_samplers) {
    ReplayBuffer buffer(ring(64));
    buffer.extend(frames(0, 64));
    std::atomic<bool> done = false;
    std::atomic<int> torn = 0;
    std::vector<std::thread> readers;
    for (int t = 0; t < 3; ++t)
        readers.emplace_back([&] {
            while (!done) {
                const TensorDict s = buffer.sample(16);
                const Tensor reward = s[{"next", "reward"}];
                if (!s["a"].equal(reward.expand({16, 3}))) ++torn;
            }
        });
    for (int i = 0; i < 300; ++i) buffer.extend(frames(i * 7, 7));
    done = true;
    for (std::thread& t : readers) t.join();
    BOOST_TEST(torn == 0);
    BOOST_TEST(buffer.writer().write_count() == 64 + 2100);
}

BOOST_AUTO_TEST_SUITE_END()
