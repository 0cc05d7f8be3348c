// FFTW's transforms in the place of Reel's own: in use once linked, and the same numbers.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/fftw.hpp>

using namespace reel;

namespace {

/// f() by FFTW, then by Reel's own.
template <class F> std::pair<Tensor, Tensor> both(F f) {
    const Tensor theirs = f();
    set_fft_kernels(nullptr);
    const Tensor ours = f();
    set_fft_kernels(&fftw::kernels());
    return {theirs, ours};
}
/// Relative distance, in units of the precision.
double distance(const Tensor& x, const Tensor& o) {
    const double unit =
        x.scalar_type() == kFloat || x.scalar_type() == kComplexFloat ? std::ldexp(1, -23) : std::ldexp(1, -52);
    return (linalg::vector_norm(x - o) / linalg::vector_norm(o)).item<double>() / unit;
}

} // namespace

BOOST_AUTO_TEST_SUITE(fftw_transforms)

BOOST_AUTO_TEST_CASE(a_program_that_links_it_uses_it) {
    BOOST_TEST(std::string(fft_kernels().name) == "fftw");
    set_fft_kernels(nullptr);
    BOOST_TEST(std::string(fft_kernels().name) == "reel");
    set_fft_kernels(&fftw::kernels());
    BOOST_TEST(std::string(fft_kernels().name) == "fftw");
}

BOOST_AUTO_TEST_CASE(both_give_the_same_numbers) {
    manual_seed(3);
    for (const ScalarType t : {kFloat, kDouble})
        for (const std::int64_t n : {1, 2, 7, 16, 97, 360, 1009, 4096, 15015, 65536}) {
            BOOST_TEST_CONTEXT("n = " << n << ", " << dtype_name(t)) {
                const Tensor x = randn({2, n}, TensorOptions(t)), z = complex(x, randn({2, n}, TensorOptions(t)));
                const double limit = 2 + std::log2(double(n));
                const auto agree = [&](auto f) {
                    const auto [theirs, ours] = both(f);
                    BOOST_TEST((theirs.scalar_type() == ours.scalar_type()));
                    BOOST_TEST(distance(ours, theirs) < limit);
                };
                agree([&] { return fft::fft(z); });
                agree([&] { return fft::ifft(z); });
                agree([&] { return fft::rfft(x); });
                agree([&] { return fft::irfft(z, 2 * n); });
                agree([&] { return fft::irfft(z, n); });
            }
        }
}

BOOST_AUTO_TEST_CASE(several_dimensions_and_layouts) {
    manual_seed(4);
    const Tensor x = randn({24, 30, 35}, TensorOptions(kDouble)), z = complex(x, x.flip({0}));
    const auto agree = [](auto f) {
        const auto [theirs, ours] = both(f);
        BOOST_TEST(distance(ours, theirs) < 16);
    };
    agree([&] { return fft::fftn(z); });
    agree([&] { return fft::rfftn(x); });
    agree([&] { return fft::irfftn(z); });
    for (const std::int64_t d : {0, 1, 2}) {
        agree([&] { return fft::fft(z, std::nullopt, d); });
        agree([&] { return fft::rfft(x.transpose(0, 1), std::nullopt, d); });
        agree([&] { return fft::irfft(z.slice(1, 0, 30, 2), std::nullopt, d); });
    }
}

BOOST_AUTO_TEST_CASE(any_number_of_threads_gives_the_same_bits) {
    const int before = get_num_threads();
    manual_seed(5);
    const Tensor x = randn({520, 300}), z = complex(x, x);
    set_num_threads(1);
    const Tensor rows = fft::fft(z), all = fft::fft2(z), half = fft::rfft2(x), back = fft::irfft2(half);
    for (const int n : {2, 3}) {
        set_num_threads(n);
        BOOST_TEST(equal(fft::fft(z), rows));
        BOOST_TEST(equal(fft::fft2(z), all));
        BOOST_TEST(equal(fft::rfft2(x), half));
        BOOST_TEST(equal(fft::irfft2(half), back));
    }
    set_num_threads(before);
}

BOOST_AUTO_TEST_SUITE_END()
