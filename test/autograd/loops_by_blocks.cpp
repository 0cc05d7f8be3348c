// Loops that go by blocks, digits or vectors where they once went element by element: the same results.
#include "shape_helpers.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity(), nan_ = std::numeric_limits<float>::quiet_NaN();

/// How many units in the last place of the nearest float32 `got` lies beside `want`.
double ulps(float got, double want) {
    const float near = float(want);
    if (std::isnan(want)) return std::isnan(got) ? 0 : HUGE_VAL;
    if (std::isinf(near)) return got == near ? 0 : HUGE_VAL;
    const double unit = double(std::nextafter(std::abs(near), infinity)) - std::abs(near);
    return std::abs(double(got) - want) / unit;
}
double most_ulps(const Tensor& got, const Tensor& want) {
    double most = 0;
    for (std::int64_t i = 0; i < got.numel(); ++i)
        most = std::max(most, ulps(got.data_ptr<float>()[i], want.data_ptr<double>()[i]));
    return most;
}
/// The results for elements that lie two apart are those of dense ones.
template <class F> void check_layouts(const Tensor& x, F f) {
    const Tensor spaced = zeros({2 * x.numel()}, x.options()).slice(0, 0, 2 * x.numel(), 2);
    spaced.copy_(x);
    BOOST_TEST(allclose(f(spaced), f(x), 0, 0, true)); // NaN at the poles
    BOOST_TEST(allclose(f(x.narrow(0, 3, 1)), f(x).narrow(0, 3, 1), 0, 0, true));
}
} // namespace

BOOST_AUTO_TEST_SUITE(loops_by_blocks)

BOOST_AUTO_TEST_CASE(lgamma_is_two_units_off_at_most) {
    manual_seed(3);
    const std::pair<double, double> ranges[] = {{0, 1},     {0.5, 1.5}, {0.99, 1.01},    {1.99, 2.01}, {1, 3},
                                                {2.5, 8.5}, {8, 100},   {1e3, 1e30},     {-1, 0},      {-12, 0},
                                                {-1e3, 0},  {0, 1e-37}, {-2.458, -2.457}};
    for (const auto& [low, high] : ranges) {
        const Tensor x = (reel::rand({20011}, kDouble) * (high - low) + low).to(kFloat);
        const Tensor want = empty({20011}, TensorOptions(kDouble));
        for (std::int64_t i = 0; i < x.numel(); ++i)
            want.data_ptr<double>()[i] = std::lgamma(double(x.data_ptr<float>()[i]));
        BOOST_TEST_CONTEXT(low << " to " << high) { BOOST_TEST(most_ulps(x.lgamma(), want) <= 2); }
        check_layouts(x, [](const Tensor& t) { return t.lgamma(); });
    }
    const Tensor special =
        tensor({0.f, -0.f, -1.f, -2.f, -3e8f, infinity, -infinity, 1.f, 2.f, nan_, 3.3e38f}).lgamma();
    for (const int pole : {0, 1, 2, 3, 4, 5, 6, 10}) BOOST_TEST(special.data_ptr<float>()[pole] == infinity);
    BOOST_TEST(special.data_ptr<float>()[7] == 0);
    BOOST_TEST(special.data_ptr<float>()[8] == 0);
    BOOST_TEST(std::isnan(special.data_ptr<float>()[9]));
}

BOOST_AUTO_TEST_CASE(digamma_and_its_slope_are_rounded_once) {
    manual_seed(7);
    const auto slope = [](const Tensor& t) {
        const Tensor leaf = t.detach().requires_grad_();
        digamma(leaf).sum().backward();
        return leaf.grad();
    };
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {0, 1}, {1.4, 1.5}, {1, 9}, {8, 100}, {1e6, 1e30}, {-1, 0}, {-9, 0}, {-1e4, 0}, {1e-30, 1e-29}}) {
        const Tensor x = (reel::rand({5003}, kDouble) * (high - low) + low).to(kFloat);
        BOOST_TEST_CONTEXT(low << " to " << high) {
            BOOST_TEST(most_ulps(digamma(x), digamma(x.to(kDouble))) <= 0.51);
            if (low != 1e-30) BOOST_TEST(most_ulps(slope(x), polygamma(x.to(kDouble), 1)) <= 0.51);
        }
        check_layouts(x, [](const Tensor& t) { return digamma(t); });
        check_layouts(x, slope);
    }
    const Tensor poles = digamma(tensor({0.f, -0.f, infinity, -infinity, -1.f, -7.f, nan_}));
    for (const int i : {3, 4, 5, 6}) BOOST_TEST(std::isnan(poles.data_ptr<float>()[i]));
    REEL_TEST_LIST(poles.narrow(0, 0, 3), -infinity, infinity, infinity);
    REEL_TEST_LIST(slope(tensor({0.f, -1.f, infinity})), infinity, infinity, 0);
    check_gradients([](const Tensor& t) { return digamma(t * t + 0.3); }, {leaf({2, 3})});
}

BOOST_AUTO_TEST_CASE(searched_places_of_many_values) {
    manual_seed(8);
    for (const ScalarType t : {kFloat, kDouble, kInt, kLong})
        for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 100, 129}) {
            const Tensor row = std::get<0>(randint(0, 60, {n}).to(t).sort(0)), v = randint(-2, 63, {77}).to(t);
            for (const bool right : {false, true}) {
                const Tensor got = searchsorted(row, v, false, right);
                for (std::int64_t i = 0; i < 77; ++i)
                    BOOST_TEST(got[i].item<std::int64_t>() ==
                               (right ? le(row, v[i]) : lt(row, v[i])).sum().item<std::int64_t>());
            }
        }
    const Tensor rows = randn({3, 50}), order = std::get<1>(rows.sort(1)), v = randn({3, 20});
    const Tensor by_order = searchsorted(rows, v, false, false, std::nullopt, order);
    BOOST_TEST(equal(by_order, searchsorted(std::get<0>(rows.sort(1)), v)));
}

BOOST_AUTO_TEST_CASE(the_slope_of_sinc_is_that_of_double_precision) {
    const Tensor x = linspace(-9, 9, 6007, TensorOptions(kFloat));
    const auto slope = [](const Tensor& t) {
        const Tensor leaf = t.detach().requires_grad_();
        sinc(leaf).sum().backward();
        return leaf.grad();
    };
    const Tensor want = empty({6007}, TensorOptions(kDouble));
    for (std::int64_t i = 0; i < 6007; ++i) { // in extended precision, the power series near zero
        constexpr long double pi = 3.14159265358979323846264L;
        const long double z = pi * static_cast<long double>(x.data_ptr<float>()[i]);
        long double term = z, sum = 0;
        for (int m = 1; m < 40; m += 2) {
            sum += ((m + 1) / 2 % 2 ? -1 : 1) * term / (m + 2);
            term *= z * z / ((m + 1) * (m + 2));
        }
        want.data_ptr<double>()[i] = double(pi * (std::abs(z) < 1 ? sum : (std::cos(z) - std::sin(z) / z) / z));
    }
    BOOST_TEST(most_ulps(slope(x), want) <= 0.6);
    BOOST_TEST(allclose(slope(x.to(kDouble)), want, 1e-9, 1e-13));
    check_layouts(x, slope);
    REEL_TEST_LIST(slope(tensor({0.f, -0.f})), 0, 0);
    BOOST_TEST(std::isnan(slope(tensor({infinity})).item<float>()));
    check_gradients([](const Tensor& t) { return sinc(t); }, {leaf({2, 9})});
}

BOOST_AUTO_TEST_CASE(sums_in_the_middle_need_no_copy) {
    const Tensor x = numbers({3, 4, 1, 5, 2, 21});
    const std::vector<Dims> all{{0}, {1}, {3}, {1, 3}, {0, 4}, {0, 2, 4}, {1, 2, 3}, {0, 1, 2, 3, 4}, {5}, {0, 5}};
    for (const ScalarType t : {kDouble, kFloat, kHalf, kBFloat16})
        for (const Dims& dims : all) {
            const Tensor y = x.to(t);
            Tensor want = y.to(kDouble);
            for (std::size_t d = dims.size(); d-- > 0;) {
                const std::vector<Tensor> slices = want.unbind(dims[d]);
                want = slices[0];
                for (std::size_t i = 1; i < slices.size(); ++i) want = want + slices[i];
            }
            const double close = t == kDouble ? 1e-14 : t == kFloat ? 1e-5 : t == kHalf ? 1e-3 : 8e-3;
            const Tensor got = y.sum(IntArrayRef(dims));
            BOOST_TEST_INFO(dtype_name(t) << " over " << IntArrayRef(dims));
            BOOST_TEST(allclose(got.to(kDouble), want, close, close));
            BOOST_TEST(got.is_contiguous());
            BOOST_TEST(equal(y.sum(IntArrayRef(dims), true).reshape(got.sizes()), got));
            BOOST_TEST_INFO(dtype_name(t) << " over " << IntArrayRef(dims));
            BOOST_TEST(equal(y.nansum(IntArrayRef(dims)), got));
        }
    const Tensor large = reel::rand({40, 30, 3, 50}, kFloat);
    const int before = get_num_threads();
    set_num_threads(1);
    const Tensor one = large.sum({0, 2}), middle = large.sum(1);
    set_num_threads(2);
    BOOST_TEST(equal(large.sum({0, 2}), one));
    BOOST_TEST(equal(large.sum(1), middle));
    set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(copies_with_few_columns) {
    for (const ScalarType t : {kByte, kHalf, kFloat, kDouble, kComplexDouble})
        for (const std::int64_t columns : {2, 3, 7})
            for (const std::int64_t rows : {9, 1500}) {
                const Tensor x = arange(2 * columns * rows).remainder(97).to(t).view({2, columns, rows});
                const Tensor turned = x.transpose(1, 2), copy = turned.contiguous(), wide = turned.to(kComplexDouble);
                const Tensor back = copy.transpose(1, 2).contiguous(), spaced = x.slice(2, 0, rows, 2).contiguous();
                BOOST_TEST(copy.is_contiguous());
                BOOST_TEST(equal(back, x));
                BOOST_TEST(equal(wide.to(t), copy));
                for (std::int64_t k = 0; k < columns; ++k)
                    for (const std::int64_t row : {std::int64_t(0), rows / 2, rows - 1}) {
                        BOOST_TEST(equal(copy[1][row][k], x[1][k][row]));
                        BOOST_TEST(equal(spaced[1][k][row / 2], x[1][k][row / 2 * 2]));
                    }
            }
    const Tensor image = numbers({2, 12, 5, 30});
    BOOST_TEST(equal(pixel_unshuffle(pixel_shuffle(image, 2), 2), image));
    REEL_TEST_LIST(
        pixel_shuffle(image, 2)[1][2][9].narrow(0, 20, 2) - stack({image[1][10][4][10], image[1][11][4][10]}), 0, 0);
}

BOOST_AUTO_TEST_CASE(medians_of_long_rows_stand_in_the_middle_of_the_stable_order) {
    manual_seed(4);
    for (const ScalarType t : {kFloat, kDouble, kHalf, kInt, kLong, kByte})
        for (const std::int64_t n : {63, 64, 101, 1024}) {
            const Tensor x = (randn({5, n}, kDouble) * (t == kByte ? 0 : 9) + randint(0, 90, {5, n})).to(t);
            const auto [values, places] = x.median(1);
            const auto [sorted, order] = sort(x, 1, false, true);
            BOOST_TEST(equal(values, sorted.select(1, (n - 1) / 2)));
            BOOST_TEST(equal(places, order.select(1, (n - 1) / 2)));
        }
    Tensor x = tensor({-0.f, 0.f}).repeat({100});
    BOOST_TEST(std::get<1>(x.median(0)).item<std::int64_t>() == 99); // zeros are equal
    x.slice(0, 50, 200, 1).fill_(nan_);
    BOOST_TEST(std::get<1>(x.median(0)).item<std::int64_t>() == 50);
    BOOST_TEST(std::get<1>(x.nanmedian(0)).item<std::int64_t>() == 24);
    BOOST_TEST(std::get<1>(full({200}, nan_).nanmedian(0)).item<std::int64_t>() == 0);
}

BOOST_AUTO_TEST_CASE(extrema_of_rows_meet_every_nan) {
    manual_seed(10);
    for (const ScalarType t : {kFloat, kDouble, kHalf, kBFloat16})
        for (const std::int64_t n : {1, 31, 127, 128, 129, 300, 1024}) {
            const Tensor x = randn({4, n}).to(t), sorted = std::get<0>(x.sort(1));
            BOOST_TEST(equal(x.amax(1), sorted.select(1, n - 1)));
            BOOST_TEST(equal(x.amin(1), sorted.select(1, 0)));
            BOOST_TEST(equal(x.max(), x.amax(1).max()));
            for (std::int64_t at = 0; at < n; at += std::max<std::int64_t>(1, n / 37)) {
                Tensor with = x.clone();
                with.select(1, at).narrow(0, 2, 1).fill_(nan_);
                const Tensor most = with.amax(1), least = with.amin(1);
                for (std::int64_t r = 0; r < 4; ++r) {
                    BOOST_TEST(std::isnan(most[r].item<double>()) == (r == 2));
                    BOOST_TEST(std::isnan(least[r].item<double>()) == (r == 2));
                }
            }
        }
}

BOOST_AUTO_TEST_CASE(running_logarithms_of_sums) {
    manual_seed(5);
    const auto check = [](const Tensor& x) {
        BOOST_TEST(allclose(x.logcumsumexp(1).to(kDouble), x.to(kDouble).logcumsumexp(1), 3e-7, 1e-7, true));
    };
    for (const double scale : {0.1, 1., 30., 1000.})
        for (const std::int64_t n : {1, 7, 256, 257, 700}) check(randn({3, n}) * scale - scale);
    Tensor x = randn({6, 600});
    x[0].narrow(0, 0, 5).fill_(-infinity);
    x[1].narrow(0, 300, 1).fill_(infinity);
    x[2].narrow(0, 400, 1).fill_(nan_);
    x[3].fill_(-infinity);
    x[4].narrow(0, 256, 256).add_(5000);
    x[5].narrow(0, 0, 256).sub_(3e38f);
    check(x);
    BOOST_TEST(equal(x.logcumsumexp(1)[4], x[4].logcumsumexp(0)));
}

BOOST_AUTO_TEST_CASE(small_matrices_are_factored_as_large_ones) {
    manual_seed(9);
    for (const ScalarType t : {kFloat, kDouble, kComplexDouble})
        for (const std::int64_t n : {0, 1, 2, 5, 8, 12, 13, 30}) {
            const Tensor x = randn({3, n, n}, t), a = matmul(x, x.mH()) + eye(n, std::nullopt, x.options());
            const double close = t == kFloat ? 1e-4 : 1e-12;
            const Tensor lower = linalg_cholesky(a), upper = linalg_cholesky(a, true);
            BOOST_TEST(allclose(matmul(lower, lower.mH()), a, close, close));
            BOOST_TEST(allclose(upper, lower.mH(), close, close));
            BOOST_TEST(equal(lower, lower.tril()));
            BOOST_TEST(equal(linalg_cholesky(a.tril()), lower)); // nothing else is read
            BOOST_TEST(equal(linalg_cholesky(a.triu(), true), upper));
        }
    for (const std::int64_t n : {4, 40}) {
        Tensor a = eye(n, std::nullopt, TensorOptions(kDouble)).repeat({3, 1, 1});
        a[0][2][2].fill_(-1);
        a[1][3][3].fill_(nan_);
        REEL_TEST_LIST(std::get<1>(linalg_cholesky_ex(a)), 3, 4, 0);
        BOOST_TEST(message<LinAlgError>([&] { linalg_cholesky(a); }).find("linalg.cholesky") == 0u);
    }
}

BOOST_AUTO_TEST_CASE(histograms_count_each_number_once) {
    manual_seed(6);
    Tensor x = randn({3001});
    x.slice(0, 0, 3001, 50).copy_(linspace(-3, 3, 61));
    x.narrow(0, 100, 3).copy_(tensor({nan_, infinity, -infinity}));
    for (const ScalarType t : {kFloat, kDouble}) {
        const Tensor counts = histc(x.to(t), 12, -3, 3), one = zeros({12}, t);
        for (std::int64_t i = 0; i < x.numel(); ++i) one.add_(histc(x.to(t).narrow(0, i, 1), 12, -3, 3));
        BOOST_TEST(equal(counts, one));
        BOOST_TEST(counts.sum().item<double>() == (x.abs() <= 3).sum().item<double>());
    }
    const Tensor wide = histc(tensor({-3e38f, 0.f, 1e38f, 3e38f}).repeat({100}), 4, -3e38, 3e38); // the range overflows
    REEL_TEST_LIST(wide, 100, 0, 200, 100);
}

BOOST_AUTO_TEST_SUITE_END()
