// Calls that are under way.
#include <reel/distributed/work.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>

#include "distributed/on_ranks.hpp"

using namespace reel;
using namespace reel::testing;
using namespace std::chrono_literals;
namespace dist = reel::distributed;

BOOST_AUTO_TEST_SUITE(work, *boost::unit_test::label("threads"))

// D-7
BOOST_AUTO_TEST_CASE(runs_in_the_order_of_issue_and_is_done_after_wait) {
    dist::spawn(3, [](std::int64_t rank) {
        const Tensor t = full({50000}, double(rank + 1));
        std::vector<dist::Work> works;
        for (int i = 0; i < 4; ++i) works.push_back(dist::all_reduce_async(t)); // 6, 18, 54, 162
        dist::all_reduce(t);                                                    // behind them
        if (t[49999].item<double>() != 486) throw std::runtime_error("not in order");
        for (const dist::Work& w : works)
            if (!w.is_completed() || w.exception()) throw std::runtime_error("not done");
        const auto written = works[0].result();
        if (written.size() != 1 || !written[0].is_same(t)) throw std::runtime_error("result");
    });
}

BOOST_AUTO_TEST_CASE(is_not_done_before_the_others_come) {
    std::atomic<bool> may_come = false;
    dist::spawn(2, [&](std::int64_t rank) {
        const Tensor t = ones({2});
        if (rank == 1) {
            while (!may_come) std::this_thread::sleep_for(1ms);
            return dist::all_reduce(t);
        }
        const dist::Work w = dist::all_reduce_async(t);
        std::this_thread::sleep_for(20ms);
        if (w.is_completed()) throw std::runtime_error("done alone");
        may_come = true;
        w.wait();
        if (t[0].item<double>() != 2) throw std::runtime_error("not summed");
    });
}

// D-7
BOOST_AUTO_TEST_CASE(goes_on_when_its_handle_is_dropped) {
    dist::spawn(2, [](std::int64_t rank) {
        const Tensor t = full({3}, double(rank)), from = zeros({1});
        dist::broadcast_async(t, 1);
        dist::recv_async(from, 1 - rank);
        dist::send_async(full({1}, double(rank)), 1 - rank);
        dist::barrier();
        if (t[2].item<double>() != 1) throw std::runtime_error("not sent");
        while (from.item<double>() != 1.0 - double(rank)) std::this_thread::sleep_for(1ms); // without any wait
    });
}

// D-7
BOOST_AUTO_TEST_CASE(throws_what_went_wrong_in_wait_and_again) {
    const auto errors = errors_on_ranks(2, [](std::int64_t rank) {
        const dist::Work w = dist::all_reduce_async(ones({rank + 2}));
        try {
            w.wait();
        } catch (const DistError&) {
            if (!w.exception()) throw std::runtime_error("no exception()");
            w.result();
        }
    });
    for (const std::string& e : errors) BOOST_TEST(has(e, "DistError"), e);
}

BOOST_AUTO_TEST_CASE(waits_no_longer_than_it_is_told) {
    std::atomic<bool> over = false;
    const auto errors = errors_on_ranks(2, [&](std::int64_t rank) {
        if (rank == 1) {
            while (!over) std::this_thread::sleep_for(1ms);
            return;
        }
        const Tensor t = ones({2});
        const dist::Work w = dist::all_reduce_async(t);
        struct Over {
            std::atomic<bool>& flag;
            ~Over() { flag = true; }
        } ends{over};
        w.wait(50ms);
    });
    BOOST_TEST(has(errors[0], "all_reduce sum of float32 [2] (call 1 of group 'default', rank 0 of 2)"), errors[0]);
    BOOST_TEST(has(errors[0], "not done within the 0.05 s of wait"), errors[0]);
}

BOOST_AUTO_TEST_CASE(of_nothing_is_done) {
    const dist::Work none;
    none.wait();
    BOOST_TEST(none.is_completed());
    BOOST_TEST(!none.defined());
    BOOST_TEST(none.result().empty());
}

BOOST_AUTO_TEST_CASE(knows_when_it_was_under_way) {
    const auto found = on_ranks(2, [](std::int64_t) {
        const auto before = std::chrono::steady_clock::now();
        const dist::Work work = dist::all_reduce_async(ones({3}));
        const dist::WorkTimes times = work.times();
        return before <= times.begun && times.begun <= times.ended && times.ended <= std::chrono::steady_clock::now() &&
               work.is_completed();
    });
    BOOST_TEST((found[0] && found[1]));
    BOOST_TEST((dist::Work().times().begun == dist::WorkTimes().begun));
}

BOOST_AUTO_TEST_SUITE_END()
