// A device that disappears, and one that has no memory left, in the middle of a training step: typed errors, work on
// the CPU goes on, and so does the device when it is there again.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

#include <dlfcn.h>

#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "cuda/on_device.hpp"

using namespace reel;

namespace {

template <class F> F in_emulation(const char* name) { return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name)); }
const auto vanish = in_emulation<void (*)(long)>("reel_emulation_vanish");
const auto run_out = in_emulation<void (*)(long)>("reel_emulation_run_out");
const auto calls = in_emulation<long (*)()>("reel_emulation_calls");
const auto requests = in_emulation<long (*)()>("reel_emulation_requests");

/// A step with hooks through a convolution, products and a recurrent layer, and what it leaves.
double step() {
    manual_seed(4);
    nn::Conv1d conv(2, 4, 3);
    nn::GRU gru(4, 3);
    nn::Linear head(3, 2);
    std::vector<Tensor> params;
    for (nn::Module* const m : {static_cast<nn::Module*>(conv.get()), static_cast<nn::Module*>(gru.get()),
                                static_cast<nn::Module*>(head.get())}) {
        m->to(there::gpu);
        for (const Tensor& p : m->parameters()) params.push_back(p);
    }
    int seen = 0;
    head->register_full_backward_hook([&](nn::Module&, const Value&, const Value&) { ++seen; });
    params[0].register_hook([&](const Tensor& g) { return g * 2; });
    optim::AdamW optimizer(params, optim::AdamWOptions(0.1));
    const Tensor x = there::put(randn({3, 2, 8}));
    const Tensor rows = conv(x).permute({2, 0, 1}), y = head(std::get<0>(gru(rows)));
    cross_entropy(y.flatten(0, 1), there::put(arange(18) % 2)).backward();
    optimizer.step();
    double sum = seen;
    for (const Tensor& p : params) sum += p.abs().sum().item().toDouble();
    return sum;
}
void the_host_works_on() {
    const Tensor w = ones({3}).requires_grad_();
    (w * w).sum().backward();
    BOOST_TEST(w.grad().sum().item().toDouble() == 6);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_lost_device, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_device_that_disappears) {
    if (!vanish) return; // a real device does not do so on demand
    const double want = step();
    vanish(0);
    step();
    const long all = calls();
    BOOST_TEST(all > 100);
    int lost = 0, tried = 0;
    for (long n = 1; n <= all; n += 1 + all / 60, ++tried) {
        vanish(n);
        try {
            BOOST_TEST(step() == want, "gone from call " << n << " on"); // when all had been read
        } catch (const Error&) {
            ++lost;
        }
        BOOST_CHECK_THROW(there::put(ones({2})).sum().item(), Error);
        the_host_works_on();
        vanish(0);
        BOOST_TEST(step() == want, "gone from call " << n << " on");
    }
    BOOST_TEST(lost > tried / 2);
}

BOOST_AUTO_TEST_CASE(no_memory_in_the_middle_of_a_step) {
    if (!run_out) return;
    const double want = step();
    cuda::synchronize();
    cuda::empty_cache();
    run_out(0);
    step();
    const long all = requests();
    BOOST_TEST(all > 0);
    for (long n = 1; n <= all; ++n) {
        cuda::synchronize();
        cuda::empty_cache();
        const std::size_t before = cuda::memory_allocated();
        run_out(n);
        BOOST_CHECK_EXCEPTION(step(), OutOfMemoryError,
                              [](const OutOfMemoryError& e) { return e.msg().find("cuda: device 0 has no ") == 0; });
        the_host_works_on();
        cuda::synchronize();
        BOOST_TEST(cuda::memory_allocated() <= before, "none from request " << n << " on");
        run_out(0);
        BOOST_TEST(step() == want, "none from request " << n << " on");
    }
}

BOOST_AUTO_TEST_SUITE_END()
