// Fourier transforms on the device.
#include <boost/test/unit_test.hpp>

#include <reel/cuda/graph.hpp>

#include <set>
#include <string>

#include <dlfcn.h>

#include <reel/autograd.hpp>

#include "cuda/on_device.hpp"

using namespace reel;
using there::gpu;

namespace {

const auto fail = reinterpret_cast<void (*)(long)>(dlsym(RTLD_DEFAULT, "reel_emulation_fail"));
const auto calls = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "reel_emulation_calls"));

Tensor numbers(IntArrayRef sizes, ScalarType t) {
    std::int64_t count = 1;
    for (const std::int64_t n : sizes) count *= n;
    const Tensor real = (arange(count, TensorOptions(kDouble)) * 0.37).sin().view(sizes);
    return isComplexType(t) ? complex(real, (real * 3 + 1).cos()).to(t) : real.to(t);
}
/// Results and gradients, here and there.
template <class F> void same_as_here(const Tensor& x, F f) {
    const auto run = [&](Device device) {
        const Tensor own = x.detach().to(device).requires_grad_(), y = f(own);
        (y.abs() * y.abs()).sum().backward();
        return std::vector<Tensor>{y, own.grad()};
    };
    const std::vector<Tensor> want = run(kCPU), got = run(gpu);
    const bool wide = x.scalar_type() == kDouble || x.scalar_type() == kComplexDouble;
    for (std::size_t i = 0; i < want.size(); ++i)
        BOOST_TEST(there::distance(got[i], want[i]) < (wide ? 1e-12 : 1e-5), i);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_spectral, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(transforms_of_every_kind_give_what_the_cpu_gives) {
    for (const ScalarType t : {kComplexFloat, kComplexDouble}) {
        same_as_here(numbers({3, 7}, t), [](const Tensor& x) { return fft::fft(x); });
        same_as_here(numbers({3, 7}, t), [](const Tensor& x) { return fft::ifft(x, {}, 0, "ortho"); });
        same_as_here(numbers({2, 5, 4}, t), [](const Tensor& x) { return fft::fft2(x.transpose(0, 2)); });
        same_as_here(numbers({2, 3, 2, 3, 2}, t), [](const Tensor& x) { return fft::fftn(x); });
        same_as_here(numbers({2, 3, 2, 3, 2}, t), [](const Tensor& x) { return fft::ifftn(x, {}, {{0, 3}}); });
        same_as_here(numbers({1, 1}, t), [](const Tensor& x) { return fft::fft(x); });
        // half spectra that no real numbers have
        for (const std::int64_t n : {8, 7}) {
            same_as_here(numbers({3, 5}, t), [n](const Tensor& x) { return fft::irfft(x, n); });
            same_as_here(numbers({3, 4, 5}, t), [n](const Tensor& x) {
                return fft::irfftn(x, {{3, 4, n}}, {{0, 1, 2}});
            });
        }
        same_as_here(numbers({5, 3}, t), [](const Tensor& x) { return fft::irfft(x, 9, 0); });
    }
    for (const ScalarType t : {kFloat, kDouble}) {
        same_as_here(numbers({3, 8}, t), [](const Tensor& x) { return fft::rfft(x); });
        same_as_here(numbers({9, 2}, t), [](const Tensor& x) { return fft::rfft(x, {}, 0, "forward"); });
        same_as_here(numbers({2, 3, 2, 3, 4}, t), [](const Tensor& x) { return fft::rfftn(x); });
        same_as_here(numbers({4, 6}, t), [](const Tensor& x) { return fft::hfft(x); });
    }
}

BOOST_AUTO_TEST_CASE(what_was_given_stays) {
    const Tensor x = there::put(numbers({3, 5}, kComplexDouble)), before = x.clone();
    fft::irfft(x, 8);
    fft::fft(x);
    BOOST_TEST(there::distance(x, before.cpu()) == 0);
}

BOOST_AUTO_TEST_CASE(a_transform_in_a_graph) {
    if (!calls || needs::lacks("REEL_CUFFT_LIBRARY"))
        return; // the host's transforms cannot be captured; they are there where cuFFT is not
    const Tensor x = there::put(numbers({4, 6}, kDouble));
    Tensor y, z;
    const auto both = [&] {
        y = fft::rfft2(x);
        z = fft::irfft2(y * 2., {{4, 6}});
    };
    both(); // plans are made outside
    cuda::Graph graph;
    {
        const cuda::CaptureGuard capture(graph);
        both();
    }
    x.copy_(there::put(numbers({4, 6}, kDouble).cos()));
    graph.replay();
    BOOST_TEST(there::distance(y, fft::rfft2(x.cpu())) < 1e-12);
    BOOST_TEST(there::distance(z, x.cpu() * 2.) < 1e-12);
}

BOOST_AUTO_TEST_CASE(any_call_of_cufft_may_fail_once) {
    if (!calls || needs::lacks("REEL_CUFFT_LIBRARY")) return;
    std::set<std::string> said;
    for (long n = 1;; ++n) { // a new size each time: a plan that was made is known from then on
        const Tensor x = there::put(numbers({2, 6 + n}, kComplexDouble));
        fail(n);
        try {
            const Tensor y = fft::fft(x);
            const bool all = calls() < n;
            fail(0);
            BOOST_TEST(there::distance(y, fft::fft(x.cpu())) < 1e-12);
            if (all) break;
        } catch (const Error& e) {
            fail(0);
            said.insert(e.msg());
        }
    }
    for (const char* const what : {"cufftCreate: CUFFT_ALLOC_FAILED (2)", "cufftXtMakePlanMany: CUFFT_ALLOC_FAILED (2)",
                                   "cufftSetStream: CUFFT_INTERNAL_ERROR (5)", "cufftXtExec: CUFFT_EXEC_FAILED (6)"})
        BOOST_TEST(said.count(std::string("fft.fft: cuFFT: ") + what) == 1u, what);
}

BOOST_AUTO_TEST_SUITE_END()
