// Threads that wait for the next loop.
#include <reel/autograd/parallel.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

using namespace reel;

namespace {
/// That this thread could have run and did not, as the kernel counts it.
double seconds_in_line() {
    double ran = 0, stood = 0;
    std::ifstream("/proc/thread-self/schedstat") >> ran >> stood;
    return stood * 1e-9;
}
} // namespace

BOOST_AUTO_TEST_SUITE(autograd_parallel)

BOOST_AUTO_TEST_CASE(waiting_is_brief_while_others_compute_unless_the_environment_says_how) {
    const auto info = [](const char* how) {
        return get_parallel_info().ends_with(std::string("\nwaiting for the next loop: ") + how + "\n");
    };
    const bool told = std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT");
    const int before = get_num_threads();
    set_num_threads(2); // else one processor has no loops
    std::atomic<bool> enough{false};
    std::vector<std::thread> others; // more than there are processors
    for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
        others.emplace_back([&] {
            while (!enough) {
            }
        });
    const char* const expected = told ? "as the environment says" : "briefly, since others use the processors, too";
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(told ? 1 : 60);
    std::atomic<int> sum{0};
    do parallel_for(0, 2, 1, [&](std::int64_t b, std::int64_t e) { sum += int(e - b); });
    while ((told || !info(expected)) && std::chrono::steady_clock::now() < end);
    enough = true;
    for (auto& t : others) t.join();
    BOOST_TEST(info(expected), get_parallel_info());
    if (!told) {
        const auto begin = std::chrono::steady_clock::now();
        const double stood = seconds_in_line();
        const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin); };
        do parallel_for(0, 2, 1, [&](std::int64_t b, std::int64_t e) { sum += int(e - b); });
        while (!info("for milliseconds") && seconds().count() < 10);
        // unless somebody else was there all the time
        const double share = (seconds_in_line() - stood) / seconds().count();
        BOOST_TEST((info("for milliseconds") || share > 0.01), get_parallel_info() << "in line " << share);
    }
    set_num_threads(before);
    BOOST_TEST(sum % 2 == 0);
}

BOOST_AUTO_TEST_SUITE_END()
