// Streams: what is not ordered by the program shows.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <unistd.h>

#include <reel/cuda/emulation/grid.hpp>

#include "cuda_emulation/apart.hpp"
#include "cuda_emulation/on_device.hpp"

using on_device::Array;
using reel::cuda::emulation::launch;

namespace {

cudaStream_t new_stream() {
    cudaStream_t s = nullptr;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}
cudaEvent_t new_event() {
    cudaEvent_t e = nullptr;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    return e;
}
/// One stream writes 5, another reads: 0 when it read 5.
void write_and_read(bool waits) {
    const Array<float> a(1), b(1);
    const cudaStream_t writer = new_stream(), reader = new_stream();
    launch({1, 1, 0, writer}, [p = a.data()] { *p = 5; });
    if (waits) {
        const cudaEvent_t written = new_event();
        cudaEventRecord(written, writer);
        cudaStreamWaitEvent(reader, written, 0);
    }
    launch({1, 1, 0, reader}, [p = a.data(), q = b.data()] { *q = *p; });
    cudaStreamSynchronize(reader);
    ::_exit(b.values()[0] == 5 ? 0 : 1);
}
/// A side stream uses what the main one frees.
void use_and_free(bool waits) {
    const cudaStream_t main = new_stream(), side = new_stream();
    void* p = nullptr;
    cudaMallocAsync(&p, 4, main);
    const cudaEvent_t made = new_event();
    cudaEventRecord(made, main);
    cudaStreamWaitEvent(side, made, 0);
    launch({1, 1, 0, side}, [p] { *static_cast<int*>(p) = 1; });
    if (waits) {
        const cudaEvent_t used = new_event();
        cudaEventRecord(used, side);
        cudaStreamWaitEvent(main, used, 0);
    }
    cudaFreeAsync(p, main);
    cudaStreamSynchronize(main);
    cudaStreamSynchronize(side);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_emulation_streams)

BOOST_AUTO_TEST_CASE(a_missing_wait_between_two_streams) {
    for (const char* modes : {"timing=eager", "timing=late", "timing=random,seed=1", "timing=random,seed=2"})
        BOOST_TEST(apart::run(modes, [] { write_and_read(true); }).status == 0, modes);
    BOOST_TEST(apart::run("timing=eager", [] { write_and_read(false); }).status == 0); // this mode cannot see it
    BOOST_TEST(apart::run("timing=late", [] { write_and_read(false); }).status == 1);
}

BOOST_AUTO_TEST_CASE(memory_freed_on_another_stream_than_the_one_that_uses_it) {
    BOOST_TEST(apart::run("timing=late", [] { use_and_free(true); }).status == 0);
    const apart::End end = apart::run("timing=late", [] { use_and_free(false); });
    BOOST_TEST(end.is_fault());
    BOOST_TEST(end.says("touches byte 0 of a freed allocation of 4 bytes"), end.text);
    BOOST_TEST(end.says("streams.cpp:"), end.text);
}

BOOST_AUTO_TEST_CASE(memory_used_before_its_stream_has_made_it) {
    const apart::End end = apart::run("timing=late", [] {
        const cudaStream_t maker = new_stream(), user = new_stream();
        void* p = nullptr;
        cudaMallocAsync(&p, 4, maker);
        launch({1, 1, 0, user}, [p] { *static_cast<int*>(p) = 1; });
        cudaStreamSynchronize(user);
    });
    BOOST_TEST(end.says("which its stream has not made yet"), end.text);
}

BOOST_AUTO_TEST_CASE(late_work_waits_for_somebody_who_waits_for_it) {
    BOOST_TEST(apart::run("timing=late", [] {
                   int seen = 0;
                   cudaStream_t s = new_stream();
                   cudaLaunchHostFunc(
                       s, [](void* p) { *static_cast<int*>(p) = 1; }, &seen);
                   if (seen != 0) ::_exit(1);
                   // who polls gets on, one piece at a time
                   if (cudaStreamQuery(s) != cudaErrorNotReady || seen != 1) ::_exit(2);
                   if (cudaStreamQuery(s) != cudaSuccess) ::_exit(3);
               }).status == 0);
}

BOOST_AUTO_TEST_CASE(the_default_stream_is_ordered_with_those_that_block) {
    const auto last = [](unsigned flags) {
        return apart::run("timing=late",
                          [=] {
                              const Array<int> a(std::vector<int>{0});
                              cudaStream_t s = nullptr;
                              cudaStreamCreateWithFlags(&s, flags);
                              launch({1, 1}, [p = a.data()] { *p += 1; });
                              launch({1, 1, 0, s}, [p = a.data()] { *p *= 10; });
                              cudaStreamSynchronize(s);
                              ::_exit(a.values()[0]);
                          })
            .status;
    };
    BOOST_TEST(last(cudaStreamDefault) == 10);
    BOOST_TEST(last(cudaStreamNonBlocking) == 1);
}

BOOST_AUTO_TEST_CASE(pinned_memory_is_read_when_the_copy_runs_pageable_when_it_is_asked_for) {
    const auto sent = [](bool pinned) {
        return apart::run("timing=late",
                          [=] {
                              const Array<int> there(1);
                              int pageable = 3;
                              int* from = &pageable;
                              void* p = nullptr;
                              cudaMallocHost(&p, sizeof(int));
                              if (pinned) *(from = static_cast<int*>(p)) = 3;
                              const cudaStream_t s = new_stream();
                              cudaMemcpyAsync(there.data(), from, sizeof(int), cudaMemcpyHostToDevice, s);
                              *from = 4; // too early for pinned memory
                              cudaStreamSynchronize(s);
                              ::_exit(there.values()[0]);
                          })
            .status;
    };
    BOOST_TEST(sent(false) == 3);
    BOOST_TEST(sent(true) == 4);
}

BOOST_AUTO_TEST_CASE(events_of_two_devices_and_unknown_ones_are_refused) {
    cudaEvent_t e = new_event();
    BOOST_TEST(cudaEventRecord(e, nullptr) == cudaSuccess);
    BOOST_TEST(cudaEventQuery(e) == cudaSuccess);
    BOOST_TEST(cudaSetDevice(1) == cudaSuccess);
    BOOST_TEST(cudaEventRecord(e, nullptr) == cudaErrorInvalidResourceHandle);
    BOOST_TEST(cudaSetDevice(2) == cudaErrorInvalidDevice);
    BOOST_TEST(cudaSetDevice(0) == cudaSuccess);
    BOOST_TEST(cudaEventDestroy(e) == cudaSuccess);
    BOOST_TEST(cudaEventQuery(e) == cudaErrorInvalidResourceHandle);
    BOOST_TEST(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    BOOST_TEST(cudaGetLastError() == cudaSuccess);
}

BOOST_AUTO_TEST_CASE(an_event_recorded_again_names_another_point) {
    const cudaStream_t slow = new_stream(), quick = new_stream(), reader = new_stream();
    const cudaEvent_t point = new_event();
    const Array<float> a(1), b(1);
    launch({1, 1, 0, slow}, [p = a.data()] { *p = 5; });
    cudaEventRecord(point, slow);
    cudaStreamWaitEvent(reader, point, 0);
    cudaEventRecord(point, quick); // whoever waits already waits for the slow one
    BOOST_TEST(cudaEventSynchronize(point) == cudaSuccess);
    launch({1, 1, 0, reader}, [p = a.data(), q = b.data()] { *q = *p; });
    cudaStreamSynchronize(reader);
    BOOST_TEST(b.values()[0] == 5);
}

BOOST_AUTO_TEST_SUITE_END()
