// DistributedSampler: PyTorch's index streams, and going on with other replicas.
#include <reel/distributed/distributed_sampler.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

#include "message.hpp"

using namespace reel;
using boost::test_tools::per_element;
using distributed::DistributedSampler;
using reel::testing::message;

namespace {
using Indices = std::vector<std::int64_t>;
/// What is left of the pass, in requests of `n`.
Indices rest(DistributedSampler& sampler, std::size_t n = 2) {
    Indices r;
    while (auto some = sampler.next(n)) r.insert(r.end(), some->begin(), some->end());
    return r;
}
} // namespace

BOOST_AUTO_TEST_SUITE(distributed_sampler)

// D-31
BOOST_AUTO_TEST_CASE(shares_are_equally_long_and_interleaved) {
    DistributedSampler padded(10, 4, 1, false), cut(10, 4, 1, false, 0, true);
    BOOST_TEST(padded.size() == 3);
    BOOST_TEST(rest(padded) == (Indices{1, 5, 9}), per_element());
    BOOST_TEST(cut.size() == 2);
    BOOST_TEST(rest(cut) == (Indices{1, 5}), per_element());
    BOOST_TEST(DistributedSampler(10, 4, 3, false).indices() == (Indices{3, 7, 1}), per_element());
    BOOST_TEST(DistributedSampler(1, 4, 3, false).indices() == (Indices{0}), per_element());
    BOOST_TEST(DistributedSampler(3, 4, 1, false, 0, true).indices().empty());
    BOOST_TEST(DistributedSampler(0, 2, 1).indices().empty());
}
// D-31
BOOST_AUTO_TEST_CASE(seed_and_epoch_give_the_order) {
    // torch.randperm(7, generator=torch.Generator().manual_seed(3))
    DistributedSampler a(7, 2, 0, true, 3), b(7, 2, 1, true, 1);
    b.set_epoch(2);
    b.reset();
    Indices both = a.indices(), other = b.indices();
    BOOST_TEST(both.size() == 4u);
    both.insert(both.end(), other.begin(), other.end());
    const Indices order = {both[0], both[4], both[1], both[5], both[2], both[6], both[3]};
    BOOST_TEST(std::set<std::int64_t>(order.begin(), order.end()).size() == 7u);
    BOOST_TEST(both[7] == both[0]); // repeated from the start
    BOOST_TEST(rest(b) == other, per_element());
    a.set_epoch(1);
    BOOST_TEST(a.indices() != DistributedSampler(7, 2, 0, true, 3).indices());
    BOOST_TEST(a.indices() == DistributedSampler(7, 2, 0, true, 4).indices(), per_element());
}
BOOST_AUTO_TEST_CASE(a_pass_goes_on_with_other_replicas) {
    // Two replicas have seen three elements each of twelve; three go on with the other six, one with all of them.
    std::vector<DistributedSampler> two{DistributedSampler(12, 2, 0), DistributedSampler(12, 2, 1)};
    Indices seen;
    for (DistributedSampler& s : two) {
        s.set_epoch(5);
        s.reset();
        const auto some = s.next(3);
        seen.insert(seen.end(), some->begin(), some->end());
    }
    const Value state = two[1].state_dict();
    for (const std::int64_t n : {1, 2, 3}) {
        Indices left;
        for (std::int64_t r = 0; r < n; ++r) {
            DistributedSampler s(12, n, r);
            s.load_state_dict(state);
            BOOST_TEST(s.epoch() == 5u);
            s.reset(); // as a loader does
            const Indices more = rest(s);
            BOOST_TEST(more.size() == std::size_t(6 / n));
            left.insert(left.end(), more.begin(), more.end());
            s.reset(); // the next pass is a whole one
            BOOST_TEST(rest(s).size() == std::size_t(12 / n));
        }
        left.insert(left.end(), seen.begin(), seen.end());
        BOOST_TEST(std::set<std::int64_t>(left.begin(), left.end()).size() == 12u);
    }
    DistributedSampler again(12, 2, 1);
    again.load_state_dict(state);
    BOOST_TEST(rest(again) == rest(two[1]), per_element());
    DistributedSampler next(12, 2, 0);
    next.load_state_dict(state);
    next.set_epoch(6); // another pass than the one that was interrupted
    next.reset();
    BOOST_TEST(rest(next).size() == 6u);
}
// D-31
BOOST_AUTO_TEST_CASE(impossible_arguments) {
    BOOST_TEST(message([] { DistributedSampler(5, 2, 2); }) ==
               "DistributedSampler: rank is 2; expected one of 0 to 1 for 2 replicas");
    BOOST_TEST(message([] { DistributedSampler(5, 2, -1); }) ==
               "DistributedSampler: rank is -1; expected one of 0 to 1 for 2 replicas");
    BOOST_TEST(message([] { DistributedSampler(5, 0, 0); }) ==
               "DistributedSampler: num_replicas is 0; expected at least one");
    BOOST_TEST(message([] { DistributedSampler(-1, 2, 0); }) ==
               "DistributedSampler: size is -1; expected the number of elements");
    DistributedSampler s(5, 2, 0);
    const Value other = DistributedSampler(6, 2, 0).state_dict();
    BOOST_TEST(message([&] { s.load_state_dict(other); }) ==
               "DistributedSampler: load_state_dict: the saved sampler visited 6 elements, this one visits 5");
    BOOST_TEST(message([&] {
                   s.load_state_dict(ValueDict{{"size", 5}});
               }) == "DistributedSampler: load_state_dict: there is no 'epoch'");
}

BOOST_AUTO_TEST_SUITE_END()
