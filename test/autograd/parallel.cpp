// Threads that wait for the next loop.
#include <reel/autograd/parallel.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

using namespace reel;

BOOST_AUTO_TEST_SUITE(autograd_parallel)

BOOST_AUTO_TEST_CASE(waiting_is_brief_unless_the_environment_says_how) {
    const auto threads = [] {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) ++count;
        return count;
    };
    const bool told = std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT");
    BOOST_TEST(get_parallel_info().ends_with(told ? "\nwaiting for the next loop: as the environment says\n"
                                                  : "\nwaiting for the next loop: briefly\n"));
    if (told) return;
    // A team of two that sleeps, beside whoever computes.
    for (int tries = 0; tries < 1000 && threads() < 3; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    BOOST_TEST(threads() >= 3u);
    const std::size_t before = threads();
    for (int i = 0; i < 3; ++i) get_parallel_info();
    BOOST_TEST(threads() == before); // one team, once
}

BOOST_AUTO_TEST_SUITE_END()
