// Sums and minima over parts of an array, and places in the running sum.
#include <reel/rl/replay/segment_tree.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <numeric>
#include <random>

#include <message.hpp>
#include <reel/autograd/error.hpp>

using namespace reel::rl;
using reel::testing::message;

namespace {

/// The first place up to which the running sum exceeds `value`, by a plain loop.
std::int64_t first_beyond(const std::vector<double>& numbers, double value) {
    double sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if ((sum += numbers[i]) > value) return std::int64_t(i);
    return -1;
}

} // namespace

BOOST_AUTO_TEST_SUITE(replay_segment_tree)

BOOST_AUTO_TEST_CASE(totals_follow_every_change) {
    std::mt19937 random(3);
    for (const std::int64_t size : {1, 7, 8, 9, 64, 65, 1000}) {
        SumSegmentTree sums(size);
        MinSegmentTree least(size);
        BOOST_TEST(sums.total() == 0);
        BOOST_TEST(std::isinf(least.total()));
        std::vector<double> numbers(std::size_t(size), 0.0);
        std::iota(numbers.begin(), numbers.end(), 1.0);
        sums.set_range(0, numbers.data(), size);
        least.set_range(0, numbers.data(), size);
        for (int round = 0; round < 20; ++round) {
            // whole numbers: every sum is exact
            std::vector<std::int64_t> index(5);
            std::vector<double> value(5);
            for (std::size_t k = 0; k < 5; ++k) {
                index[k] = std::int64_t(random() % std::uint64_t(size));
                value[k] = double(1 + random() % 50);
                numbers[std::size_t(index[k])] = value[k];
            }
            sums.set(index.data(), value.data(), 5);
            least.set(index.data(), value.data(), 5);
            BOOST_TEST(sums.total() == std::accumulate(numbers.begin(), numbers.end(), 0.0));
            BOOST_TEST(least.total() == *std::min_element(numbers.begin(), numbers.end()));
        }
        const std::int64_t begin = size / 3, count = size - begin;
        sums.fill(begin, count, 2);
        std::fill(numbers.begin() + begin, numbers.end(), 2.0);
        BOOST_TEST(sums.total() == std::accumulate(numbers.begin(), numbers.end(), 0.0));
        for (std::int64_t i = 0; i < size; ++i) BOOST_TEST(sums[i] == numbers[std::size_t(i)]);
    }
}

BOOST_AUTO_TEST_CASE(a_place_is_the_first_beyond_the_value) {
    std::mt19937 random(4);
    for (const std::int64_t size : {1, 8, 13, 100, 700}) {
        std::vector<double> numbers;
        for (std::int64_t i = 0; i < size; ++i) numbers.push_back(double(random() % 4));
        numbers[std::size_t(size / 2)] = 3;
        SumSegmentTree sums(size);
        sums.set_range(0, numbers.data(), size);
        std::vector<double> value;
        for (double v = 0; v < sums.total(); v += 0.5) value.push_back(v);
        std::vector<std::int64_t> found(value.size());
        sums.scan_lower_bound(value.data(), found.data(), std::int64_t(value.size()));
        for (std::size_t k = 0; k < value.size(); ++k) BOOST_TEST(found[k] == first_beyond(numbers, value[k]));
    }
}

BOOST_AUTO_TEST_CASE(rounding_never_leads_to_an_empty_place) {
    // 0.1 is no binary fraction; the largest value below the total must still find the last place that holds something
    SumSegmentTree sums(1000);
    sums.fill(0, 777, 0.1);
    const double last = std::nextafter(sums.total(), 0.0);
    std::int64_t found = -1;
    sums.scan_lower_bound(&last, &found, 1);
    BOOST_TEST(found == 776);
    const double beyond = sums.total();
    sums.scan_lower_bound(&beyond, &found, 1);
    BOOST_TEST(found == 776);
}

BOOST_AUTO_TEST_CASE(a_tree_rebuilt_from_its_leaves_is_the_same) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    SumSegmentTree old(500), fresh(500);
    for (int round = 0; round < 2000; ++round) {
        const std::int64_t index = std::int64_t(random() % 500);
        const double value = uniform(random);
        old.set(&index, &value, 1);
    }
    std::vector<double> leaves;
    for (std::int64_t i = 0; i < 500; ++i) leaves.push_back(old[i]);
    fresh.set_range(0, leaves.data(), 500);
    BOOST_TEST(old.total() == fresh.total());
}

BOOST_AUTO_TEST_CASE(needs_a_size) {
    BOOST_TEST(message([] { SumSegmentTree(0); }) == "SegmentTree: size is 0, expected at least 1");
}

BOOST_AUTO_TEST_SUITE_END()
