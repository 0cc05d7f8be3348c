// Pooling: windows, places, gradients.
#include <reel/autograd/kernels/pool.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {
/// Distinct values, so that no small step changes which one is largest.
Tensor distinct(IntArrayRef size) {
    std::int64_t n = 1;
    for (const std::int64_t s : size) n *= s;
    return (randperm(n).to(kDouble) / 7.0).reshape(size).detach().requires_grad_();
}
/// The place of the largest of a window, element by element: the first of equal ones, the last NaN.
std::int64_t place_of_largest(const Tensor& plane, std::int64_t top, std::int64_t left, std::int64_t size,
                              std::int64_t dilation) {
    std::int64_t best = -1;
    double most = 0;
    for (std::int64_t j = 0; j < size; ++j)
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t y = top + j * dilation, x = left + i * dilation;
            if (y < 0 || y >= plane.size(0) || x < 0 || x >= plane.size(1)) continue;
            const double v = plane[y][x].item<double>();
            if (best < 0 || v > most || std::isnan(v)) most = v, best = y * plane.size(1) + x;
        }
    return best;
}
bool says(const std::exception& e, const char* text) { return std::string(e.what()).find(text) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(pool)

BOOST_AUTO_TEST_CASE(maxima_and_their_places) {
    const Tensor x = tensor({{{1., 5., 2., 0.}, {4., 3., 9., 8.}}}).to(kFloat).reshape({1, 1, 2, 4});
    const auto [y, at] = max_pool2d_with_indices(x, 2);
    BOOST_TEST((y == tensor({{5.f, 9.f}}).reshape({1, 1, 1, 2})).all().item<bool>());
    BOOST_TEST((at == tensor({1, 6}).reshape({1, 1, 1, 2})).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(nan_counts_as_largest_and_padding_as_smallest) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Tensor x = tensor({1., nan, 2., -3.}).reshape({1, 1, 4});
    const Tensor y = max_pool1d(x, 2);
    BOOST_TEST(std::isnan(y.select(2, 0).item<double>()));
    BOOST_TEST(max_pool1d(tensor({-5., -6.}).reshape({1, 1, 2}), 2, 2, 1).select(2, 0).item<double>() == -5);
}
BOOST_AUTO_TEST_CASE(largest_of_equal_and_nan_elements_in_windows_of_every_kind) {
    manual_seed(3);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::int64_t width : {7, 40})
        for (const auto& [size, stride, padding, dilation] :
             std::vector<std::array<std::int64_t, 4>>{{2, 2, 0, 1}, {3, 2, 1, 1}, {3, 1, 1, 1}, {2, 3, 1, 4}}) {
            Tensor x = randint(4, {6, width}).to(kDouble);
            x.masked_fill_(rand({6, width}) < 0.2, nan);
            for (const ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16}) {
                const auto [y, at] =
                    max_pool2d_with_indices(x.to(dtype).reshape({1, 1, 6, width}), size, stride, padding, dilation);
                for (std::int64_t o = 0; o < y.numel(); ++o) {
                    const std::int64_t row = o / y.size(3), column = o % y.size(3),
                                       place = place_of_largest(x, row * stride - padding, column * stride - padding,
                                                                size, dilation);
                    BOOST_TEST(at.flatten()[o].item<std::int64_t>() == place);
                    BOOST_TEST(y.flatten()[o].equal(x.flatten()[place].to(dtype)) ==
                               !std::isnan(x.flatten()[place].item<double>()));
                }
            }
        }
}
BOOST_AUTO_TEST_CASE(floats_are_pooled_as_integers_are) {
    manual_seed(4);
    for (const auto& out : std::vector<std::array<std::int64_t, 3>>{{5, 7, 9}, {4, 4, 30}, {1, 1, 1}}) {
        const Tensor x = randint(9, {2, 3, 11, 13, 61});
        const auto [of_int, places] = adaptive_max_pool3d(x, out);
        for (const ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16}) {
            const auto [y, at] = adaptive_max_pool3d(x.to(dtype), out);
            BOOST_TEST(y.to(kLong).equal(of_int));
            BOOST_TEST(at.equal(places));
        }
    }
}
BOOST_AUTO_TEST_CASE(ceil_mode_adds_a_partial_window) {
    const Tensor x = arange(5, TensorOptions(kDouble)).reshape({1, 1, 5});
    BOOST_TEST(max_pool1d(x, 2).size(2) == 2);
    const Tensor y = max_pool1d(x, 2, 2, 0, 1, true);
    BOOST_TEST(y.size(2) == 3);
    BOOST_TEST(y.select(2, 2).item<double>() == 4);
}
BOOST_AUTO_TEST_CASE(means_count_the_padding_or_not) {
    const Tensor x = ones({1, 1, 2, 2}, kDouble);
    BOOST_TEST(avg_pool2d(x, 2, 1, 1).select(3, 0).select(2, 0).item<double>() == 0.25);
    BOOST_TEST(avg_pool2d(x, 2, 1, 1, false, false).select(3, 0).select(2, 0).item<double>() == 1);
    BOOST_TEST(avg_pool2d(x, 2, 1, 0, false, true, 8).item<double>() == 0.5);
}
BOOST_AUTO_TEST_CASE(gradients) {
    const auto max2 = [](const Tensor& x) { return max_pool2d(x, {3, 2}, {2, 1}, {1, 0}); };
    BOOST_TEST(autograd::gradcheck(max2, {distinct({2, 2, 5, 4})}));
    BOOST_TEST(autograd::gradgradcheck(max2, {distinct({2, 2, 5, 4})}));
    const auto mean3 = [](const Tensor& x) { return avg_pool3d(x, 2, 1, 1, false, false); };
    BOOST_TEST(autograd::gradcheck(mean3, {distinct({1, 2, 3, 3, 2})}));
    BOOST_TEST(autograd::gradgradcheck(mean3, {distinct({1, 2, 3, 3, 2})}));
    const auto adaptive = [](const Tensor& x) { return adaptive_avg_pool2d(x, {3, 2}); };
    BOOST_TEST(autograd::gradcheck(adaptive, {distinct({2, 1, 5, 5})}));
    const auto adaptive_max = [](const Tensor& x) { return std::get<0>(adaptive_max_pool2d(x, {3, 2})); };
    BOOST_TEST(autograd::gradcheck(adaptive_max, {distinct({2, 1, 5, 5})}));
}
BOOST_AUTO_TEST_CASE(means_of_many_windows_are_those_of_each) {
    const Tensor x = (arange(2 * 13 * 17, kDouble) * 0.7).sin().reshape({1, 2, 13, 17});
    for (const std::int64_t size : {2, 3, 5})
        for (const std::int64_t step : {1, 2, 3}) {
            const Tensor y = avg_pool2d(x, {size, size}, IntArrayRef{step, step});
            for (std::int64_t i = 0; i < y.size(2); ++i)
                for (std::int64_t j = 0; j < y.size(3); ++j) {
                    const Tensor each = x.narrow(2, i * step, size).narrow(3, j * step, size).mean(IntArrayRef{2, 3});
                    BOOST_REQUIRE(allclose(y.select(2, i).select(2, j), each, 1e-13, 1e-13));
                }
        }
}

BOOST_AUTO_TEST_CASE(means_of_wide_windows_and_their_adjoint) {
    manual_seed(2);
    for (const std::int64_t width : {16, 23, 40})
        for (const std::int64_t parts : {1, 3, 7}) {
            const Tensor x = randn({2, 3, 21, width}, kDouble).requires_grad_(), y = adaptive_avg_pool2d(x, parts);
            Tensor by_slices = zeros_like(y.detach());
            for (std::int64_t i = 0; i < parts; ++i)
                for (std::int64_t j = 0; j < parts; ++j) {
                    const std::int64_t a = i * 21 / parts, b = ((i + 1) * 21 + parts - 1) / parts,
                                       c = j * width / parts, d = ((j + 1) * width + parts - 1) / parts;
                    by_slices.select(2, i).select(2, j).copy_(
                        x.detach().slice(2, a, b).slice(3, c, d).mean(IntArrayRef{2, 3}));
                }
            BOOST_TEST(allclose(y, by_slices, 1e-13, 1e-13));
            // <y, s> = <x, adjoint of s>
            const Tensor s = randn(y.sizes(), kDouble);
            y.backward(s);
            const double left = (y.detach() * s).sum().item<double>(),
                         right = (x.detach() * x.grad()).sum().item<double>();
            BOOST_TEST(left == right, boost::test_tools::tolerance(1e-9));
        }
    const Tensor image = randn({1, 1, 6, 30}, kDouble).requires_grad_();
    for (const std::int64_t padding : {0, 1}) // rows of windows that overlap, and that leave rows out
        for (const std::int64_t step : {1, 2, 4})
            BOOST_TEST(autograd::gradcheck(
                [=](const Tensor& t) {
                    return avg_pool2d(t, {3, 3}, IntArrayRef{step, step}, padding);
                },
                {image}));
}

BOOST_AUTO_TEST_CASE(unpooling_puts_back_what_pooling_took) {
    const Tensor x = distinct({1, 2, 4, 4});
    const auto [y, at] = max_pool2d_with_indices(x, 2);
    const Tensor back = max_unpool2d(y, at, 2);
    BOOST_TEST(back.sizes() == x.sizes());
    BOOST_TEST((max_pool2d(back, 2) == y).all().item<bool>());
    BOOST_TEST((back == 0).sum().item<std::int64_t>() >= 24);
    BOOST_CHECK_THROW(max_unpool2d(y, at + 100, 2), Error);
}
BOOST_AUTO_TEST_CASE(refused) {
    const Tensor x = rand({1, 1, 4, 4});
    BOOST_CHECK_EXCEPTION(max_pool2d(x, 2, 2, 2), Error, [](const Error& e) {
        return says(e, "max_pool2d") && says(e, "half of the effective kernel");
    });
    BOOST_CHECK_THROW(max_pool2d(x, 0), Error);
    BOOST_CHECK_THROW(max_pool2d(x, 9), Error);
    BOOST_CHECK_THROW(avg_pool2d(x, 2, 2, 0, false, true, 0), Error);
    BOOST_CHECK_THROW(adaptive_avg_pool2d(rand({4}), 2), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
