// What the others get when a rank fails, goes, stays away, or calls something else.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <iostream>
#include <thread>

#include <unistd.h>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/session.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/processes.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;
using namespace std::chrono_literals;
namespace dist = reel::distributed;

namespace {
/// Trains, so to speak; the last rank ends in the middle, as `how` says.
void until_death(void (*how)()) {
    dist::init(dist::Backend::kAuto, {.timeout = 30s});
    const Tensor t = ones({100000});
    for (int i = 0; i < 1000; ++i) {
        if (i == 7 && dist::rank() == dist::world_size() - 1) how();
        dist::all_reduce(t, dist::kAvg);
    }
}
const ProcessBody killed("killed", [] { until_death([] { ::kill(::getpid(), SIGKILL); }); });
const ProcessBody exits("exits", [] { until_death([] { ::_exit(3); }); });
const ProcessBody throws_in_session("throws_in_session", [] {
    const dist::Session session;
    if (dist::rank() == 1) throw ValueError("mine");
    dist::barrier();
});
/// Killed while the others are in the middle of long messages.
const ProcessBody killed_at_any_time("killed_at_any_time", [] {
    dist::init(dist::Backend::kAuto, {.timeout = 30s});
    if (dist::rank() == 1)
        std::thread([] {
            std::this_thread::sleep_for(std::chrono::microseconds(std::atoi(std::getenv("AFTER"))));
            ::kill(::getpid(), SIGKILL);
        }).detach();
    const Tensor t = ones({300000});
    for (int i = 0;; ++i) {
        const dist::Work w = dist::all_reduce_async(t, dist::kMax);
        dist::broadcast(t.clone(), i % 3);
        w.wait();
        if (t.max().item<double>() != 1) throw std::runtime_error("a wrong result");
    }
});
const ProcessBody stopped("stopped", [] {
    dist::init(dist::Backend::kAuto, {.timeout = 1s});
    dist::barrier();
    if (dist::rank() == 1) std::this_thread::sleep_for(3s);
    dist::all_reduce(ones({3}));
});

std::vector<std::string> errors_with_timeout(std::int64_t n, std::chrono::milliseconds timeout,
                                             const std::function<void(std::int64_t)>& body) {
    return errors_on_ranks(n, [&](std::int64_t rank) {
        dist::default_group().set_timeout(timeout);
        body(rank);
    });
}
} // namespace

BOOST_AUTO_TEST_SUITE(faults, *boost::unit_test::label("threads"))

// D-41
BOOST_AUTO_TEST_CASE(a_rank_that_is_killed_is_noticed_at_once_by_all) {
    for (const char* body : {"killed", "exits"}) {
        const auto ranks = run_processes(3, body);
        BOOST_TEST(ranks[2].status == (std::string(body) == "killed" ? 128 + SIGKILL : 3));
        for (std::size_t r : {0, 1}) {
            BOOST_TEST(ranks[r].status == 1);
            BOOST_TEST(has(ranks[r].said, "rank 2 has closed its connection without leaving: its process has ended"),
                       ranks[r].said);
            BOOST_TEST(
                has(ranks[r].said, "the last that was heard of it is call 7 (all_reduce avg of float32 [100000])"),
                ranks[r].said);
            BOOST_TEST(ranks[r].seconds < 20);
        }
    }
}

BOOST_AUTO_TEST_CASE(killed_at_any_time_nobody_hangs_and_nothing_is_wrong) {
    for (int after = 0; after < 20000; after += 997) {
        const auto ranks = run_processes(3, "killed_at_any_time",
                                         [&](std::int64_t, Variables& v) { v["AFTER"] = std::to_string(after); });
        for (std::size_t r : {0, 2}) {
            BOOST_TEST(ranks[r].status == 1, after << " us: " << ranks[r].said);
            BOOST_TEST(has(ranks[r].said, "rank 1 has closed its connection"), after << " us: " << ranks[r].said);
            BOOST_TEST(ranks[r].seconds < 20);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_exception_that_leaves_a_session_reaches_the_others) {
    const auto ranks = run_processes(3, "throws_in_session");
    BOOST_TEST(ranks[1].said == "mine\n");
    for (std::size_t r : {0, 2})
        BOOST_TEST(has(ranks[r].said, "rank 1 has left its Session with an exception"), ranks[r].said);
}

BOOST_AUTO_TEST_CASE(a_process_that_sleeps_is_named_after_the_timeout) {
    const auto ranks = run_processes(2, "stopped");
    BOOST_TEST(has(ranks[0].said, "rank 1 did not come within 1 s (the last that was heard of it is call 1 (barrier)"),
               ranks[0].said);
    BOOST_TEST(has(ranks[0].said, "a longer timeout in Options or set_timeout helps"), ranks[0].said);
    BOOST_TEST(has(ranks[1].said, "rank 0"), ranks[1].said);
    BOOST_TEST(ranks[1].status == 1);
}

// D-6
BOOST_AUTO_TEST_CASE(calls_that_do_not_fit_are_told_on_both_sides) {
    const auto mismatch = [](const std::function<void(std::int64_t)>& body, const char* first, const char* second) {
        const auto errors = errors_with_timeout(2, 20s, body);
        for (const std::string& e : errors) {
            BOOST_TEST(has(e, "DistError: "), e);
            BOOST_TEST(has(e, first), e);
            BOOST_TEST(has(e, second), e);
        }
    };
    mismatch([](std::int64_t r) { dist::all_reduce(ones({3 + r})); }, "call 1 (all_reduce sum of float32 [3])",
             "call 1 (all_reduce sum of float32 [4])");
    mismatch([](std::int64_t r) { dist::all_reduce(ones({3}, r ? kDouble : kFloat)); }, "all_reduce sum of float32 [3]",
             "all_reduce sum of float64 [3]");
    mismatch([](std::int64_t r) { dist::all_reduce(ones({3}), r ? dist::kSum : dist::kMax); }, "all_reduce max of",
             "all_reduce sum of");
    mismatch([](std::int64_t r) { dist::broadcast(ones({3}), r); }, "broadcast of float32 [3], root 0",
             "broadcast of float32 [3], root 1");
    mismatch([](std::int64_t r) { r ? dist::barrier() : dist::all_reduce(ones({3})); }, "(barrier)",
             "all_reduce sum of float32 [3]");
    mismatch(
        [](std::int64_t r) {
            dist::broadcast(ones(r ? IntArrayRef{2, 3} : IntArrayRef{3, 2}), 0);
        },
        "[3, 2]", "[2, 3]");
    mismatch(
        [](std::int64_t r) {
            if (r == 0) dist::barrier();
            if (r == 0) dist::barrier();
            if (r == 1) dist::monitored_barrier();
            dist::all_reduce(ones({1}));
        },
        "call 1 (barrier)", "call 1 (monitored_barrier)");
    mismatch(
        [](std::int64_t r) {
            if (r == 0) dist::send(ones({2}), 1);
            else dist::recv(ones({3}), 0);
            dist::barrier(); // the sender hears of it here
        },
        "float32 [2]", "float32 [3]");
}

BOOST_AUTO_TEST_CASE(one_of_many_that_does_not_fit_fails_all) {
    const auto errors = errors_with_timeout(
        5, 20s, [](std::int64_t r) { dist::all_gather_into(zeros({r == 3 ? 10 : 5}), zeros({r == 3 ? 2 : 1})); });
    for (const std::string& e : errors) BOOST_TEST(has(e, "rank 3"), e);
}

// D-41
BOOST_AUTO_TEST_CASE(who_stays_away_is_named_and_who_is_late_is_waited_for) {
    const auto errors = errors_with_timeout(4, 150ms, [](std::int64_t rank) {
        if (rank == 1 || rank == 2) std::this_thread::sleep_for(600ms);
        dist::monitored_barrier();
    });
    // by itself, or by rank 3, whoever's time is over first
    BOOST_TEST(has(errors[0], "monitored_barrier (call 1 of group 'default', rank 0 of 4): "), errors[0]);
    BOOST_TEST(has(errors[0], "rank 1 did not come within 0.15 s"), errors[0]);
    BOOST_TEST(has(errors[0], "rank 2 did not come within 0.15 s"), errors[0]);
    BOOST_TEST(!has(errors[0], "rank 3 did not"), errors[0]);
    for (const std::string& e : errors) BOOST_TEST(has(e, "DistError"), e);
    const auto late = errors_with_timeout(2, 5s, [](std::int64_t rank) {
        if (rank == 1) std::this_thread::sleep_for(100ms);
        dist::barrier();
    });
    for (const std::string& e : late) BOOST_TEST(e.empty(), e);
}

// D-41
BOOST_AUTO_TEST_CASE(after_a_failure_the_group_says_why_it_is_of_no_use) {
    const auto errors = errors_with_timeout(2, 20s, [](std::int64_t rank) {
        const std::string first = message([&] { dist::all_reduce(ones({rank + 1})); });
        if (!has(first, "makes call 1")) throw DistError("the first call: " + first);
        dist::all_reduce(ones({1}));
    });
    for (const std::string& e : errors) {
        BOOST_TEST(has(e, "(call 2 of group 'default'"), e);
        BOOST_TEST(has(e, "makes call 1 (all_reduce sum of float32 ["), e);
    }
}

BOOST_AUTO_TEST_CASE(a_refusal_is_heard_though_the_group_ended_right_after) {
    const auto errors = errors_with_timeout(2, 20s, [](std::int64_t rank) {
        if (rank == 1) std::this_thread::sleep_for(50ms);
        try {
            dist::scatter(zeros({2}), {}, 0);
        } catch (const ValueError&) {
            if (rank == 0) dist::default_group().abort("no list");
            throw;
        }
    });
    for (const std::string& e : errors) BOOST_TEST(has(e, "ValueError: scatter: "), e);
    BOOST_TEST(has(errors[1], "rank 0 refused"), errors[1]);
}

BOOST_AUTO_TEST_CASE(a_rank_that_has_left_is_told_from_one_that_has_failed) {
    const auto ends = [](const std::function<void()>& how) {
        std::string found;
        try {
            dist::spawn(2, [&](std::int64_t rank) {
                if (rank == 1) return how();
                try {
                    dist::barrier();
                } catch (const DistError& e) {
                    found = e.msg();
                }
            });
        } catch (...) {
        }
        return found;
    };
    BOOST_TEST(has(ends([] {}), "rank 1 has ended"));
    BOOST_TEST(has(ends([] { dist::finalize(); }), "rank 1 has called finalize()"));
    BOOST_TEST(has(ends([] { throw ValueError("no data"); }), "rank 1 has failed: no data"));
    BOOST_TEST(has(ends([] { throw std::runtime_error("disk full"); }), "rank 1 has failed: disk full"));
    BOOST_TEST(has(ends([] { throw 7; }), "rank 1 has failed with an exception of a foreign type"));
}

BOOST_AUTO_TEST_CASE(what_waits_for_a_message_hears_of_the_senders_end) {
    const auto errors = errors_on_ranks(2, [](std::int64_t rank) {
        if (rank == 0) dist::recv(ones({2}), 1, 3);
    });
    BOOST_TEST(has(errors[0], "recv of float32 [2], tag 3 (group 'default', rank 0 of 2): rank 1 has ended"),
               errors[0]);
    const auto late = errors_with_timeout(2, 100ms, [](std::int64_t rank) {
        if (rank == 0) dist::recv(ones({2}), 1);
        else std::this_thread::sleep_for(400ms);
    });
    BOOST_TEST(has(late[0], "recv of float32 [2], tag 0"), late[0]);
    BOOST_TEST(has(late[0], "0.1 s"), late[0]);
}

BOOST_AUTO_TEST_SUITE_END()
