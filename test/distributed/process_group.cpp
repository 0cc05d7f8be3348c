// Groups as handles.
#include <reel/distributed/process_group.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>

#include "distributed/on_ranks.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;
using namespace std::chrono_literals;
namespace dist = reel::distributed;

BOOST_AUTO_TEST_SUITE(process_group, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(knows_its_members_and_this_ranks_place) {
    dist::spawn(3, [](std::int64_t rank) {
        const dist::ProcessGroup all = dist::default_group(),
                                 two = dist::new_group({2, 1}, {.timeout = 5s, .name = "two"});
        const bool good = all.rank() == rank && all.size() == 3 && all.name() == "default" &&
                          all.backend() == dist::Backend::kThreads && bool(two) == (rank > 0);
        if (!good) throw std::runtime_error("the default group");
        if (rank == 0) return;
        if (two.rank() != 2 - rank || two.size() != 2 || two.name() != "two" || two.timeout() != 5s ||
            two.ranks() != std::vector<std::int64_t>{2, 1})
            throw std::runtime_error("the group of two");
        two.set_timeout(7s);
        if (two.timeout() != 7s || dist::new_group({1, 2}).name() != "group 2")
            throw std::runtime_error("timeout or name");
    });
}

BOOST_AUTO_TEST_CASE(ranks_that_are_none_or_come_twice_are_refused) {
    const auto errors = on_ranks(2, [](std::int64_t) {
        return std::vector<std::string>{message([] {
                                            dist::new_group({0, 2});
                                        }),
                                        message([] {
                                            dist::new_group({1, 1});
                                        }),
                                        message([] { dist::new_group({}); })};
    });
    for (const auto& e : errors) {
        BOOST_TEST(e[0] == "new_group: rank 2 is none of the world's 0 to 1");
        BOOST_TEST(e[1] == "new_group: rank 1 is listed twice");
        BOOST_TEST(e[2] == "new_group: no ranks; a group has one at least");
    }
    BOOST_TEST(message([] { dist::new_group({0}); }) ==
               "new_group: there is no default group; call reel::distributed::init first");
    BOOST_TEST(has(message([] { dist::ProcessGroup().size(); }), "null handle"));
}

BOOST_AUTO_TEST_CASE(abort_ends_the_group_on_all_ranks_and_no_other_group) {
    const auto errors = errors_on_ranks(3, [](std::int64_t rank) {
        const dist::ProcessGroup spare = dist::new_group({0, 1, 2});
        if (rank == 1) dist::default_group().abort("enough");
        std::string why;
        try {
            dist::barrier();
        } catch (const DistError& e) {
            why = e.msg();
        }
        dist::barrier(spare);
        throw DistError(why);
    });
    for (const std::string& e : errors) BOOST_TEST(has(e, "group 'default' was aborted by rank 1: enough"), e);
}

BOOST_AUTO_TEST_CASE(members_that_disagree_about_the_ranks_are_told) {
    const auto errors = errors_on_ranks(3, [](std::int64_t rank) {
        const dist::ProcessGroup g = rank == 2 ? dist::new_group({1, 2}) : dist::new_group({0, 1, 2});
        dist::barrier(g);
    });
    BOOST_TEST(has(errors[0], "DistError")); // from whom depends on the time
    for (const std::size_t r : {1, 2}) BOOST_TEST(has(errors[r], "in a group of other ranks"), errors[r]);
}

BOOST_AUTO_TEST_SUITE_END()
