// Fourier transforms of every kind of length against sums in long double; lines that know nothing of each other.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <reel/autograd/fft_kernels.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "message.hpp"

using namespace reel;

namespace {

using L = std::complex<long double>;
using Line = std::vector<L>;

Line random_line(std::int64_t n, std::uint32_t seed, bool complex_values) {
    std::mt19937 source(seed);
    std::normal_distribution<float> normal; // exact in both precisions
    Line r;
    for (std::int64_t i = 0; i < n; ++i) {
        const float re = normal(source), im = complex_values ? normal(source) : 0;
        r.push_back({re, im});
    }
    return r;
}
/// e^(-2 pi i k / n) for k < n; those asked for last are kept.
const Line& roots_of(std::int64_t n) {
    static Line roots;
    if (std::int64_t(roots.size()) == n) return roots;
    roots.clear();
    for (std::int64_t k = 0; k < n; ++k) {
        const long double angle =
            -2 * std::numbers::pi_v<long double> * (static_cast<long double>(k) / static_cast<long double>(n));
        roots.push_back({std::cos(angle), std::sin(angle)});
    }
    return roots;
}
/// One element of the transform by its definition.
L direct(const Line& x, std::int64_t k, bool forward) {
    const auto n = std::int64_t(x.size());
    const Line& roots = roots_of(n);
    long double re = 0, im = 0;
    for (std::int64_t j = 0, at = 0; j < n; ++j) {
        const L v = x[std::size_t(j)], w = roots[std::size_t(at)];
        const long double sine = forward ? w.imag() : -w.imag();
        re += v.real() * w.real() - v.imag() * sine;
        im += v.real() * sine + v.imag() * w.real();
        at = at + k < n ? at + k : at + k - n;
    }
    return {re, im};
}
/// Some elements of n: all of a few, both ends and what lies between of many.
std::vector<std::int64_t> places(std::int64_t n) {
    std::vector<std::int64_t> r;
    for (std::int64_t k = 0; k < n; k += n <= 64 ? 1 : k < 4 || k >= n - 4 ? 1 : std::max<std::int64_t>(1, n / 9))
        r.push_back(k);
    if (n > 64) r.insert(r.end(), {n / 2, n - 1});
    return r;
}
double precision(ScalarType t) {
    return t == kFloat || t == kComplexFloat ? std::numeric_limits<float>::epsilon()
                                             : std::numeric_limits<double>::epsilon();
}
Tensor tensor_of(const Line& x, ScalarType complex_type) {
    const Tensor t = empty({std::int64_t(x.size())}, TensorOptions(kComplexDouble));
    for (std::size_t i = 0; i < x.size(); ++i) t.data_ptr<std::complex<double>>()[i] = std::complex<double>(x[i]);
    return t.to(complex_type);
}
/// How far `y` is from the elements of x's transform, by the root of the sum of |x|^2, in units of the last place and
/// steps of the transform.
double worst(const Tensor& y, const Line& x, bool forward) {
    const auto n = std::int64_t(x.size());
    const Tensor z = y.to(kComplexDouble).contiguous();
    long double norm = 0, error = 0;
    for (const L v : x) norm += std::norm(v);
    for (const std::int64_t k : places(y.size(0)))
        error = std::max(error, std::abs(L(z.data_ptr<std::complex<double>>()[k]) - direct(x, k, forward)));
    return double(error / std::sqrt(norm)) / precision(y.scalar_type()) / (std::log2(double(n)) + 1);
}
/// x with its second half the mirrored conjugate of the first.
Line mirrored(Line x) {
    const std::size_t n = x.size();
    for (std::size_t k = 0; 2 * k <= n && k < n; ++k) {
        if (k == 0 || 2 * k == n) x[k] = x[k].real();
        else x[n - k] = std::conj(x[k]);
    }
    return x;
}
constexpr double limit = 1.0;

void check_line(std::int64_t n, ScalarType real_type) {
    const ScalarType type = toComplexType(real_type);
    const Line z = random_line(n, std::uint32_t(n), true), x = random_line(n, std::uint32_t(n) + 1, false);
    BOOST_TEST(worst(fft::fft(tensor_of(z, type)), z, true) < limit);
    BOOST_TEST(worst(fft::ifft(tensor_of(z, type), std::nullopt, -1, "forward"), z, false) < limit);
    const Tensor half = fft::rfft(real(tensor_of(x, type)));
    BOOST_REQUIRE(half.size(0) == n / 2 + 1);
    BOOST_TEST(worst(half, x, true) < limit);
    const Line h = mirrored(z);
    const Tensor back = fft::irfft(narrow(tensor_of(z, type), 0, 0, n / 2 + 1), n, -1, "forward");
    BOOST_REQUIRE(back.size(0) == n);
    BOOST_TEST(worst(back.to(type), h, false) < limit);
}

} // namespace

BOOST_AUTO_TEST_SUITE(fourier_accuracy)

BOOST_AUTO_TEST_CASE(short_lines_of_every_length) {
    for (std::int64_t n = 1; n <= 160; ++n)
        for (const ScalarType t : {kFloat, kDouble}) BOOST_TEST_CONTEXT("n = " << n << ", " << dtype_name(t)) {
                check_line(n, t);
            }
}

BOOST_AUTO_TEST_CASE(long_lines) {
    // powers of each radix, products of all, primes that are a pass and that are filled up, products of both
    for (const std::int64_t n : {169,  243,  256,  343,  512,  625,   719,   1000,  1009,  1024,  1331,  1536,  2018,
                                 2048, 2197, 4096, 8128, 8384, 10007, 15015, 16129, 20014, 44100, 65536, 65537, 131072})
        for (const ScalarType t : {kFloat, kDouble}) BOOST_TEST_CONTEXT("n = " << n << ", " << dtype_name(t)) {
                check_line(n, t);
            }
}

BOOST_AUTO_TEST_CASE(batches_in_rows_and_columns) {
    // Full blocks of lanes and a rest, lines shorter than a vector, lines that are filled up.
    for (const std::int64_t n : {2, 3, 4, 5, 8, 16, 17, 30, 97, 131, 150})
        for (const ScalarType t : {kFloat, kDouble}) {
            const std::int64_t lines = 37;
            const ScalarType type = toComplexType(t);
            std::vector<Line> z;
            std::vector<Tensor> rows;
            for (std::int64_t i = 0; i < lines; ++i) {
                z.push_back(random_line(n, std::uint32_t(i), true));
                rows.push_back(tensor_of(z.back(), type));
            }
            const Tensor all = stack(rows), columns = all.t().contiguous(), steps = stack({all, all}, -1).select(2, 1);
            const Tensor by_row = fft::fft(all), by_column = fft::fft(columns, std::nullopt, 0),
                         by_step = fft::fft(steps);
            const Tensor real_rows = fft::rfft(real(all).contiguous()),
                         real_columns = fft::rfft(real(columns), std::nullopt, 0);
            for (const std::int64_t i : {0, 1, 7, 31, 32, 36}) {
                BOOST_TEST_CONTEXT("line " << i << " of n = " << n << ", " << dtype_name(t)) {
                    const Line& line = z[std::size_t(i)];
                    Line re;
                    for (const L v : line) re.push_back(v.real());
                    BOOST_TEST(worst(by_row[i], line, true) < limit);
                    BOOST_TEST(worst(by_column.select(1, i), line, true) < limit);
                    BOOST_TEST(worst(by_step[i], line, true) < limit);
                    BOOST_TEST(worst(real_rows[i], re, true) < limit);
                    BOOST_TEST(worst(real_columns.select(1, i), re, true) < limit);
                    const Tensor back = fft::irfft(narrow(all, 1, 0, n / 2 + 1), n, -1, "forward");
                    BOOST_TEST(worst(back[i].to(type), mirrored(line), false) < limit);
                }
            }
        }
}

BOOST_AUTO_TEST_CASE(a_line_with_nan_spoils_no_other) {
    manual_seed(1);
    for (const std::int64_t n : {4, 8, 9, 60, 131}) {
        BOOST_TEST_CONTEXT("n = " << n) {
            const Tensor x = randn({40, n}), spoilt = x.clone();
            spoilt.select(0, 3).fill_(std::numeric_limits<double>::quiet_NaN());
            spoilt.select(0, 17).fill_(std::numeric_limits<double>::infinity());
            const auto same_elsewhere = [&](const Tensor& a, const Tensor& b) {
                for (std::int64_t i = 0; i < 40; ++i)
                    if (i != 3 && i != 17 && !equal(a[i], b[i])) return false;
                return isnan(abs(b[3])).all().item<bool>();
            };
            BOOST_TEST(same_elsewhere(fft::rfft(x), fft::rfft(spoilt)));
            BOOST_TEST(same_elsewhere(fft::fft(x), fft::fft(spoilt)));
            const ScalarType c = kComplexFloat;
            BOOST_TEST(same_elsewhere(fft::irfft(x.to(c), n), fft::irfft(spoilt.to(c), n)));
        }
    }
}

BOOST_AUTO_TEST_CASE(long_lines_have_the_same_bits_on_any_number_of_threads) {
    const int before = get_num_threads();
    manual_seed(2);
    for (const std::int64_t n : {131072, 65537, 99990}) {
        BOOST_TEST_CONTEXT("n = " << n) {
            const Tensor x = randn({3, n}), z = complex(x, x.flip({1}));
            set_num_threads(1);
            const Tensor one = fft::fft(z), half = fft::rfft(x), back = fft::irfft(half, n);
            for (const int threads : {2, 3, 5}) {
                set_num_threads(threads);
                BOOST_TEST(equal(fft::fft(z), one));
                BOOST_TEST(equal(fft::rfft(x), half));
                BOOST_TEST(equal(fft::irfft(half, n), back));
            }
        }
    }
    set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(imaginary_parts_that_a_real_result_rules_out_are_ignored) {
    for (const std::int64_t n : {1, 2, 7, 8, 64, 4096}) {
        const Tensor z = tensor_of(random_line(n / 2 + 1, 5, true), kComplexDouble), same = z.clone();
        view_as_real(same).select(1, 1).select(0, 0).fill_(7);
        if (n % 2 == 0) view_as_real(same).select(1, 1).select(0, n / 2).fill_(-3);
        BOOST_TEST(equal(fft::irfft(z, n), fft::irfft(same, n)));
    }
}

namespace {
int calls = 0;
template <class T>
constexpr FftFunctions<T> counting = {
    [](const std::complex<T>* in, std::complex<T>* out, const FftAxes& dims, const FftAxes&, bool) {
        ++calls;
        out[0] = in[0] * T(dims[0].n);
    },
    [](const T*, std::complex<T>*, const FftAxes&, const FftAxes&) { ++calls; },
    [](std::complex<T>*, T*, const FftAxes&, const FftAxes&) { ++calls; }};
const FftKernels counting_kernels = {"counting", counting<float>, counting<double>};
} // namespace

BOOST_AUTO_TEST_CASE(other_kernels_take_the_place_of_our_own) {
    const FftKernels& before = fft_kernels();
    const Tensor x = ones({1}, TensorOptions(kComplexFloat));
    set_fft_kernels(&counting_kernels);
    BOOST_TEST(std::string(fft_kernels().name) == "counting");
    fft::fft(x);
    fft::rfft(ones({4}, TensorOptions(kDouble)));
    fft::irfft(x, 4);
    BOOST_TEST(calls == 3);
    fft::fft(zeros({0, 5})); // nothing to do: nobody is called
    BOOST_TEST(calls == 3);
    set_fft_kernels(nullptr);
    BOOST_TEST(&fft_kernels() == &before);
    fft::fft(x);
    BOOST_TEST(calls == 3);

    FftKernels half = counting_kernels;
    half.f64.to_real = nullptr;
    BOOST_CHECK_THROW(set_fft_kernels(&half), ValueError);
    BOOST_TEST(
        testing::message([&] { set_fft_kernels(&half); }) ==
        "set_fft_kernels: counting lacks a function; expected complex, from_real and to_real of f32 and f64, and "
        "a name");
    BOOST_TEST(&fft_kernels() == &before);
}

BOOST_AUTO_TEST_SUITE_END()
