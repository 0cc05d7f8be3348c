// The watch over kernels: this file is compiled with a call at each access.
#include <boost/test/unit_test.hpp>

#include <cuda_runtime.h>

#include "cuda_emulation/apart.hpp"
#include "cuda_emulation/on_device.hpp"

using on_device::Array;
using reel::cuda::emulation::launch;

namespace {

void shared_tree(bool with_barriers) {
    const Array<int> out(1);
    launch({1, 64}, [=, p = out.data()] {
        __shared__ int part[64];
        part[threadIdx.x] = 1;
        __syncthreads();
        for (unsigned half = 32; half > 0; half /= 2) {
            if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
            if (with_barriers) __syncthreads();
        }
        if (threadIdx.x == 0) *p = part[0];
    });
    cudaDeviceSynchronize();
}
void histogram(bool atomic) {
    const Array<int> bins(std::vector<int>(4, 0));
    launch({2, 64}, [=, p = bins.data()] {
        if (atomic) atomicAdd(&p[threadIdx.x % 4], 1);
        else p[threadIdx.x % 4] += 1;
    });
    cudaDeviceSynchronize();
}
void warp_exchange(bool with_sync) {
    const Array<int> out(32);
    launch({1, 32}, [=, p = out.data()] {
        __shared__ int there[32];
        there[threadIdx.x] = int(threadIdx.x);
        if (with_sync) __syncwarp();
        p[threadIdx.x] = there[(threadIdx.x + 1) % 32];
    });
    cudaDeviceSynchronize();
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_emulation_watch)

BOOST_AUTO_TEST_CASE(a_missing_barrier_is_a_race_in_every_order) {
    for (const char* order : {"order=forward", "order=reverse", "order=random,seed=9"}) {
        BOOST_TEST(apart::run(order, [] { shared_tree(true); }).status == 0);
        const apart::End end = apart::run(order, [] { shared_tree(false); });
        BOOST_TEST(end.is_fault(), order << " ended with " << end.status);
        BOOST_TEST(end.says("race in the kernel launched at watch.cpp:"), end.text);
        BOOST_TEST(end.says("shared memory that thread "), end.text);
    }
}

BOOST_AUTO_TEST_CASE(an_addition_that_should_be_atomic) {
    BOOST_TEST(apart::run("", [] { histogram(true); }).status == 0);
    const apart::End end = apart::run("", [] { histogram(false); });
    BOOST_TEST(end.is_fault());
    BOOST_TEST(end.says("thread 4 of block 0"), end.text);
    BOOST_TEST(end.says("of an allocation of 16 bytes"), end.text);
}

BOOST_AUTO_TEST_CASE(lanes_of_a_warp_are_ordered_by_their_collectives_alone) {
    BOOST_TEST(apart::run("", [] { warp_exchange(true); }).status == 0);
    BOOST_TEST(apart::run("", [] { warp_exchange(false); }).is_fault());
}

BOOST_AUTO_TEST_CASE(two_blocks_that_write_the_same_place) {
    const auto write = [](bool same) {
        return apart::run("", [=] {
            const Array<int> out(2);
            launch({2, 1}, [=, p = out.data()] { p[same ? 0 : blockIdx.x] = 1; });
            cudaDeviceSynchronize();
        });
    };
    BOOST_TEST(write(false).status == 0);
    BOOST_TEST(
        write(true).says("thread 0 of block 1 writes byte 0 of an allocation of 8 bytes that thread 0 of block 0"));
}

BOOST_AUTO_TEST_CASE(neighbouring_bytes_are_nobody_elses) {
    BOOST_TEST(apart::run("", [] {
                   const Array<char> out(64);
                   launch({1, 64}, [p = out.data()] { p[threadIdx.x] = 1; });
                   cudaDeviceSynchronize();
               }).status == 0);
}

BOOST_AUTO_TEST_SUITE_END()
