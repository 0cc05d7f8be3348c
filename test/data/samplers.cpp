// Samplers: order, sizes, and going on where one stood.
#include <reel/data/samplers.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>

#include <reel/autograd/archive.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/serialize/save_load.hpp>

using namespace reel;
using namespace reel::data;
using namespace reel::data::samplers;
using boost::test_tools::per_element;

namespace {
using Indices = std::vector<std::size_t>;
auto says(const char* text) {
    return [text](const Error& e) {
        BOOST_TEST_MESSAGE(e.msg());
        return e.msg().find(text) != std::string::npos;
    };
}
/// What is left of the pass, in requests of three.
template <class S> Indices rest(S& sampler) {
    Indices r;
    while (auto some = sampler.next(3)) r.insert(r.end(), some->begin(), some->end());
    return r;
}
Indices values(const Tensor& t) {
    const Tensor wide = t.to(kLong).contiguous();
    return {wide.data_ptr<std::int64_t>(), wide.data_ptr<std::int64_t>() + wide.numel()};
}
Generator seeded(std::uint64_t seed) { return reel::detail::createCPUGenerator(seed); }

struct Range : CustomBatchRequest {
    Range(std::size_t first, std::size_t count) : first(first), count(count) {}
    std::size_t size() const override { return count; }
    std::size_t first, count;
};
struct RangeSampler : Sampler<Range> {
    void reset(std::optional<std::size_t>) override { at = 0; }
    std::optional<Range> next(std::size_t n) override {
        if (at >= 5) return std::nullopt;
        const Range r(at, std::min(n, 5 - at));
        at += r.count;
        return r;
    }
    void save(serialize::OutputArchive&) const override {}
    void load(serialize::InputArchive&) override {}
    std::size_t at = 0;
};
struct Ranges : datasets::BatchDataset<Ranges, Indices, Range> {
    Indices get_batch(Range r) override { return {r.first, r.count}; }
    std::optional<std::size_t> size() const override { return 5; }
};
struct Stream : datasets::StreamDataset<Stream, std::vector<int>> {
    std::vector<int> get_batch(std::size_t n) override {
        std::vector<int> r(n);
        for (int& i : r) i = counter++;
        return r;
    }
    std::optional<std::size_t> size() const override { return std::nullopt; }
    int counter = 0;
};
} // namespace

BOOST_AUTO_TEST_SUITE(data_samplers, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(sequential) {
    SequentialSampler s(10);
    BOOST_TEST(s.next(3).value() == (Indices{0, 1, 2}), per_element());
    BOOST_TEST(s.index() == 3u);
    BOOST_TEST(rest(s) == (Indices{3, 4, 5, 6, 7, 8, 9}), per_element());
    BOOST_TEST(!s.next(2));
    s.reset(2);
    BOOST_TEST(rest(s) == (Indices{0, 1}), per_element());
}
BOOST_AUTO_TEST_CASE(random_is_randperm) {
    RandomSampler s(10, seeded(3));
    const Generator same = seeded(3);
    BOOST_TEST(rest(s) == values(reel::randperm(10, same)), per_element());
    BOOST_TEST(!s.next(1));
    s.reset();
    BOOST_TEST(rest(s) == values(reel::randperm(10, same)), per_element());
    s.reset(4);
    BOOST_TEST(rest(s) == values(reel::randperm(4, same)), per_element());
    reel::manual_seed(8);
    RandomSampler narrow(300, kInt);
    BOOST_TEST((narrow.state_dict().toGenericDict().at("indices").toTensor().scalar_type() == kInt));
    Indices all = rest(narrow);
    BOOST_TEST(narrow.index() == 300u);
    std::sort(all.begin(), all.end());
    BOOST_TEST((all.front() == 0 && all.back() == 299 && std::unique(all.begin(), all.end()) == all.end()));
    BOOST_CHECK_EXCEPTION(RandomSampler(3, kFloat), TypeError, says("RandomSampler: index_dtype is"));
    BOOST_CHECK_EXCEPTION(RandomSampler(-1), ValueError, says("size is -1"));
}
BOOST_AUTO_TEST_CASE(streams_count) {
    StreamSampler s(7);
    BOOST_TEST(s.next(5)->size() == 5u);
    BOOST_TEST(std::size_t(*s.next(5)) == 2u);
    BOOST_TEST(!s.next(5));
    const auto loader = make_data_loader(Stream(), StreamSampler(39), 13);
    int expected = 0, batches = 0;
    for (auto& batch : *loader) {
        BOOST_TEST(batch.size() == 13u);
        for (const int i : batch) BOOST_TEST(i == expected++);
        ++batches;
    }
    BOOST_TEST(batches == 3);
}
BOOST_AUTO_TEST_CASE(requests_of_ones_own_kind) {
    const auto loader = make_data_loader(Ranges(), RangeSampler(), DataLoaderOptions(2).workers(1));
    std::vector<Indices> seen(loader->begin(), loader->end());
    BOOST_TEST((seen == std::vector<Indices>{{0, 2}, {2, 2}, {4, 1}}));
    BOOST_CHECK_EXCEPTION(RangeSampler().state_dict(), NotImplementedError,
                          says("RangeSampler does not override state_dict()"));
}
BOOST_AUTO_TEST_CASE(weighted_is_multinomial) {
    WeightedRandomSampler s(std::vector<double>{0, 3, 1, 0}, 40, true, seeded(4));
    const Generator same = seeded(4);
    const Tensor weights = reel::tensor({0.0, 3.0, 1.0, 0.0});
    const Indices drawn = rest(s);
    BOOST_TEST(drawn == values(reel::multinomial(weights, 40, true, same)), per_element());
    BOOST_TEST(std::count(drawn.begin(), drawn.end(), 1u) > std::count(drawn.begin(), drawn.end(), 2u));
    s.reset();
    BOOST_TEST(rest(s) == values(reel::multinomial(weights, 40, true, same)), per_element());
    WeightedRandomSampler once(reel::ones({5}), 5, false, seeded(1));
    Indices all = rest(once);
    std::sort(all.begin(), all.end());
    BOOST_TEST(all == (Indices{0, 1, 2, 3, 4}), per_element());
    BOOST_CHECK_EXCEPTION(WeightedRandomSampler(reel::ones({2}), 3, false), ValueError,
                          says("cannot draw 3 of 2 elements without replacement"));
    BOOST_CHECK_EXCEPTION(WeightedRandomSampler(reel::ones({2}), 0), ValueError, says("num_samples must be positive"));
    BOOST_CHECK_EXCEPTION(WeightedRandomSampler(reel::ones({2, 2}), 1), ValueError, says("got shape [2, 2]"));
}
BOOST_AUTO_TEST_CASE(given_elements_in_random_order) {
    SubsetRandomSampler s({20, 21, 22, 23}, seeded(6));
    Indices expected = values(reel::randperm(4, seeded(6)));
    for (std::size_t& i : expected) i += 20;
    BOOST_TEST(rest(s) == expected, per_element());
    BOOST_CHECK_EXCEPTION(s.reset(3), ValueError, says("reset to 3 elements, but it has 4 indices"));
}
BOOST_AUTO_TEST_CASE(batches_of_the_samplers_own_size) {
    BatchSampler s(SequentialSampler(7), 3, true);
    BOOST_TEST(s.next(1).value() == (Indices{0, 1, 2}), per_element());
    BOOST_TEST(s.next(1).value() == (Indices{3, 4, 5}), per_element());
    BOOST_TEST(!s.next(1));
    BatchSampler all(SequentialSampler(7), 3, false);
    BOOST_TEST(rest(all).size() == 7u);
    BOOST_CHECK_EXCEPTION(BatchSampler(SequentialSampler(7), 0, false), ValueError, says("must be positive"));
}
template <class S> void goes_on(S original, S other) {
    original.next(4);
    std::stringstream file;
    reel::save(original, file);
    reel::load(other, file);
    const Indices left = rest(original);
    BOOST_TEST(!left.empty());
    BOOST_TEST(rest(other) == left, per_element());
    S third = other; // through the archives themselves
    original.reset();
    original.next(2);
    serialize::OutputArchive out;
    out << original;
    serialize::InputArchive in(out.value());
    in >> third;
    BOOST_TEST(rest(third) == rest(original), per_element());
}
BOOST_AUTO_TEST_CASE(a_loaded_sampler_goes_on_bit_for_bit) {
    goes_on(SequentialSampler(10), SequentialSampler(10));
    goes_on(RandomSampler(10), RandomSampler(10));
    goes_on(RandomSampler(10, kInt), RandomSampler(10));
    goes_on(WeightedRandomSampler(reel::ones({5}), 20), WeightedRandomSampler(reel::ones({5}), 20));
    goes_on(SubsetRandomSampler({5, 6, 7, 8, 9, 10}), SubsetRandomSampler({5, 6, 7, 8, 9, 10}));
    goes_on(BatchSampler(RandomSampler(10), 3, false), BatchSampler(RandomSampler(10), 3, false));
    StreamSampler a(9), b(9);
    a.next(5);
    b.load_state_dict(a.state_dict());
    BOOST_TEST(b.next(9)->size() == 4u);
}
BOOST_AUTO_TEST_CASE(a_generator_of_its_own_goes_on_too) {
    RandomSampler a(10, seeded(1)), b(10, seeded(2));
    b.load_state_dict(a.state_dict());
    a.reset(), b.reset();
    BOOST_TEST(rest(a) == rest(b), per_element());
}
BOOST_AUTO_TEST_CASE(replicas_share_the_elements) {
    for (const bool duplicates : {true, false}) {
        Indices random, sequential;
        for (std::size_t rank = 0; rank < 3; ++rank) {
            DistributedRandomSampler a(10, 3, rank, duplicates);
            DistributedSequentialSampler b(10, 3, rank, duplicates);
            const Indices share = rest(a);
            BOOST_TEST(share.size() == (duplicates ? 4u : 3u));
            random.insert(random.end(), share.begin(), share.end());
            for (const std::size_t i : rest(b)) sequential.push_back(i);
        }
        std::sort(random.begin(), random.end());
        BOOST_TEST(sequential ==
                       (duplicates ? Indices{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1} : Indices{0, 1, 2, 3, 4, 5, 6, 7, 8}),
                   per_element());
        std::sort(sequential.begin(), sequential.end());
        BOOST_TEST(random == sequential, per_element());
    }
}
BOOST_AUTO_TEST_CASE(epochs_change_the_order_alike_everywhere) {
    DistributedRandomSampler a(50), b(50);
    const Indices first = rest(a);
    a.set_epoch(1), a.reset();
    const Indices second = rest(a);
    BOOST_TEST((first != second));
    reel::manual_seed(77); // the default generator plays no part
    BOOST_TEST(rest(b) == first, per_element());
    b.set_epoch(1), b.reset();
    b.next(20);
    DistributedRandomSampler c(50);
    c.load_state_dict(b.state_dict());
    BOOST_TEST((c.epoch() == 1 && c.index() == 20));
    BOOST_TEST(rest(c) == Indices(second.begin() + 20, second.end()), per_element());
    BOOST_CHECK_EXCEPTION(DistributedSequentialSampler(4, 2, 2), ValueError, says("rank is 2; expected less than"));
    BOOST_CHECK_EXCEPTION(DistributedRandomSampler(4, 0), ValueError, says("num_replicas is 0"));
    BOOST_CHECK_EXCEPTION(DistributedSequentialSampler(4, 2).load_state_dict(ValueDict{{"index", 3}, {"epoch", 0}}),
                          ValueError, says("each of 2 replicas has only 2 elements"));
}
BOOST_AUTO_TEST_CASE(states_that_do_not_fit_are_refused_and_change_nothing) {
    RandomSampler s(4, seeded(1));
    const Indices order = values(s.state_dict().toGenericDict().at("indices").toTensor());
    BOOST_CHECK_EXCEPTION(s.load_state_dict(Value(1)), TypeError,
                          says("RandomSampler: load_state_dict expects a dict, got int"));
    BOOST_CHECK_EXCEPTION(s.load_state_dict(SequentialSampler(4).state_dict()), KeyError,
                          says("the state has no 'indices'; is it that of another kind of sampler?"));
    BOOST_CHECK_EXCEPTION(s.load_state_dict(ValueDict{{"index", 0}, {"indices", reel::ones({3})}}), ValueError,
                          says("expected a list of indices"));
    BOOST_CHECK_EXCEPTION(s.load_state_dict(ValueDict{{"index", 0}, {"indices", reel::tensor({1, -2})}}), ValueError,
                          says("negative index -2"));
    BOOST_CHECK_EXCEPTION(s.load_state_dict(ValueDict{{"index", 3}, {"indices", reel::tensor({1, 0})}}), ValueError,
                          says("'index' is 3, but there are only 2 indices"));
    BOOST_CHECK_EXCEPTION(SequentialSampler(2).load_state_dict(ValueDict{{"index", 3}}), ValueError,
                          says("'index' is 3, but there are only 2 elements"));
    BOOST_CHECK_EXCEPTION(SubsetRandomSampler({1, 2}).load_state_dict(s.state_dict()), ValueError,
                          says("the state is one of 4 elements, but it has 2 indices"));
    BOOST_TEST(rest(s) == order, per_element());
}

BOOST_AUTO_TEST_SUITE_END()
