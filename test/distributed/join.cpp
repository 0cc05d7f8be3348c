#include <reel/distributed/join.hpp>

#include "distributed/data_parallel_nets.hpp"
#include "distributed/on_ranks.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/distributed/data_parallel.hpp>
#include <reel/distributed/sync_batch_norm.hpp>
#include <reel/optim.hpp>

using namespace reel;
using namespace reel::testing;
using distributed::DistributedDataParallel;
using distributed::DistributedDataParallelOptions;
using distributed::Join;
using distributed::JoinOptions;

namespace {
struct Found {
    std::vector<double> gradients;
    double end, buffer;
};
/// Rank r has counts[r] batches; its gradient is r + 1 in each.
std::vector<Found> train(const std::vector<std::int64_t>& counts, JoinOptions join,
                         DistributedDataParallelOptions options = {}) {
    return on_ranks(std::int64_t(counts.size()), [&](std::int64_t rank) {
        WithBuffer net;
        net->add = double(rank + 1);
        DistributedDataParallel ddp(net, options);
        optim::SGD optimizer(ddp->parameters(), optim::SGDOptions(0.1));
        Found found;
        {
            const Join scope = ddp->join(join);
            for (std::int64_t t = 0; t < counts[std::size_t(rank)]; ++t) {
                optimizer.zero_grad();
                ddp(full({}, double(rank + 1))).backward();
                found.gradients.push_back(number(net->w.grad()));
                optimizer.step();
            }
        }
        found.end = number(net->w);
        found.buffer = number(net->seen);
        return found;
    });
}
const std::vector<double> all_three{2, 2, 2, 2};
} // namespace

BOOST_AUTO_TEST_SUITE(join)

// D-32
BOOST_AUTO_TEST_CASE(ranks_that_have_run_out_count_as_zeros) {
    for (const bool find : {false, true}) {
        const auto found = train({1, 3, 2}, {}, {.find_unused_parameters = find});
        BOOST_TEST(found[0].gradients == (std::vector<double>{2}), boost::test_tools::per_element());
        // (1 + 2 + 3) / 3, (2 + 3) / 3, 2 / 3
        BOOST_TEST_REQUIRE(found[1].gradients.size() == 3u);
        BOOST_TEST(found[1].gradients[1] == double(2.f / 3 + 3.f / 3), boost::test_tools::tolerance(1e-6));
        BOOST_TEST(found[1].gradients[2] == 2. / 3, boost::test_tools::tolerance(1e-6));
        for (const Found& f : found) BOOST_TEST(f.end == found[1].end);
    }
}

// D-32
BOOST_AUTO_TEST_CASE(the_divisor_may_be_the_number_of_those_that_are_left) {
    const auto found = train({1, 3, 2}, {.divide_by_initial_world_size = false});
    BOOST_TEST(found[1].gradients == (std::vector<double>{2, 2.5, 2}), boost::test_tools::per_element());
}

// D-33
BOOST_AUTO_TEST_CASE(buffers_come_from_the_last_active_rank_and_the_end_from_who_ran_longest) {
    const auto found = train({1, 3, 2}, {});
    // The wrapper sends before each forward: 0, then rank 2's 3, then rank 1's 3 + 2.
    for (const Found& f : found) BOOST_TEST(f.buffer == 7.0);
}

BOOST_AUTO_TEST_CASE(a_rank_may_have_no_batch_at_all_and_all_may_have_as_many) {
    const auto none = train({0, 2}, {});
    BOOST_TEST(none[0].gradients.empty());
    BOOST_TEST(none[1].gradients == (std::vector<double>{1, 1}), boost::test_tools::per_element());
    BOOST_TEST(none[0].end == none[1].end);
    const auto same = train({2, 2}, {});
    BOOST_TEST(same[1].gradients == (std::vector<double>{1.5, 1.5}), boost::test_tools::per_element());
    const auto off = train({2, 2}, {.enable = false});
    BOOST_TEST(off[1].gradients == (std::vector<double>{1.5, 1.5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_static_graph_is_joined_too) {
    const auto found = train({1, 4}, {}, {.static_graph = true});
    BOOST_TEST(found[1].gradients == (std::vector<double>{1.5, 1, 1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(several_forwards_and_local_passes_are_shadowed_as_they_come) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        Join scope = ddp->join();
        for (std::int64_t t = 0; t < (rank == 0 ? 1 : 3); ++t) {
            net->zero_grad();
            {
                const auto alone = ddp->no_sync();
                ddp(ones({})).backward();
            }
            (ddp(ones({})) + ddp(ones({}))).backward();
        }
        const double gradient = number(net->w.grad());
        scope.finish();
        return gradient;
    });
    BOOST_TEST(found[0] == 3.0);
    BOOST_TEST(found[1] == 1.5);
}

// D-34
BOOST_AUTO_TEST_CASE(all_stop_when_one_runs_out_if_asked) {
    const auto errors = errors_on_ranks(3, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        const Join scope = ddp->join({.throw_on_early_termination = true});
        for (std::int64_t t = 0; t < (rank == 1 ? 1 : 3); ++t) ddp(ones({})).backward();
    });
    for (std::size_t r = 0; r < 3; ++r)
        BOOST_TEST(errors[r] == str("Error: Join: rank ", r,
                                    " of 3: rank 1 has run out of batches while others have more, and "
                                    "throw_on_early_termination = true"));
    const auto even = errors_on_ranks(2, [](std::int64_t) {
        Scale net;
        DistributedDataParallel ddp(net);
        const Join scope = ddp->join({.throw_on_early_termination = true});
        for (int t = 0; t < 3; ++t) ddp(ones({})).backward();
    });
    BOOST_TEST(even[0].empty());
    BOOST_TEST(even[1].empty());
}

BOOST_AUTO_TEST_CASE(an_error_in_the_loop_is_not_waited_for) {
    const auto errors = errors_on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        const Join scope = ddp->join();
        if (rank == 0) throw KeyError("a broken batch");
        ddp(ones({})).backward();
    });
    BOOST_TEST(errors[0] == "KeyError: a broken batch");
    BOOST_TEST(has(errors[1], "DistError"));
    BOOST_TEST(has(errors[1], "rank 0"), errors[1]);
}

BOOST_AUTO_TEST_CASE(what_cannot_join_is_refused) {
    const auto errors = errors_on_ranks(1, [](std::int64_t) {
        const nn::ModulePtr net = distributed::convert_sync_batchnorm(
            nn::ModulePtr(nn::Sequential(nn::Linear(2, 3), nn::BatchNorm1d(3)).ptr()));
        DistributedDataParallel ddp(net);
        ddp->join().finish();
    });
    BOOST_TEST(has(errors[0], "join: '1' is a SyncBatchNorm, whose moments ranks without a batch cannot take part in"));
    BOOST_TEST(errors_on_ranks(1, [](std::int64_t) { Join({}); })[0] ==
               "ValueError: Join: expected at least one object that can join");
}

BOOST_AUTO_TEST_SUITE_END()
