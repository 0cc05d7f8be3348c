// What goes wrong with a device: a typed error, and work goes on. Each call of the toolkit fails in turn, on the
// emulated device, which can be told to.
#include <boost/test/unit_test.hpp>

#include <dlfcn.h>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>

#include "cuda/needs_device.hpp"

using reel::Tensor;

namespace {

const reel::Device gpu{reel::kCUDA, 0};

using Fail = void (*)(long);
using Calls = long (*)();
const auto fail = reinterpret_cast<Fail>(dlsym(RTLD_DEFAULT, "reel_emulation_fail"));
const auto calls = reinterpret_cast<Calls>(dlsym(RTLD_DEFAULT, "reel_emulation_calls"));

/// A step of training on two streams, with copies there and back; the loss and the weight after it.
std::pair<double, double> step() {
    Tensor w = reel::full({8, 4}, 0.5).pin_memory().to(gpu, reel::kFloat, true).requires_grad_();
    const Tensor x = reel::ones({5, 8}).to(gpu);
    const reel::cuda::Stream side;
    reel::cuda::Event ready;
    ready.record();
    ready.block(side);
    Tensor loss;
    {
        const reel::cuda::StreamGuard guard(side);
        reel::cuda::record_stream(x, side); // before the work: it may end in the middle
        reel::cuda::record_stream(w, side);
        loss = reel::tanh(reel::mm(x, w)).sum();
    }
    loss.backward();
    {
        const reel::NoGradGuard no_grad;
        w.sub_(w.grad() * 100);
    }
    side.synchronize();
    return {loss.item().toDouble(), w.to(reel::kCPU).sum().item().toDouble()};
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_bad_days, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(any_call_may_fail_once) {
    if (!fail) return; // a real device does not fail on demand
    const auto want = step();
    reel::cuda::synchronize();
    fail(0);
    step();
    const long all = calls();
    BOOST_TEST(all > 20);
    int failed = 0;
    for (long n = 1; n <= all; ++n) {
        const std::size_t before = reel::cuda::memory_allocated();
        fail(n);
        try {
            const auto got = step();
            fail(0);
            BOOST_TEST((got == want), "call " << n); // one that only gives back
        } catch (const reel::Error& e) {
            fail(0);
            ++failed;
            BOOST_TEST(!std::string(e.what()).empty());
        }
        reel::cuda::synchronize();
        BOOST_TEST(reel::cuda::memory_allocated() <= before, "call " << n);
        BOOST_TEST((step() == want), "after call " << n);
    }
    BOOST_TEST(failed > all / 4); // others only give back
}

BOOST_AUTO_TEST_CASE(a_failure_names_its_call_and_leaves_the_host_alone) {
    if (!fail) return;
    const Tensor x = reel::ones({8}).to(gpu);
    reel::cuda::synchronize();
    fail(1);
    BOOST_CHECK_EXCEPTION(reel::cuda::synchronize(), reel::Error, [](const reel::Error& e) {
        return e.msg().find("cuda: cudaDeviceSynchronize()") == 0 &&
               e.msg().find("unspecified launch failure (cudaErrorLaunchFailure)") != std::string::npos;
    });
    fail(0);
    BOOST_TEST((reel::ones({3}) * 2).sum().item().toDouble() == 6);
    BOOST_TEST(x.to(reel::kCPU).sum().item().toDouble() == 8);
}

BOOST_AUTO_TEST_SUITE_END()
