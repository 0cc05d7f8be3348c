// Graphs: what is captured runs again with other numbers in the same places.
#include <reel/cuda/graph.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>

#include "cuda/needs_device.hpp"

using reel::Tensor;
using reel::cuda::CaptureGuard;
using reel::cuda::Graph;

namespace {

const reel::TensorOptions there = reel::TensorOptions().device(reel::Device(reel::kCUDA, 0));

bool all_are(const Tensor& t, double value) { return t.to(reel::kCPU).eq(value).all().item().toBool(); }
bool says(const reel::Error& e, const std::string& part) { return e.msg().find(part) != std::string::npos; }

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_graph, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_replay_reads_what_lies_there_now) {
    const Tensor x = reel::full({1000}, 1.0, there);
    Tensor y;
    Graph g;
    BOOST_TEST(!g);
    {
        const CaptureGuard capture(g);
        BOOST_TEST(reel::cuda::is_current_stream_capturing());
        y = (x * 2 + 1) * x;
    }
    BOOST_TEST(!reel::cuda::is_current_stream_capturing());
    BOOST_TEST(bool(g));
    for (const double value : {1.0, 2.0, 5.0}) {
        x.fill_(value);
        g.replay();
        BOOST_TEST(all_are(y, (value * 2 + 1) * value));
    }
}

BOOST_AUTO_TEST_CASE(numbers_are_counted_on_the_device) { // and not on a host that a replay would not hear
    const Tensor x = reel::full({6}, 1.0, there);
    Tensor y, places;
    Graph g;
    {
        const CaptureGuard capture(g);
        places = reel::arange(5, -7, -2, there.dtype(reel::kInt));
        y = x * places;
    }
    x.fill_(3);
    places.zero_();
    g.replay();
    BOOST_TEST(equal(y.cpu(), reel::tensor({15, 9, 3, -3, -9, -15}, reel::kFloat)));
    for (const reel::ScalarType t : {reel::kLong, reel::kByte, reel::kBool, reel::kHalf, reel::kDouble})
        BOOST_TEST(equal(reel::arange(3, 900, 7, there.dtype(t)).cpu(), reel::arange(3, 900, 7, t)));
}

BOOST_AUTO_TEST_CASE(a_training_step_is_captured_and_replayed) {
    const auto step = [](const Tensor& w, const Tensor& x) {
        const Tensor loss = reel::tanh(reel::mm(x, w)).square().sum();
        loss.backward();
        const reel::NoGradGuard no_grad;
        w.sub_(w.grad() * 0.01);
        return loss;
    };
    const Tensor start = reel::full({8, 4}, 0.1), data = reel::full({5, 8}, 0.3);
    Tensor eager = start.clone().requires_grad_();
    std::vector<double> losses;
    for (int i = 0; i < 6; ++i) {
        eager.mutable_grad().reset();
        losses.push_back(step(eager, data).item().toDouble());
    }
    Tensor w = start.to(there.device()).requires_grad_();
    const Tensor x = data.to(there.device());
    step(w, x); // makes the libraries' handles
    w.mutable_grad().reset();
    Graph g;
    Tensor loss;
    {
        const CaptureGuard capture(g);
        loss = step(w, x);
    }
    for (int i = 1; i < 6; ++i) {
        g.replay();
        BOOST_TEST(loss.item().toDouble() == losses[std::size_t(i)], boost::test_tools::tolerance(1e-5));
    }
    BOOST_TEST((w.to(reel::kCPU) - eager).abs().max().item().toDouble() < 1e-5);
}

BOOST_AUTO_TEST_CASE(streams_fork_and_join_within_a_graph) {
    const reel::cuda::Stream side;
    const Tensor x = reel::full({1000}, 3.0, there);
    Tensor y;
    Graph g;
    const auto work = [&](bool joins) {
        const CaptureGuard capture(g);
        reel::cuda::Event fork, join;
        fork.record();
        fork.block(side);
        Tensor half;
        {
            const reel::cuda::StreamGuard guard(side);
            half = x * 0.5;
            join.record();
        }
        const Tensor twice = x * 2;
        if (joins) {
            join.block(reel::cuda::current_stream());
            y = half + twice;
        }
    };
    work(true);
    for (const double value : {1.0, 4.0}) {
        x.fill_(value);
        g.replay();
        BOOST_TEST(all_are(y, value * 2.5));
    }
    g.reset();
    BOOST_CHECK_EXCEPTION(work(false), reel::Error, [](const reel::Error& e) { return says(e, "not joined"); });
    BOOST_TEST(!g);
    BOOST_TEST(all_are(y, 10)); // outlives the graph
}

BOOST_AUTO_TEST_CASE(memory_of_a_graph_is_its_own_and_goes_with_it) {
    reel::cuda::synchronize();
    const Tensor x = reel::full({1000}, 1.0, there);
    Tensor y;
    Graph g;
    {
        const CaptureGuard capture(g);
        for (int i = 0; i < 5; ++i) y = (i ? y : x) + x;
    }
    std::vector<Tensor> others; // what is asked for now lies elsewhere
    for (int i = 0; i < 20; ++i) others.push_back(reel::full({1000}, 100.0 + i, there));
    g.replay();
    BOOST_TEST(all_are(y, 6));
    for (int i = 0; i < 20; ++i) BOOST_TEST(all_are(others[std::size_t(i)], 100.0 + i));
    y.reset();
    g.reset();
}

BOOST_AUTO_TEST_CASE(what_waits_is_refused_and_leaves_everything_usable) {
    const Tensor x = reel::full({10}, 1.0, there), host = reel::ones({10});
    Graph g;
    const auto refused = [&](auto work, const std::string& what) {
        BOOST_CHECK_EXCEPTION(
            {
                const CaptureGuard capture(g);
                work();
            },
            reel::Error,
            [&](const reel::Error& e) {
                return says(e, "cuda::Graph: " + what) && says(e, "waits for the device, which a capture cannot");
            });
        BOOST_TEST(!g);
        BOOST_TEST(!reel::cuda::is_current_stream_capturing());
        BOOST_TEST(all_are(x + 1, 2));
    };
    refused([&] { (void)x.sum().item(); }, "a copy to the host");
    refused([&] { (void)host.to(there.device()); }, "a copy from pageable memory");
    refused([&] { reel::cuda::synchronize(); }, "synchronize()");
    refused([&] { reel::cuda::current_stream().synchronize(); }, "Stream::synchronize()");
    BOOST_CHECK_EXCEPTION(g.replay(), reel::Error,
                          [](const reel::Error& e) { return says(e, "replay: nothing was captured"); });
    {
        const CaptureGuard capture(g);
        Graph inner;
        BOOST_CHECK_EXCEPTION(inner.capture_begin(), reel::Error,
                              [](const reel::Error& e) { return says(e, "a capture is under way on this thread"); });
    }
    BOOST_CHECK_EXCEPTION(g.capture_begin(), reel::Error,
                          [](const reel::Error& e) { return says(e, "call reset() first"); });
}

BOOST_AUTO_TEST_SUITE_END()
