// Faults of a program, planted: each must be reported, its clean twin must not.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <unistd.h>

#include <reel/cuda/emulation/grid.hpp>

#include "cuda_emulation/apart.hpp"
#include "cuda_emulation/on_device.hpp"

using on_device::Array;
using reel::cuda::emulation::launch;

namespace {

/// The last of 64 numbers that pass through shared memory in the other direction.
float reversed(bool with_barrier) {
    const Array<float> out(64);
    launch({1, 64}, [=, p = out.data()] {
        __shared__ float there[64];
        there[threadIdx.x] = float(threadIdx.x);
        if (with_barrier) __syncthreads();
        p[threadIdx.x] = there[63 - threadIdx.x];
        if (!with_barrier) there[threadIdx.x] = -1;
    });
    return out.values()[0];
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_emulation_faults)

BOOST_AUTO_TEST_CASE(a_missing_barrier_gives_another_result_in_some_order) {
    for (const char* order : {"order=forward", "order=reverse"}) {
        BOOST_TEST(apart::run(order, [] { ::_exit(reversed(true) == 63 ? 0 : 1); }).status == 0);
    }
    BOOST_TEST(apart::run("order=forward", [] { ::_exit(reversed(false) == 63 ? 0 : 1); }).status == 1);
}

BOOST_AUTO_TEST_CASE(an_element_past_the_end) {
    const auto touch = [](std::size_t n, std::size_t at) {
        return apart::run("", [=] {
            const Array<float> a(n);
            launch({1, 1}, [=, p = a.data()] { p[at] = 1; });
            cudaDeviceSynchronize();
        });
    };
    BOOST_TEST(touch(64, 63).status == 0);
    const apart::End past = touch(64, 64);
    BOOST_TEST(past.is_fault());
    BOOST_TEST(past.says("faults.cpp:"), past.text);
    BOOST_TEST(
        past.says("thread (0, 0, 0) of block (0, 0, 0), touches 0 bytes past the end of an allocation of 256 bytes"),
        past.text);
}

BOOST_AUTO_TEST_CASE(a_barrier_that_not_all_threads_reach) {
    const apart::End some_left = apart::run("", [] {
        launch({1, 32}, [] {
            if (threadIdx.x < 16) __syncthreads();
        });
        cudaDeviceSynchronize();
    });
    BOOST_TEST(some_left.is_fault());
    BOOST_TEST(some_left.says("16 threads wait at __syncthreads (faults.cpp:"), some_left.text);
    BOOST_TEST(some_left.says("16 have returned"), some_left.text);
    const apart::End two_places = apart::run("", [] {
        launch({1, 32}, [] {
            if (threadIdx.x < 16) __syncthreads();
            else __syncthreads();
        });
        cudaDeviceSynchronize();
    });
    BOOST_TEST(two_places.is_fault());
    BOOST_TEST(two_places.says("a block cannot go on"), two_places.text);
}

BOOST_AUTO_TEST_CASE(lanes_that_do_not_meet) {
    const apart::End left_out = apart::run("", [] {
        launch({1, 32}, [] { __shfl_sync(0xffffU, 1, 0); });
        cudaDeviceSynchronize();
    });
    BOOST_TEST(left_out.is_fault());
    BOOST_TEST(left_out.says("with a mask that leaves it out"), left_out.text);
    const apart::End different = apart::run("", [] {
        launch({1, 32}, [] {
            if (threadIdx.x % 2 == 0) __shfl_sync(~0U, 1, 0);
            else __ballot_sync(~0U, 1);
        });
        cudaDeviceSynchronize();
    });
    BOOST_TEST(different.is_fault());
    BOOST_TEST(different.says("wait for lanes of their warp (faults.cpp:"), different.text);
    const apart::End returned = apart::run("", [] {
        launch({1, 32}, [] {
            if (threadIdx.x != 7) __syncwarp();
        });
        cudaDeviceSynchronize();
    });
    BOOST_TEST(returned.says("names lane 7, which has returned"), returned.text);
    BOOST_TEST(apart::run("", [] {
                   launch({1, 32}, [] {
                       if (threadIdx.x < 16) __syncwarp(0xffffU);
                   });
                   cudaDeviceSynchronize();
               }).status == 0);
}

BOOST_AUTO_TEST_CASE(host_code_that_reads_device_memory) {
    const apart::End end = apart::run("", [] {
        const Array<int> a(std::vector<int>{1, 2, 3});
        ::_exit(a.data()[1]);
    });
    BOOST_TEST(end.is_fault());
    BOOST_TEST(end.says("host code touches byte 4 of an allocation of 12 bytes on device 0"), end.text);
}

BOOST_AUTO_TEST_CASE(what_a_work_may_touch_is_closed_again) {
    constexpr std::size_t many = 1 << 20;
    const auto ends = [](float* p) { launch({1, 1}, [=] { p[many - 1] = p[many / 2] = p[0] = 1; }); };
    const apart::End host = apart::run("timing=late", [=] {
        const Array<float> a(many);
        ends(a.data());
        ends(a.data());
        cudaDeviceSynchronize();
        ::_exit(int(a.data()[many / 2]));
    });
    BOOST_TEST(host.says("host code touches byte 2097152 of an allocation of 4194304 bytes"), host.text);
    const apart::End callback = apart::run("timing=late", [=] {
        const Array<float> a(many);
        ends(a.data());
        cudaLaunchHostFunc(
            nullptr, [](void* p) { *static_cast<float*>(p) = 2; }, a.data());
        cudaDeviceSynchronize();
    });
    BOOST_TEST(callback.says("host code touches byte 0"), callback.text);
    const apart::End freed = apart::run("timing=late", [=] {
        void* p = nullptr;
        cudaMallocAsync(&p, many * sizeof(float), nullptr);
        ends(static_cast<float*>(p));
        cudaFreeAsync(p, nullptr);
        ends(static_cast<float*>(p));
        cudaDeviceSynchronize();
    });
    BOOST_TEST(freed.says("touches byte 0 of a freed allocation of 4194304 bytes"), freed.text);
    const apart::End other_device = apart::run("timing=late,devices=2", [=] {
        const Array<float> a(many);
        ends(a.data());
        cudaEvent_t done = nullptr;
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
        cudaEventRecord(done, nullptr);
        cudaSetDevice(1);
        cudaStreamWaitEvent(nullptr, done, 0);
        ends(a.data());
        cudaDeviceSynchronize();
    });
    BOOST_TEST(other_device.says("of device 1 touches byte 0"), other_device.text);
}

BOOST_AUTO_TEST_CASE(memory_that_nobody_has_written_holds_no_number) {
    const Array<float> fresh(4);
    for (const float v : fresh.values()) BOOST_TEST(std::isnan(v));
}

BOOST_AUTO_TEST_CASE(the_memory_of_another_device) {
    const apart::End end = apart::run("devices=2", [] {
        const Array<int> here(1);
        cudaSetDevice(1);
        launch({1, 1}, [p = here.data()] { *p = 1; });
        cudaDeviceSynchronize();
    });
    BOOST_TEST(end.says("of device 1 touches byte 0 of an allocation of 4 bytes on device 0"), end.text);
}

BOOST_AUTO_TEST_SUITE_END()
