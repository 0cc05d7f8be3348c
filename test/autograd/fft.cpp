// Fourier transforms against their definition, each other, and finite differences.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using C = std::complex<double>;

namespace {

Tensor signal(IntArrayRef sizes, bool complex_values) {
    Dims s(sizes);
    if (complex_values) s.push_back(2);
    Tensor x = empty(s, TensorOptions(kDouble));
    for (std::int64_t i = 0; i < x.numel(); ++i)
        x.data_ptr<double>()[i] = std::sin(1.7 * double(i) + 0.3) + 0.1 * double(i % 5);
    return complex_values ? view_as_complex(x) : x;
}
/// The sum that defines the transform.
Tensor direct(const Tensor& x, bool forward) {
    const std::int64_t n = x.size(0);
    Tensor y = zeros({n}, TensorOptions(kComplexDouble));
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t j = 0; j < n; ++j)
            y.data_ptr<C>()[k] += x.data_ptr<C>()[j] * std::polar(1.0, (forward ? -1 : 1) * 2 * 3.14159265358979323846 *
                                                                           double(j * k % n) / double(n));
    return y;
}
bool near(const Tensor& x, const Tensor& o, double tolerance = 1e-10) {
    return x.sizes().equals(o.sizes()) && (x.numel() == 0 || abs(x - o).max().item<double>() < tolerance);
}

} // namespace

BOOST_AUTO_TEST_SUITE(fourier)

BOOST_AUTO_TEST_CASE(every_length_agrees_with_the_definition) {
    // Powers of two, products of small primes, primes below and above the largest radix, their products.
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 12, 30, 31, 37, 49, 64, 74, 97, 121, 128, 210, 211, 1024}) {
        BOOST_TEST_CONTEXT("n = " << n) {
            const Tensor x = signal({n}, true);
            BOOST_TEST(near(fft::fft(x), direct(x, true), 1e-9));
            BOOST_TEST(near(fft::ifft(x, std::nullopt, -1, "forward"), direct(x, false), 1e-9));
            BOOST_TEST(near(fft::ifft(fft::fft(x)), x));
        }
    }
}

BOOST_AUTO_TEST_CASE(real_transforms_are_halves_of_the_complex_one) {
    for (const std::int64_t n : {1, 2, 5, 8, 31}) {
        BOOST_TEST_CONTEXT("n = " << n) {
            const Tensor x = signal({3, n}, false), full = fft::fft(x.to(kComplexDouble));
            BOOST_TEST(near(fft::rfft(x), narrow(full, 1, 0, n / 2 + 1)));
            BOOST_TEST(near(fft::irfft(fft::rfft(x), n), x));
            BOOST_TEST(near(fft::hfft(fft::ihfft(x), n), x));
            BOOST_TEST(near(fft::ihfft(x), conj(fft::rfft(x)) / double(n)));
        }
    }
}

BOOST_AUTO_TEST_CASE(several_dimensions_are_one_after_the_other) {
    const Tensor x = signal({3, 4, 5}, true);
    BOOST_TEST(near(fft::fft2(x), fft::fft(fft::fft(x, std::nullopt, 1), std::nullopt, 2)));
    BOOST_TEST(near(fft::fftn(x), fft::fft(fft::fft2(x), std::nullopt, 0)));
    const Tensor r = signal({3, 4, 5}, false);
    BOOST_TEST(near(fft::irfftn(fft::rfftn(r), IntArrayRef{3, 4, 5}), r));
    BOOST_TEST(near(fft::hfftn(fft::ihfftn(r), IntArrayRef{3, 4, 5}), r));
    BOOST_TEST(near(fft::fftn(x, std::nullopt, std::nullopt, "ortho") * std::sqrt(60.0), fft::fftn(x)));
}

BOOST_AUTO_TEST_CASE(gradients) {
    const Tensor z = signal({2, 6}, true).detach().requires_grad_(), x = signal({2, 6}, false).requires_grad_();
    const auto check = [](auto f, const Tensor& v) {
        BOOST_CHECK_NO_THROW(autograd::gradcheck(f, {v}));
        BOOST_CHECK_NO_THROW(autograd::gradgradcheck(f, {v}));
    };
    check([](const Tensor& v) { return fft::fft(v, 5, 1); }, z);
    check([](const Tensor& v) { return fft::ifft(v, 8, 1, "ortho"); }, z);
    check([](const Tensor& v) { return fft::rfft(v); }, x);
    check([](const Tensor& v) { return fft::irfft(v, 9); }, z);
    check([](const Tensor& v) { return fft::irfft2(v); }, z);
    check([](const Tensor& v) { return fft::hfft(v); }, z);
    check([](const Tensor& v) { return fft::ihfftn(v); }, x);
}

BOOST_AUTO_TEST_CASE(short_time_spectra_give_the_signal_back) {
    const Tensor x = signal({2, 40}, false), window = signal_windows_hann(8, false, TensorOptions(kDouble));
    const Tensor y = stft(x, 8, 2, std::nullopt, window, true, "reflect", false, std::nullopt, true);
    BOOST_TEST(y.sizes().equals(IntArrayRef{2, 5, 21}));
    BOOST_TEST(near(istft(y, 8, 2, std::nullopt, window, true, false, std::nullopt, 40), x));
}

BOOST_AUTO_TEST_CASE(refusals_name_the_argument) {
    const Tensor x = signal({4}, false);
    const auto says = [](const char* text) {
        return [text](const std::exception& e) { return std::string(e.what()).find(text) != std::string::npos; };
    };
    BOOST_CHECK_EXCEPTION(fft::fft(x, 0), Error, says("fft.fft: dimension 0 has 0 elements"));
    BOOST_CHECK_EXCEPTION(fft::fft(x, std::nullopt, -1, "half"), Error, says("norm is 'half'"));
    BOOST_CHECK_EXCEPTION(fft::rfft(signal({4}, true)), Error, says("fft.rfft: input is complex128"));
    BOOST_CHECK_EXCEPTION(fft::fftn(x, std::nullopt, IntArrayRef{0, 0}), Error, says("appears twice"));
    BOOST_CHECK_THROW(fft::fft(reshape(narrow(x, 0, 0, 1), {})), IndexError);
    BOOST_CHECK_EXCEPTION(stft(x, 2), Error, says("return_complex must be given"));
}

BOOST_AUTO_TEST_SUITE_END()
