// The host's memory: small blocks of threads, what they share, large ones.
#include <reel/autograd/memory.hpp>

#include <boost/test/unit_test.hpp>

#include <thread>
#include <vector>

using namespace reel;

namespace {

constexpr std::size_t bytes = 192, blocks = 100000; // more than one thread keeps for itself

std::vector<void*> taken() {
    std::vector<void*> all(blocks);
    for (void*& p : all) *static_cast<std::size_t*>(p = cpu_alloc(bytes)) = 1;
    return all;
}
void give_back(const std::vector<void*>& all) {
    for (void* const p : all) cpu_free(p, bytes);
}
/// Sanitized builds ask the system for every block.
bool is_cached() {
    cpu_free(cpu_alloc(bytes), bytes);
    const auto before = memory_stats().system_allocations;
    cpu_free(cpu_alloc(bytes), bytes);
    return memory_stats().system_allocations == before;
}

} // namespace

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(many_small_blocks_are_used_again) {
    if (!is_cached()) return;
    give_back(taken());
    const auto before = memory_stats();
    const std::vector<void*> again = taken();
    BOOST_TEST(memory_stats().system_allocations == before.system_allocations);
    BOOST_TEST(memory_stats().allocated_bytes == before.allocated_bytes + blocks * bytes);
    give_back(again);
    BOOST_TEST(memory_stats().allocated_bytes == before.allocated_bytes);
}

BOOST_AUTO_TEST_CASE(another_thread_gets_what_is_beyond_a_threads_own) {
    if (!is_cached()) return;
    give_back(taken());
    const auto before = memory_stats().system_allocations;
    std::uint64_t asked = blocks;
    std::thread([&] {
        give_back(taken());
        asked = memory_stats().system_allocations - before;
    }).join();
    BOOST_TEST(asked < blocks / 2);
}

BOOST_AUTO_TEST_CASE(an_emptied_cache_has_given_everything_back) {
    if (!is_cached()) return;
    empty_cache();
    const std::size_t before = memory_stats().reserved_bytes;
    give_back(taken());
    BOOST_TEST(memory_stats().reserved_bytes >= before + blocks * bytes);
    empty_cache();
    BOOST_TEST(memory_stats().reserved_bytes <= before);
}

BOOST_AUTO_TEST_SUITE_END()
