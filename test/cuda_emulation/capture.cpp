// Graphs: what a capture notes, and what it refuses.
#include <boost/test/unit_test.hpp>

#include <reel/cuda/emulation/grid.hpp>

#include "cuda_emulation/on_device.hpp"

using on_device::Array;
using reel::cuda::emulation::launch;

namespace {

struct Streams {
    cudaStream_t one = nullptr, other = nullptr;
    cudaEvent_t event = nullptr, back = nullptr;
    Streams() {
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&back, cudaEventDisableTiming);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(capture)

BOOST_AUTO_TEST_CASE(nothing_runs_before_the_graph_is_launched) {
    const Streams s;
    const Array<int> a(1);
    launch({1, 1, 0, s.one}, [p = a.data()] { *p = 0; });
    cudaStreamSynchronize(s.one);
    BOOST_TEST(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    launch({1, 1, 0, s.one}, [p = a.data()] { *p += 1; });
    cudaGraph_t graph = nullptr;
    BOOST_TEST(cudaStreamEndCapture(s.one, &graph) == cudaSuccess);
    BOOST_TEST(a.values()[0] == 0);
    cudaGraphExec_t exec = nullptr;
    BOOST_TEST(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (int i = 0; i < 3; ++i) BOOST_TEST(cudaGraphLaunch(exec, s.one) == cudaSuccess);
    cudaStreamSynchronize(s.one);
    BOOST_TEST(a.values()[0] == 3);
    BOOST_TEST(cudaGraphExecDestroy(exec) == cudaSuccess);
    BOOST_TEST(cudaGraphDestroy(graph) == cudaSuccess);
    BOOST_TEST(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
    cudaGetLastError();
}

BOOST_AUTO_TEST_CASE(waiting_breaks_a_capture) {
    const Streams s;
    BOOST_TEST(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    BOOST_TEST(cudaStreamSynchronize(s.one) == cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = nullptr;
    BOOST_TEST(cudaStreamEndCapture(s.one, &graph) == cudaErrorStreamCaptureInvalidated);
    BOOST_TEST(!graph);
    BOOST_TEST(cudaStreamSynchronize(s.one) == cudaSuccess);
    cudaGetLastError();
}

BOOST_AUTO_TEST_CASE(another_stream_must_be_waited_for) {
    for (const bool joined : {true, false}) {
        const Streams s;
        const Array<int> a(1);
        cudaStreamBeginCapture(s.one, cudaStreamCaptureModeRelaxed);
        cudaEventRecord(s.event, s.one);
        BOOST_TEST(cudaStreamWaitEvent(s.other, s.event, 0) == cudaSuccess);
        launch({1, 1, 0, s.other}, [p = a.data()] { *p = 7; });
        cudaEventRecord(s.back, s.other);
        if (joined) cudaStreamWaitEvent(s.one, s.back, 0);
        cudaGraph_t graph = nullptr;
        BOOST_TEST(cudaStreamEndCapture(s.one, &graph) == (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
        if (!joined) continue;
        cudaGraphExec_t exec = nullptr;
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, s.one);
        cudaStreamSynchronize(s.one);
        BOOST_TEST(a.values()[0] == 7);
    }
    cudaGetLastError();
}

BOOST_AUTO_TEST_CASE(a_capture_waits_for_nothing_from_before_it) {
    const Streams s;
    cudaEventRecord(s.event, s.other);
    cudaStreamBeginCapture(s.one, cudaStreamCaptureModeRelaxed);
    BOOST_TEST(cudaStreamWaitEvent(s.one, s.event, 0) == cudaErrorStreamCaptureIsolation);
    cudaGraph_t graph = nullptr;
    BOOST_TEST(cudaStreamEndCapture(s.one, &graph) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
}

BOOST_AUTO_TEST_SUITE_END()
