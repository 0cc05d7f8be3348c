// Streams and events, and the tape's use of them: a backward runs where its forward ran, and whoever asked for it finds
// the gradients.
#include <reel/cuda/stream.hpp>

#include <boost/test/unit_test.hpp>

#include <set>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>

#include "cuda/needs_device.hpp"

using reel::Tensor;
using reel::cuda::Stream;
using reel::cuda::StreamGuard;

namespace {

const reel::Device gpu{reel::kCUDA, 0};
const reel::TensorOptions there = reel::TensorOptions().device(gpu);

bool all_are(const Tensor& t, double value) { return t.to(reel::kCPU).eq(value).all().item().toBool(); }
/// What the default stream has queued comes before what `s` gets.
void after_default(const Stream& s) {
    reel::cuda::Event e;
    e.record(reel::cuda::default_stream());
    e.block(s);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_stream, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(pools_hand_out_streams_in_turn) {
    std::set<void*> seen;
    for (int i = 0; i < 100; ++i) seen.insert(Stream().native());
    BOOST_TEST(seen.size() == 32u);
    BOOST_TEST(seen.count(reel::cuda::default_stream().native()) == 0u);
    BOOST_TEST(seen.count(nullptr) == 0u); // the driver's own, which waits for others
    BOOST_TEST(reel::cuda::getStreamFromPool(true).priority() < reel::cuda::getStreamFromPool().priority());
}

BOOST_AUTO_TEST_CASE(a_guard_changes_the_current_stream_and_gives_it_back) {
    const reel::cuda::CUDAStream side = reel::cuda::getStreamFromPool(), usual = reel::cuda::getCurrentCUDAStream();
    {
        const reel::cuda::CUDAStreamGuard guard(side);
        BOOST_TEST((reel::cuda::current_stream() == side));
        {
            const StreamGuard inner(reel::cuda::default_stream());
            BOOST_TEST((reel::cuda::current_stream() == reel::cuda::default_stream()));
        }
        BOOST_TEST((reel::cuda::current_stream() == side));
    }
    BOOST_TEST((reel::cuda::current_stream() == usual));
    BOOST_TEST((usual == reel::cuda::default_stream()));
}

BOOST_AUTO_TEST_CASE(events_order_what_two_streams_do) {
    const Stream one, other;
    for (int i = 0; i < 20; ++i) {
        Tensor x, y;
        reel::cuda::CUDAEvent written;
        BOOST_TEST(written.query());
        {
            const StreamGuard guard(one);
            x = reel::full({1000}, i, there);
            written.record();
        }
        written.block(other);
        {
            const StreamGuard guard(other);
            y = x + 1;
            written.record(); // names another point now
            BOOST_TEST(all_are(y, i + 1));
        }
        reel::cuda::record_stream(x, other);
    }
}

BOOST_AUTO_TEST_CASE(backward_runs_on_the_streams_of_forward) {
    const Stream side;
    Tensor w = reel::full({2000}, 3.0, there).requires_grad_();
    Tensor y, z;
    after_default(side);
    std::vector<Stream> ran;
    {
        const StreamGuard guard(side);
        y = w * w;
        y.register_hook([&](const Tensor&) { ran.push_back(reel::cuda::current_stream()); });
        z = (y * 2).sum();
    }
    z.backward(); // on the default stream
    BOOST_TEST(all_are(w.grad(), 12));
    BOOST_REQUIRE(ran.size() == 1);
    BOOST_TEST((ran[0] == side));
    BOOST_TEST((reel::cuda::current_stream() == reel::cuda::default_stream()));
}

BOOST_AUTO_TEST_CASE(backward_under_another_stream_than_forward) {
    const Stream side;
    Tensor w = reel::full({2000}, 3.0, there).requires_grad_();
    const Tensor z = (w * w).sum();
    after_default(side);
    const StreamGuard guard(side);
    z.backward();
    BOOST_TEST(all_are(w.grad(), 6)); // copied on the side stream
    const Tensor g = reel::autograd::grad({(w * w).sum()}, {w})[0];
    BOOST_TEST(all_are(g, 6));
}

BOOST_AUTO_TEST_CASE(gradients_of_two_streams_meet) {
    const Stream one, other;
    for (int round = 0; round < 5; ++round) {
        Tensor w = reel::full({2000}, 3.0, there).requires_grad_();
        after_default(one);
        after_default(other);
        Tensor a, b;
        {
            const StreamGuard guard(one);
            a = (w * 2).exp().log();
        }
        {
            const StreamGuard guard(other);
            b = w * w * w;
        }
        for (const Stream& s : {one, other}) {
            reel::cuda::Event e;
            e.record(s);
            e.block(reel::cuda::default_stream());
        }
        (a + b).sum().backward();
        const Tensor g = w.grad().to(reel::kCPU);
        BOOST_TEST((g - 29).abs().max().item().toDouble() < 1e-4);
    }
}

BOOST_AUTO_TEST_CASE(a_pass_that_fails_leaves_its_gradients_in_order) {
    const Stream side;
    Tensor w = reel::full({2000}, 3.0, there).requires_grad_(), v = reel::full({2000}, 3.0, there).requires_grad_();
    after_default(side);
    Tensor z;
    {
        const StreamGuard guard(side);
        const Tensor early = v * 1;
        early.register_hook([](const Tensor&) -> Tensor { throw std::runtime_error("no further"); });
        z = (early + 0).sum() + (w * w).sum();
    }
    BOOST_CHECK_THROW(z.backward(), std::runtime_error);
    if (w.grad().defined()) BOOST_TEST(all_are(w.grad(), 6));
    BOOST_TEST((reel::cuda::current_stream() == reel::cuda::default_stream()));
}

BOOST_AUTO_TEST_SUITE_END()
