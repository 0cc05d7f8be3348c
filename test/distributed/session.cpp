// Joining a world, and leaving it.
#include <reel/distributed/session.hpp>

#include <boost/test/unit_test.hpp>

#include <iostream>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/processes.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;
using namespace std::chrono_literals;
namespace dist = reel::distributed;

namespace {
const ProcessBody sum("sum", [] {
    const dist::Session session(dist::Backend::kAuto, {.timeout = 20s});
    const Tensor t = full({30000}, double(dist::rank() + 1));
    dist::all_reduce(t);
    std::cout << dist::name_of(dist::default_group().backend()) << " " << dist::rank() << " of " << dist::world_size()
              << ": " << t.max().item<double>();
});
const ProcessBody twice("twice", [] {
    for (int i = 0; i < 3; ++i) {
        const dist::Session session;
        const Tensor t = ones({2});
        dist::all_reduce(t);
        std::cout << t[0].item<double>();
    }
});
const ProcessBody impatient("impatient", [] { dist::init(dist::Backend::kAuto, {.timeout = 300ms}); });
const ProcessBody forgetful("forgetful", [] {
    dist::init();
    dist::barrier();
});
} // namespace

BOOST_AUTO_TEST_SUITE(session, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(processes_find_each_other_by_the_environment) {
    const auto ranks = run_processes(3, "sum");
    for (std::size_t r = 0; r < 3; ++r) {
        BOOST_TEST(ranks[r].said == str("sockets ", r, " of 3: 6"));
        BOOST_TEST(ranks[r].status == 0);
    }
    BOOST_TEST(
        run_processes(1, "sum", [](std::int64_t, Variables& v) { v["MASTER_ADDR"] = v["MASTER_PORT"] = ""; })[0].said ==
        "sockets 0 of 1: 1");
    // without a launcher, a program is its own world
    const auto alone = run_processes(1, "sum", [](std::int64_t, Variables& v) {
        v["RANK"] = v["WORLD_SIZE"] = v["MASTER_ADDR"] = v["MASTER_PORT"] = "";
        v["SLURM_STEP_NUM_TASKS"] = "1", v["SLURM_NTASKS"] = "4"; // one step of a job that may have more
    });
    BOOST_TEST(alone[0].said == "threads 0 of 1: 1");
}

BOOST_AUTO_TEST_CASE(a_process_may_join_again) {
    for (const Ended& e : run_processes(2, "twice")) BOOST_TEST(e.said == "222");
}

BOOST_AUTO_TEST_CASE(forgetting_finalize_is_no_hang) {
    for (const Ended& e : run_processes(2, "forgetful")) BOOST_TEST(e.status == 0, e.said);
}

// D-42
BOOST_AUTO_TEST_CASE(an_environment_set_by_half_is_told_by_what_is_missing) {
    const auto says = [](const char* name, const char* value) {
        return run_processes(1, "sum",
                             [&](std::int64_t, Variables& v) {
                                 v["WORLD_SIZE"] = "2";
                                 v[name] = value;
                             })[0]
            .said;
    };
    BOOST_TEST(has(says("RANK", ""), "init: the environment is set by half: RANK missing"));
    BOOST_TEST(has(says("WORLD_SIZE", ""), "WORLD_SIZE missing"));
    BOOST_TEST(has(says("MASTER_PORT", ""),
                   "MASTER_PORT missing; a launcher sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT"));
    BOOST_TEST(has(says("RANK", "2"), "init: RANK is 2; expected 0 to 1 with WORLD_SIZE 2"));
    BOOST_TEST(has(says("RANK", "one"), "init: RANK is 'one'; expected an integer"));
    BOOST_TEST(has(says("WORLD_SIZE", "0"), "init: WORLD_SIZE is 0; expected 1 at least"));
    BOOST_TEST(has(says("MASTER_PORT", "99999"), "init: MASTER_PORT is 99999; expected 1 to 65535"));
}

// D-42
BOOST_AUTO_TEST_CASE(an_address_without_a_rank_is_no_world_of_its_own) {
    const auto said = [](const char* given, const char* value) {
        return run_processes(1, "sum", [&](std::int64_t, Variables& v) {
            v["RANK"] = v["WORLD_SIZE"] = v["MASTER_ADDR"] = v["MASTER_PORT"] = "";
            v[given] = value;
        })[0];
    };
    for (const char* given : {"MASTER_ADDR", "MASTER_PORT"}) {
        const Ended one = said(given, "4242");
        BOOST_TEST(has(one.said, "init: the environment is set by half: RANK, WORLD_SIZE, "), one.said);
        BOOST_TEST(has(one.said, "for a program that is a world of its own unset MASTER_ADDR and MASTER_PORT"),
                   one.said);
        BOOST_TEST(one.status == 1);
    }
    const Ended crowd = said("SLURM_STEP_NUM_TASKS", "4");
    BOOST_TEST(has(crowd.said, "init: srun has started 4 tasks, of which this one"), crowd.said);
    BOOST_TEST(has(crowd.said, "RANK and WORLD_SIZE are missing; start `srun reel-run PROGRAM`"), crowd.said);
    BOOST_TEST(crowd.status == 1);
    BOOST_TEST(has(message([] { dist::init(dist::Backend::kAuto, {.master = "here:4242"}); }),
                   "init: the environment is set by half: RANK, WORLD_SIZE missing"));
}

BOOST_AUTO_TEST_CASE(who_does_not_come_is_named) {
    const auto ranks = run_processes(3, "impatient", [](std::int64_t rank, Variables& v) {
        v["WORLD_SIZE"] = "4";
        if (rank == 2) v["RANK"] = "3";
    });
    BOOST_TEST(has(ranks[0].said, "init: rank 0 of 4: rank 2 did not come to 127.0.0.1:"), ranks[0].said);
    BOOST_TEST(has(ranks[0].said, "within 0.3 s"), ranks[0].said);
    for (const Ended& e : ranks) BOOST_TEST(e.status == 1);
    const auto alone =
        run_processes(1, "impatient", [](std::int64_t, Variables& v) { v["RANK"] = "1", v["WORLD_SIZE"] = "2"; });
    BOOST_TEST(has(alone[0].said, "init: rank 1 of 2: rank 0 did not answer at 127.0.0.1:"), alone[0].said);
}

BOOST_AUTO_TEST_CASE(worlds_of_other_sizes_and_ranks_that_come_twice_are_refused) {
    const auto sizes =
        run_processes(2, "sum", [](std::int64_t rank, Variables& v) { v["WORLD_SIZE"] = rank ? "3" : "2"; });
    for (const Ended& e : sizes) BOOST_TEST(has(e.said, "rank 1 says WORLD_SIZE 3, rank 0 says 2"), e.said);
    const auto same = run_processes(3, "sum", [](std::int64_t rank, Variables& v) { v["RANK"] = rank ? "1" : "0"; });
    for (const Ended& e : same) BOOST_TEST(e.status == 1);
    BOOST_TEST(has(same[0].said, "two processes say they are rank 1"), same[0].said);
}

// D-42
BOOST_AUTO_TEST_CASE(there_is_one_default_group_at_a_time) {
    BOOST_TEST(!dist::is_initialized());
    BOOST_TEST(message([] { dist::rank(); }) ==
               "rank: there is no default process group; call reel::distributed::init first");
    BOOST_TEST(message([] { dist::barrier(); }) ==
               "barrier: there is no default process group; call reel::distributed::init first");
    BOOST_TEST(has(message([] { dist::finalize(); }), "finalize: there is no default process group"));
    const auto errors = on_ranks(2, [](std::int64_t rank) {
        std::vector<std::string> e{message([] { dist::init(); })};
        const dist::ProcessGroup group = dist::default_group();
        if (dist::rank() != rank || dist::world_size() != 2) throw std::runtime_error("rank or size");
        dist::barrier();
        dist::finalize();
        e.push_back(message([] { dist::all_reduce(ones({1})); }));
        e.push_back(message([&] { dist::all_reduce(ones({1}), dist::kSum, group); }));
        return e;
    });
    for (const auto& e : errors) {
        BOOST_TEST(has(e[0], "init: the default process group is there already"));
        BOOST_TEST(has(e[1], "call reel::distributed::init first"));
        BOOST_TEST(has(e[2], "was left by finalize(); call reel::distributed::init first"));
    }
    BOOST_TEST(!dist::is_initialized());
    BOOST_TEST(has(message([] { dist::init(dist::Backend::kThreads, {.timeout = 0ms}); }), "the timeout is 0 ms"));
}

BOOST_AUTO_TEST_CASE(spawn_throws_what_went_wrong_first) {
    const auto first = [](std::int64_t who) {
        return message([&] {
            dist::spawn(3, [&](std::int64_t rank) {
                if (rank == who) throw ValueError("my own mistake");
                dist::barrier();
            });
        });
    };
    for (std::int64_t who = 0; who < 3; ++who) BOOST_TEST(first(who) == "my own mistake");
    BOOST_TEST(message([] { dist::spawn(0, [](std::int64_t) {}); }) == "spawn: 0 ranks; expected 1 at least");
}

BOOST_AUTO_TEST_CASE(ranks_of_threads_draw_as_processes_do) {
    manual_seed(3);
    const Tensor expected = rand({1000});
    manual_seed(3);
    for (const Tensor& drawn : on_ranks(4, [](std::int64_t) { return rand({1000}); }))
        BOOST_TEST(equal(drawn, expected));
    for (const Tensor& drawn : on_ranks(4, [](std::int64_t) { return manual_seed(3), rand({1000}); }))
        BOOST_TEST(equal(drawn, expected));
    BOOST_TEST(equal(rand({1000}), expected)); // the caller's own stands where it was
}

BOOST_AUTO_TEST_SUITE_END()
