// Fourier transforms against their definition, each other, and finite differences.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cmath>
#include <complex>
#include <thread>
#include <vector>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
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
    // Powers of two, products of small primes, primes small and large, their products.
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 12, 30, 31, 37, 49, 64, 74, 97, 121, 128, 210, 211, 1009, 1024}) {
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

BOOST_AUTO_TEST_CASE(whole_spectra_of_real_numbers_are_those_of_complex_ones) {
    for (const std::int64_t n : {1, 2, 3, 8, 31}) {
        const Tensor x = signal({4, n, 5}, false);
        for (const Tensor& r : {x, x.transpose(0, 2), x.slice(2, 0, 5, 2), x[0].expand({3, n, 5})})
            for (const std::vector<std::int64_t>& dims :
                 {std::vector<std::int64_t>{1}, {0}, {2}, {0, 1}, {2, 0}, {1, 2, 0}, {0, 1, 2}})
                for (const char* norm : {"backward", "ortho"}) BOOST_TEST_CONTEXT("n = " << n << ", " << norm) {
                        const Tensor c = r.to(kComplexDouble);
                        BOOST_TEST(
                            near(fft::fftn(r, std::nullopt, dims, norm), fft::fftn(c, std::nullopt, dims, norm)));
                        BOOST_TEST(
                            near(fft::ifftn(r, std::nullopt, dims, norm), fft::ifftn(c, std::nullopt, dims, norm)));
                    }
        const Tensor single = x.to(kFloat), whole = ones({4}, kLong).cumsum(0);
        BOOST_TEST((fft::fft2(single).scalar_type() == kComplexFloat));
        BOOST_TEST(near(fft::fft2(single).to(kComplexDouble), fft::fft2(x), 1e-4));
        BOOST_TEST(near(fft::fft(whole, 6).to(kComplexDouble), fft::fft(whole.to(kComplexDouble), 6), 1e-5));
    }
    BOOST_TEST(fft::fft(empty({0, 3}, kDouble)).numel() == 0);
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

BOOST_AUTO_TEST_CASE(large_ones_are_cut_into_parts) {
    // More than one thread's share: one long transform, many rows, many columns, and dimensions one after the other.
    const Tensor x = signal({96, 10, 62}, true), flat = x.reshape({-1});
    BOOST_TEST(near(fft::ifft(fft::fft(flat)), flat));
    for (const std::int64_t d : {0, 1, 2}) {
        BOOST_TEST_CONTEXT("dimension " << d) {
            const Tensor y = fft::fft(x, std::nullopt, d);
            for (const std::int64_t i : {0, 7}) {
                const Tensor row = d == 0   ? x.select(1, i).select(1, i)
                                   : d == 1 ? x.select(0, i).select(1, i)
                                            : x.select(0, i).select(0, i);
                const Tensor got = d == 0   ? y.select(1, i).select(1, i)
                                   : d == 1 ? y.select(0, i).select(1, i)
                                            : y.select(0, i).select(0, i);
                BOOST_TEST(near(got, direct(row.clone(), true), 1e-9));
            }
        }
    }
    const Tensor one_by_one = fft::fft(fft::fft(fft::fft(x, std::nullopt, 2), std::nullopt, 1), std::nullopt, 0);
    BOOST_TEST(near(fft::fftn(x), one_by_one, 1e-8));
    // long columns far apart are copied; 300 of them end in a block that is not full
    const Tensor tall = signal({600, 300}, true), columns = fft::fft(tall, std::nullopt, 0);
    for (const std::int64_t i : {0, 9, 299}) BOOST_TEST(near(columns.select(1, i), fft::fft(tall.select(1, i)), 1e-9));
    BOOST_TEST(near(fft::ifft2(fft::fft2(tall)), tall));
    const Tensor r = signal({96, 10, 63}, false);
    BOOST_TEST(near(fft::rfftn(r), narrow(fft::fftn(r.to(kComplexDouble)), 2, 0, 32), 1e-8));
    BOOST_TEST(near(fft::irfftn(fft::rfftn(r), IntArrayRef{96, 10, 63}), r));
    BOOST_TEST(near(fft::irfft(fft::rfft(r.reshape({-1})), r.numel()), r.reshape({-1})));
}

BOOST_AUTO_TEST_CASE(any_number_of_threads_gives_the_same_bits) {
    const int before = get_num_threads();
    const Tensor x = signal({520, 300}, true).to(kComplexFloat);
    set_num_threads(1);
    const Tensor rows = fft::fft(x), all = fft::fft2(x), half = fft::rfft2(real(x)), back = fft::irfft2(half);
    for (const int n : {2, 3}) {
        set_num_threads(n);
        BOOST_TEST(equal(fft::fft(x), rows));
        BOOST_TEST(equal(fft::fft2(x), all));
        BOOST_TEST(equal(fft::rfft2(real(x)), half));
        BOOST_TEST(equal(fft::irfft2(half), back));
    }
    set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(both_precisions_and_every_layout) {
    for (const std::int64_t n : {6, 64, 101, 20000}) {
        BOOST_TEST_CONTEXT("n = " << n) {
            const Tensor x = signal({n}, true), exact = fft::fft(x), single = fft::fft(x.to(kComplexFloat));
            BOOST_TEST((single.scalar_type() == kComplexFloat));
            const double error = linalg::vector_norm(single.to(kComplexDouble) - exact).item<double>();
            BOOST_TEST(error < 1e-6 * linalg::vector_norm(exact).item<double>());
            const Tensor real_single = fft::rfft(real(x).to(kFloat)), real_exact = fft::rfft(real(x));
            BOOST_TEST((real_single.scalar_type() == kComplexFloat));
            const double real_error = linalg::vector_norm(real_single.to(kComplexDouble) - real_exact).item<double>();
            BOOST_TEST(real_error < 1e-6 * linalg::vector_norm(real_exact).item<double>());
        }
    }
    // an odd offset, a step, columns, and one row for all: the input is read where it lies, and is left as it was
    const Tensor x = signal({9, 21}, false), kept = x.clone();
    const Tensor views[] = {narrow(x, 1, 1, 16), x.slice(1, 0, 21, 3), x.t(), x.select(0, 3).expand({5, 21})};
    for (const Tensor& v : views) {
        const Tensor dense = v.clone(MemoryFormat::Contiguous);
        BOOST_TEST(near(fft::rfft(v), fft::rfft(dense)));
        BOOST_TEST(near(fft::rfft2(v), fft::rfft2(dense)));
        BOOST_TEST(near(fft::fft(v.to(kFloat).to(kComplexFloat)), fft::fft(dense.to(kComplexFloat)), 1e-4));
    }
    BOOST_TEST(equal(x, kept));
    const Tensor half = fft::rfft2(x), kept_half = half.clone();
    fft::irfft2(half);
    BOOST_TEST(equal(half, kept_half));
}

BOOST_AUTO_TEST_CASE(sizes_are_cut_and_filled_and_batches_may_be_empty) {
    const Tensor x = signal({2, 6}, true);
    BOOST_TEST(near(fft::fft(x, 4), fft::fft(narrow(x, 1, 0, 4).clone())));
    BOOST_TEST(near(fft::fft(x, 9), fft::fft(constant_pad_nd(x, {0, 3}))));
    BOOST_TEST(near(fft::ifft2(x, IntArrayRef{3, 5}), fft::ifft2(constant_pad_nd(narrow(x, 1, 0, 5), {0, 0, 0, 1}))));
    BOOST_TEST(near(fft::irfft(x, 7), fft::irfft(narrow(x, 1, 0, 4), 7)));
    BOOST_TEST(fft::fft(zeros({0, 5})).sizes().equals(IntArrayRef{0, 5}));
    BOOST_TEST(fft::rfft(zeros({0, 5})).sizes().equals(IntArrayRef{0, 3}));
    BOOST_TEST(fft::irfft(zeros({0, 3})).sizes().equals(IntArrayRef{0, 4}));
}

BOOST_AUTO_TEST_CASE(many_threads_plan_at_once, *boost::unit_test::label("threads")) {
    const Tensor x = signal({240}, true);
    std::vector<Tensor> expected;
    for (std::int64_t n = 100; n < 240; ++n) expected.push_back(fft::fft(x, n));
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (std::int64_t n = 100; n < 240; ++n) wrong += !equal(fft::fft(x, n), expected[std::size_t(n - 100)]);
        });
    for (std::thread& t : threads) t.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(gradients) {
    const Tensor z = signal({2, 6}, true).detach().requires_grad_(), x = signal({2, 6}, false).requires_grad_();
    const auto check = [](auto f, const Tensor& v) {
        BOOST_CHECK_NO_THROW(autograd::gradcheck(f, {v}));
        BOOST_CHECK_NO_THROW(autograd::gradgradcheck(f, {v}));
    };
    check([](const Tensor& v) { return fft::fft(v, 5, 1); }, z);
    check([](const Tensor& v) { return fft::ifft(v, 8, 1, "ortho"); }, z);
    check([](const Tensor& v) { return fft::fftn(v, IntArrayRef{3, 5}); }, x);
    check([](const Tensor& v) { return fft::ifft(v, 4, 0, "ortho"); }, x);
    check([](const Tensor& v) { return fft::rfft(v); }, x);
    check([](const Tensor& v) { return fft::irfft(v, 9); }, z);
    check([](const Tensor& v) { return fft::irfft2(v); }, z);
    check([](const Tensor& v) { return fft::hfft(v); }, z);
    check([](const Tensor& v) { return fft::ihfftn(v); }, x);
    check([](const Tensor& v) { return fft::rfft2(v, IntArrayRef{3, 5}); }, x);
    check([](const Tensor& v) { return fft::hfftn(v, IntArrayRef{3, 5}, std::nullopt, "ortho"); }, z);
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
