// Windows of the root namespace, frequencies, ranges that include their end.
#include <reel/autograd/ops/spectral/windows.hpp>

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/range_factories.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "message.hpp"

using namespace reel;
using namespace reel::testing;

BOOST_AUTO_TEST_SUITE(windows)

namespace {
bool near(const Tensor& a, const Tensor& b) { return allclose(a.to(kDouble), b.to(kDouble), 1e-6, 1e-7); }
} // namespace

BOOST_AUTO_TEST_CASE(periodic_windows_are_longer_ones_without_their_end) {
    const TensorOptions o(kDouble);
    for (const std::int64_t n : {2, 5, 8}) {
        BOOST_TEST(near(hann_window(n, o), hann_window(n + 1, false, o).slice(0, 0, n)));
        BOOST_TEST(near(hamming_window(n, o), hamming_window(n + 1, false, o).slice(0, 0, n)));
        BOOST_TEST(near(blackman_window(n, o), blackman_window(n + 1, false, o).slice(0, 0, n)));
        BOOST_TEST(near(bartlett_window(n, o), bartlett_window(n + 1, false, o).slice(0, 0, n)));
        BOOST_TEST(near(kaiser_window(n, o), kaiser_window(n + 1, false, o).slice(0, 0, n)));
    }
}

BOOST_AUTO_TEST_CASE(windows_are_those_of_pytorch) {
    BOOST_TEST(near(hann_window(4), tensor({0.0, 0.5, 1.0, 0.5})));
    BOOST_TEST(near(hamming_window(4, false), tensor({0.08, 0.77, 0.77, 0.08})));
    BOOST_TEST(near(hamming_window(4, true, 0.6), tensor({0.14, 0.6, 1.06, 0.6})));
    BOOST_TEST(near(hamming_window(4, true, 0.6, 0.3), tensor({0.3, 0.6, 0.9, 0.6})));
    BOOST_TEST(near(blackman_window(4), tensor({0.0, 0.34, 1.0, 0.34})));
    BOOST_TEST(near(bartlett_window(5, false), tensor({0.0, 0.5, 1.0, 0.5, 0.0})));
    BOOST_TEST(near(kaiser_window(5, false, 3.0), tensor({0.20488476, 0.72692553, 1.0, 0.72692553, 0.20488476})));
    BOOST_TEST(equal(hann_window(1, false), ones({1})));
    BOOST_TEST(hann_window(0).numel() == 0);
    BOOST_TEST(hann_window(4).scalar_type() == get_default_dtype());
    BOOST_TEST(hann_window(4, TensorOptions(kBFloat16)).scalar_type() == kBFloat16);
    BOOST_TEST(kaiser_window(4, true, 2.0, requires_grad()).requires_grad());
}

BOOST_AUTO_TEST_CASE(frequencies_are_those_of_the_transform) {
    // A wave of frequency f has its peak where fftfreq and rfftfreq say f.
    const std::int64_t n = 20;
    const Tensor t = arange(n, TensorOptions(kDouble)) * 0.5;
    const Tensor x = cos(t * (2 * 3.14159265358979323846 * 0.3));
    const Tensor at = fft::fft(x).abs().argmax(), half = fft::rfft(x).abs().argmax();
    BOOST_TEST(std::abs(fft::fftfreq(n, 0.5, TensorOptions(kDouble))[at].abs().item<double>() - 0.3) < 1e-12);
    BOOST_TEST(std::abs(fft::rfftfreq(n, 0.5, TensorOptions(kDouble))[half].item<double>() - 0.3) < 1e-12);
    BOOST_TEST(near(fft::fftfreq(5, 0.5), tensor({0.0, 0.4, 0.8, -0.8, -0.4})));
    BOOST_TEST(near(fft::fftfreq(4), tensor({0.0, 0.25, -0.5, -0.25})));
    BOOST_TEST(near(fft::rfftfreq(5, 2.0), tensor({0.0, 0.1, 0.2})));
    BOOST_TEST(fft::fftfreq(0).numel() == 0);
}

BOOST_AUTO_TEST_CASE(ranges_include_their_end_and_have_the_default_dtype) {
    BOOST_TEST(equal(range(0, 4), tensor({0.f, 1.f, 2.f, 3.f, 4.f})));
    BOOST_TEST(near(range(1, 2, 0.3), tensor({1.0, 1.3, 1.6, 1.9})));
    BOOST_TEST(equal(range(5, 1, -2), tensor({5.f, 3.f, 1.f})));
    BOOST_TEST(equal(range(0, 3, kLong), arange(4)));
}

BOOST_AUTO_TEST_CASE(integer_ranges_count_in_integers) {
    BOOST_TEST(equal(arange(2.1, -2.9, -1.0, kLong), tensor({2, 1, 0, -1, -2}).to(kLong)));
    BOOST_TEST(equal(arange(-0.5, 2.5, 1, kInt), tensor({0, 1, 2}).to(kInt)));
    BOOST_TEST(equal(arange(5, 3.5, -0.5, kLong), tensor({5, 5, 5}).to(kLong)));
    BOOST_TEST(near(arange(2.1, -0.9, -1.0), tensor({2.1, 1.1, 0.1})));
}

BOOST_AUTO_TEST_CASE(what_has_no_answer_is_refused) {
    const auto refused = [](auto f, std::initializer_list<const char*> words) {
        const std::string text = message(f);
        for (const char* w : words) BOOST_TEST(text.find(w) != std::string::npos, text);
    };
    refused([] { hann_window(-1); }, {"hann_window: window_length is -1"});
    refused([] { kaiser_window(4, kLong); }, {"kaiser_window: dtype is", "floating point"});
    refused([] { fft::fftfreq(-1); }, {"fft.fftfreq: n is -1"});
    refused([] { fft::rfftfreq(4, kLong); }, {"fft.rfftfreq: dtype is", "floating point"});
    refused([] { range(1, 0); }, {"range: step 1 leads away from end 0"});
    refused([] { range(0, 1, Scalar(0)); }, {"range: step must not be zero"});
    refused([] { range(0, std::numeric_limits<double>::infinity()); }, {"range:", "must be finite"});
}

BOOST_AUTO_TEST_SUITE_END()
