// What goes wrong with a device: a typed error, and work goes on. Each call of the toolkit fails in turn, on the
// emulated device, which can be told to.
#include <boost/test/unit_test.hpp>

#include <dlfcn.h>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

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

/// A step of training through what libraries compute, attention that drops weights, and an optimizer; what it gives.
struct Layered {
    reel::nn::Conv2d conv = nullptr;
    reel::nn::BatchNorm2d norm = nullptr;
    std::vector<Tensor> params, start;

    Layered() {
        reel::manual_seed(2); // before the layers draw
        conv = reel::nn::Conv2d(1, 8, 2);
        norm = reel::nn::BatchNorm2d(8);
        for (reel::nn::Module* const m :
             {static_cast<reel::nn::Module*>(conv.get()), static_cast<reel::nn::Module*>(norm.get())}) {
            m->to(gpu);
            for (const Tensor& p : m->parameters()) params.push_back(p);
        }
        const reel::NoGradGuard no_grad;
        for (const Tensor& p : params) start.push_back(p.clone());
    }
    double step(const Tensor& x) {
        reel::manual_seed(3);
        reel::optim::Adam adam(params, 0.1);
        const reel::NoGradGuard no_grad;
        for (std::size_t i = 0; i < params.size(); ++i) params[i].copy_(start[i]);
        adam.zero_grad();
        {
            const reel::EnableGradGuard grad;
            const Tensor heads = norm(conv(x)).flatten(2).transpose(1, 2).unsqueeze(1);
            const Tensor y = reel::scaled_dot_product_attention(heads, heads, heads, {}, 0.5);
            const Tensor square = reel::matmul(heads.mT(), heads) + reel::eye(8, heads.options().requires_grad(false));
            (y.square().sum() + reel::linalg_svdvals(square).sum()).backward();
        }
        adam.step();
        double sum = 0;
        for (const Tensor& p : params) sum += p.abs().sum().item().toDouble();
        return sum;
    }
};

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

BOOST_AUTO_TEST_CASE(any_call_of_a_step_through_libraries_may_fail_once) {
    if (!fail) return;
    Layered training;
    const Tensor x = (reel::arange(2 * 16, reel::TensorOptions(reel::kFloat)) * 0.7f).sin().view({2, 1, 4, 4}).to(gpu);
    const double want = training.step(x);
    training.step(x);
    reel::cuda::synchronize();
    fail(0);
    BOOST_TEST(training.step(x) == want);
    const long all = calls();
    BOOST_TEST(all > 100); // more where each tensor asks the driver for memory
    int failed = 0;
    for (long n = 1; n <= all; ++n) {
        const std::size_t before = reel::cuda::memory_allocated();
        fail(n);
        try {
            const double got = training.step(x);
            fail(0);
            BOOST_TEST(got == want, "call " << n); // one that only gives back
        } catch (const reel::Error& e) {
            fail(0);
            ++failed;
            BOOST_TEST(!std::string(e.what()).empty());
        }
        for (const Tensor& p : training.params) p.mutable_grad() = Tensor();
        reel::cuda::synchronize();
        BOOST_TEST(reel::cuda::memory_allocated() <= before, "call " << n);
    }
    BOOST_TEST(training.step(x) == want);
    BOOST_TEST(failed > all / 4);
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
