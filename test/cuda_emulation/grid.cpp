// Threads of a grid: where they are, their order, and what they do together.
#include <reel/cuda/emulation/grid.hpp>

#include <boost/test/unit_test.hpp>

#include <numeric>
#include <unistd.h>

#include "cuda_emulation/apart.hpp"
#include "cuda_emulation/on_device.hpp"

namespace emulation = reel::cuda::emulation;
using emulation::launch;
using on_device::Array;

BOOST_AUTO_TEST_SUITE(cuda_emulation_grid)

BOOST_AUTO_TEST_CASE(every_thread_runs_once_and_knows_where_it_is) {
    const Array<int> count(std::vector<int>(3 * 2 * 2 * 4 * 3 * 2, 0));
    launch({dim3(3, 2, 2), dim3(4, 3, 2)}, [p = count.data()] {
        const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        p[block * 24 + thread] += int(block * 100 + thread);
    });
    const auto got = count.values();
    for (int i = 0; i < int(got.size()); ++i) BOOST_TEST(got[std::size_t(i)] == i / 24 * 100 + i % 24);
}

BOOST_AUTO_TEST_CASE(the_order_is_the_modes) {
    const auto first_to_come = [](const char* modes) {
        return apart::run(
                   modes,
                   [] {
                       const Array<int> first(std::vector<int>{-1});
                       launch({4, 64}, [p = first.data()] { atomicCAS(p, -1, int(blockIdx.x * 64 + threadIdx.x)); });
                       ::_exit(first.values()[0] % 50);
                   })
            .status;
    };
    BOOST_TEST(first_to_come("order=forward") == 0);
    BOOST_TEST(first_to_come("order=reverse") == 255 % 50);
    BOOST_TEST(first_to_come("order=random,seed=3") == first_to_come("order=random,seed=3"));
}

BOOST_AUTO_TEST_CASE(a_tree_over_shared_memory_meets_at_its_barriers) {
    for (const char* modes : {"order=forward", "order=reverse", "order=random,seed=5", "timing=late"}) {
        const apart::End end = apart::run(modes, [] {
            std::vector<float> values(1000);
            std::iota(values.begin(), values.end(), 1.0F);
            const Array<float> in(values), out(4);
            launch({4, 256}, [in = in.data(), out = out.data()] {
                __shared__ float part[256];
                part[threadIdx.x] = threadIdx.x < 250 ? in[blockIdx.x * 250 + threadIdx.x] : 0;
                __syncthreads();
                for (unsigned half = 128; half > 0; half /= 2) {
                    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
                    __syncthreads();
                }
                if (threadIdx.x == 0) out[blockIdx.x] = part[0];
            });
            const auto sums = out.values();
            ::_exit(std::accumulate(sums.begin(), sums.end(), 0.0F) == 500500 ? 0 : 1);
        });
        BOOST_TEST(end.status == 0, modes << ": " << end.text);
    }
}

BOOST_AUTO_TEST_CASE(lanes_exchange_what_they_hold) {
    const Array<int> out(32 * 7);
    launch({1, 32}, [p = out.data()] {
        const int me = int(threadIdx.x);
        p[me] = __shfl_sync(~0U, me * 10, 5);
        p[32 + me] = __shfl_down_sync(~0U, me, 3);
        p[64 + me] = __shfl_up_sync(~0U, me, 3);
        p[96 + me] = __shfl_xor_sync(~0U, me, 16);
        p[128 + me] = int(__ballot_sync(~0U, me % 2));
        p[160 + me] = __any_sync(~0U, me == 31) * 2 + __all_sync(~0U, me < 31);
        p[192 + me] = int(__match_any_sync(~0U, me / 16));
    });
    const auto v = out.values();
    for (int i = 0; i < 32; ++i) {
        const auto at = [&](int part) { return v[std::size_t(part * 32 + i)]; };
        BOOST_TEST(at(0) == 50);
        BOOST_TEST(at(1) == (i + 3 < 32 ? i + 3 : i));
        BOOST_TEST(at(2) == (i >= 3 ? i - 3 : i));
        BOOST_TEST(at(3) == (i ^ 16));
        BOOST_TEST(unsigned(at(4)) == 0xaaaaaaaaU);
        BOOST_TEST(at(5) == 2);
        BOOST_TEST(unsigned(at(6)) == (i < 16 ? 0xffffU : 0xffff0000U));
    }
}

BOOST_AUTO_TEST_CASE(shared_memory_of_the_launch_is_the_blocks_own) {
    const Array<int> out(3);
    launch({3, 8, 8 * sizeof(int)}, [p = out.data()] {
        int* const mine = static_cast<int*>(emulation::dynamic_shared_memory());
        if (threadIdx.x == 0) p[blockIdx.x] = mine[3]; // nobody has written there
        __syncthreads();
        mine[threadIdx.x] = 7;
    });
    for (const int v : out.values()) BOOST_TEST(v == -1);
}

BOOST_AUTO_TEST_CASE(launches_that_the_device_refuses_are_refused) {
    const auto status = [](emulation::LaunchConfig c) {
        launch(c, [] {});
        return cudaGetLastError();
    };
    BOOST_TEST(status({0, 32}) == cudaErrorInvalidConfiguration);
    BOOST_TEST(status({dim3(1, 65536), 32}) == cudaErrorInvalidConfiguration);
    BOOST_TEST(status({1, 1025}) == cudaErrorInvalidConfiguration);
    BOOST_TEST(status({1, dim3(32, 32, 2)}) == cudaErrorInvalidConfiguration);
    BOOST_TEST(status({1, 32, 228 * 1024}) == cudaErrorInvalidValue);
    cudaStream_t gone = nullptr;
    BOOST_TEST(cudaStreamCreate(&gone) == cudaSuccess);
    BOOST_TEST(cudaStreamDestroy(gone) == cudaSuccess);
    BOOST_TEST(status({1, 32, 0, gone}) == cudaErrorInvalidResourceHandle);
    BOOST_TEST(status({1, 32}) == cudaSuccess);
    BOOST_TEST(apart::run("device=small", [&] {
                   launch({1, 32, 49 * 1024}, [] {});
                   ::_exit(cudaGetLastError() == cudaErrorInvalidValue ? 0 : 1);
               }).status == 0);
}

BOOST_AUTO_TEST_SUITE_END()
