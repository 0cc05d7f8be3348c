// Counters that threads share, before and after there is more than one thread.
#include <reel/autograd/detail/shared_counter.hpp>

#include <cstdint>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(shared_counter)

BOOST_AUTO_TEST_CASE(a_step_returns_what_was_there) {
    std::atomic<std::uint32_t> counter{5};
    BOOST_TEST(reel::detail::add_shared(counter, 2u) == 5u);
    BOOST_TEST(reel::detail::add_shared(counter, ~0u) == 7u);
    BOOST_TEST(counter.load() == 6u);
    std::uint32_t expected = 4;
    BOOST_TEST(!reel::detail::exchange_shared(counter, expected, 9u));
    BOOST_TEST(expected == 6u);
    BOOST_TEST(reel::detail::exchange_shared(counter, expected, 9u));
    BOOST_TEST(counter.load() == 9u);
}

BOOST_AUTO_TEST_CASE(threads_lose_no_step) {
    constexpr std::uint32_t steps = 50000;
    std::atomic<std::uint32_t> added{0}, exchanged{0};
    const Tensor shared = ones({4});
    const auto before = shared.impl()->use_count();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (std::uint32_t i = 0; i < steps; ++i) {
                reel::detail::add_shared(added, 1u);
                std::uint32_t seen = exchanged.load();
                while (!reel::detail::exchange_shared(exchanged, seen, seen + 1)) {
                }
                const Tensor copy = shared;
            }
        });
    for (std::thread& t : threads) t.join();
    BOOST_TEST(added.load() == 4 * steps);
    BOOST_TEST(exchanged.load() == 4 * steps);
    BOOST_TEST(shared.impl()->use_count() == before);
}

BOOST_AUTO_TEST_SUITE_END()
