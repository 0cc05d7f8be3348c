// Memory of the device: whose stream it belongs to, who else is waited for, what is kept and given back.
#include <reel/cuda/memory.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <string>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>

#include "cuda/needs_device.hpp"

using reel::Tensor;

namespace {

const reel::TensorOptions there = reel::TensorOptions().device(reel::Device(reel::kCUDA, 0));

bool blocks_are_kept() {
    const char* const way = std::getenv("REEL_CUDA_ALLOCATOR");
    return !way || std::string(way) == "cache";
}
double first(const Tensor& t) { return t.to(reel::kCPU).view({-1}).select(0, 0).item().toDouble(); }

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_memory, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_block_that_is_free_serves_again_on_its_stream) {
    reel::cuda::synchronize();
    reel::cuda::empty_cache();
    void* before = nullptr;
    {
        const Tensor x = reel::empty({3000}, there);
        before = x.data_ptr();
        BOOST_TEST(reel::cuda::memory_allocated() >= 12000u);
    }
    if (!blocks_are_kept()) return;
    BOOST_TEST(reel::cuda::memory_reserved() > 0u);
    const Tensor again = reel::empty({3000}, there);
    BOOST_TEST(again.data_ptr() == before);
    const reel::cuda::StreamGuard other{reel::cuda::Stream()};
    const Tensor elsewhere = reel::empty({3000}, there);
    BOOST_TEST(elsewhere.data_ptr() != before);
}

BOOST_AUTO_TEST_CASE(blocks_are_cut_and_joined_without_overlap) {
    reel::cuda::synchronize();
    reel::cuda::empty_cache();
    const std::size_t before = reel::cuda::memory_allocated();
    std::vector<Tensor> kept;
    std::uint64_t state = 1;
    for (int i = 0; i < 300; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto n = std::int64_t(state >> 33) % (i % 7 == 0 ? 600'000 : 5'000) + 1;
        kept.push_back(reel::full({n}, double(i % 100), there));
        if (state % 3 == 0) kept.erase(kept.begin() + std::ptrdiff_t(state / 3 % kept.size()));
    }
    for (const Tensor& t : kept) {
        const Tensor host = t.to(reel::kCPU);
        BOOST_TEST(host.min().item().toDouble() == host.max().item().toDouble());
    }
    kept.clear();
    reel::cuda::synchronize();
    BOOST_TEST(reel::cuda::memory_allocated() == before);
    reel::cuda::reset_peak_memory_stats();
    BOOST_TEST(reel::cuda::max_memory_allocated() == reel::cuda::memory_allocated());
    reel::cuda::empty_cache();
    if (blocks_are_kept() && before == 0) BOOST_TEST(reel::cuda::memory_reserved() == 0u);
}

BOOST_AUTO_TEST_CASE(memory_waits_for_the_streams_that_were_told_of) {
    const reel::cuda::Stream side;
    for (int round = 0; round < 3; ++round) {
        Tensor x = reel::full({5000}, 3, there), y;
        reel::cuda::Event made;
        made.record();
        made.block(side);
        {
            const reel::cuda::StreamGuard guard(side);
            y = x + 1;
        }
        reel::cuda::record_stream(x, side);
        x.reset();
        const Tensor next = reel::full({5000}, 100, there); // may lie where x was, once the side stream has read it
        side.synchronize();
        BOOST_TEST(first(y) == 4);
        BOOST_TEST(first(next) == 100);
    }
    BOOST_CHECK_EXCEPTION(reel::cuda::record_stream(reel::ones({2}), side), reel::Error, [](const reel::Error& e) {
        return e.msg() == "record_stream: argument 'tensor' is on cpu; expected cuda";
    });
}

BOOST_AUTO_TEST_CASE(memory_goes_back_to_the_stream_it_was_asked_for_on) {
    const reel::cuda::Stream side;
    Tensor x, y;
    {
        const reel::cuda::StreamGuard guard(side);
        x = reel::full({5000}, 3, there);
        y = x + 1;
        for (int i = 0; i < 5; ++i) y = y + x;
    }
    x.reset(); // under the default stream: the side stream may not have read it yet
    const Tensor next = reel::full({5000}, 100, there);
    reel::cuda::synchronize();
    side.synchronize();
    BOOST_TEST(first(y) == 19);
    BOOST_TEST(first(next) == 100);
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_given_back_before_memory_is_refused) {
    const std::size_t total = reel::cuda::get_device_properties(0).total_memory;
    const auto refused = [&](const reel::OutOfMemoryError& e) {
        return e.msg().find("cuda: device 0 has no " + std::to_string(total * 2)) == 0 &&
               e.msg().find("free tensors, or call cuda::empty_cache()") != std::string::npos;
    };
    const auto ooms = reel::cuda::memory_stats().ooms;
    BOOST_CHECK_EXCEPTION((void)reel::empty({std::int64_t(total) * 2}, there.dtype(reel::kByte)),
                          reel::OutOfMemoryError, refused);
    BOOST_TEST(reel::cuda::memory_stats().ooms == ooms + 1);
    BOOST_TEST(first(reel::full({4}, 7, there)) == 7); // work goes on
    if (!blocks_are_kept() || total > 2'000'000'000) return;
    const auto retries = reel::cuda::memory_stats().alloc_retries;
    (void)reel::empty({std::int64_t(total) / 2}, there.dtype(reel::kByte));
    (void)reel::empty({std::int64_t(total) / 4 * 3}, there.dtype(reel::kByte));
    BOOST_TEST(reel::cuda::memory_stats().alloc_retries == retries + 1);
    reel::cuda::empty_cache();
}

BOOST_AUTO_TEST_SUITE_END()
