// One rank's tensor to all, down a tree: every number of ranks, every root, every length, and who is missing.
#include <reel/distributed/collectives.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <string>
#include <thread>

#include <reel/autograd/ops.hpp>

#include "distributed/on_ranks.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;
using namespace std::chrono_literals;
namespace dist = reel::distributed;

BOOST_AUTO_TEST_SUITE(broadcast, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(reaches_all_from_any_root) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 13}) {
        const auto wrong = on_ranks(n, [&](std::int64_t rank) {
            std::string text;
            for (std::int64_t root = 0; root < n; ++root)
                for (const std::int64_t length : {0, 1, 1000, 65536, 65537, 200'001}) {
                    const Tensor t = reel::full({length}, double(rank));
                    dist::broadcast(t, root);
                    if (!reel::equal(t, reel::full({length}, double(root)))) text += str(root, ":", length, " ");
                }
            return text;
        });
        for (const std::string& text : wrong) BOOST_TEST(text.empty(), n << " ranks: " << text);
    }
}

BOOST_AUTO_TEST_CASE(comes_back_on_the_root_when_all_have_entered) {
    std::atomic<int> entered = 0;
    const auto found = on_ranks(9, [&](std::int64_t rank) {
        if (rank == 7) std::this_thread::sleep_for(100ms);
        ++entered;
        dist::broadcast(reel::ones({3}), 0);
        return rank == 0 ? entered.load() : 9;
    });
    for (const int n : found) BOOST_TEST(n == 9);
}

BOOST_AUTO_TEST_CASE(who_does_not_come_is_named_by_all_who_wait) {
    for (const std::int64_t missing : {0, 1, 4, 5, 7}) {
        const auto errors = errors_on_ranks(8, [&](std::int64_t rank) {
            dist::default_group().set_timeout(300ms);
            if (rank == missing) std::this_thread::sleep_for(2500ms);
            dist::broadcast(reel::ones({3}), 0);
        });
        std::size_t named = 0;
        for (std::int64_t r = 0; r < 8; ++r) {
            const std::string& e = errors[std::size_t(r)];
            // the root waits for all; the others for those between, and who has its values goes on
            if (r == 0 || r == missing || missing == 0) BOOST_TEST(has(e, "DistError"), r << ": " << e);
            if (r == missing || e.empty()) continue;
            ++named;
            BOOST_TEST(has(e, str("rank ", missing, " did not come within 0.3 s").c_str()), r << ": " << e);
            for (std::int64_t other = 0; other < 8; ++other)
                if (other != missing) BOOST_TEST(!has(e, str("rank ", other, " did not come").c_str()), r << ": " << e);
        }
        const std::size_t waiting[] = {7, 1, 0, 0, 4, 2, 0, 3}; // above the missing rank and below it
        BOOST_TEST(named >= waiting[missing], missing << " is missing, and " << named << " say so");
    }
}

BOOST_AUTO_TEST_CASE(operands_that_differ_below_the_root_are_told_to_all) {
    const auto errors =
        errors_on_ranks(6, [](std::int64_t rank) { dist::broadcast(reel::ones({rank == 5 ? 4 : 3}), 0); });
    int told = 0;
    for (const std::string& e : errors) told += has(e, "float32 [3]") && has(e, "float32 [4]");
    BOOST_TEST(told >=
               3); // ranks that had all of theirs before may have left the call: 5, whom it waits for, and the root
    BOOST_TEST(has(errors[0], "rank 5"), errors[0]);
    BOOST_TEST(has(errors[5], "DistError"), errors[5]);
}

BOOST_AUTO_TEST_SUITE_END()
