// Numbers as few bits would hold them: PyTorch's values, gradients that pass straight through, what is refused.
#include <reel/autograd/pointwise/rounding.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "shape_helpers.hpp"

using namespace reel;
using shape_test::message;

namespace {
Tensor quantized(const Tensor& x, double scale = 0.1, std::int64_t zero_point = 2, std::int64_t low = -8,
                 std::int64_t high = 7) {
    return fake_quantize_per_tensor_affine(x, scale, zero_point, low, high);
}
} // namespace

BOOST_AUTO_TEST_SUITE(rounding_to_levels)

BOOST_AUTO_TEST_CASE(values_and_gradients_are_pytorchs) {
    const Tensor x = tensor({-3.0, -1.26, -0.15, -0.05, 0.05, 0.15, 0.25, 0.35, 1.26, 12.8}).to(kFloat);
    x.requires_grad_();
    const Tensor y = quantized(x);
    y.sum().backward();
    const float values[] = {-1.0f, -1.0f, -0.2f, 0.0f, 0.0f, 0.2f, 0.2f, 0.4f, 0.5f, 0.5f},
                gradients[] = {0, 0, 1, 1, 1, 1, 1, 1, 0, 0};
    for (std::int64_t i = 0; i < x.size(0); ++i) {
        BOOST_TEST(y[i].item<float>() == values[i], "at " << i);
        BOOST_TEST(x.grad()[i].item<float>() == gradients[i], "at " << i);
    }
    const Tensor turned = quantized(tensor({-3.0, 0.35, 12.8}).to(kFloat), -0.1, 0);
    BOOST_TEST(turned[0].item<float>() == -0.7f);
    BOOST_TEST(turned[1].item<float>() == 0.4f);
    BOOST_TEST(turned[2].item<float>() == 0.8f);
    for (const ScalarType dtype : {kHalf, kBFloat16}) {
        const Tensor low = quantized(x.detach().to(dtype));
        BOOST_TEST(low.scalar_type() == dtype);
        const Tensor level = tensor({dtype == kHalf ? 0.4 : 0.3}).to(dtype);
        BOOST_TEST(low[7].item<float>() == level.item<float>());
    }
}

/// PyTorch rounds the scale to float32 first, which moves a level of a large range by more than one.
BOOST_AUTO_TEST_CASE(double_precision_is_kept) {
    const double scale = 1.0 / 3;
    const Tensor x = tensor({33333333.25}, kDouble);
    BOOST_TEST(quantized(x, scale, 0, 0, 2147483647)[0].item<double>() == 100000000 * scale);
}

BOOST_AUTO_TEST_CASE(what_is_no_number_stays_so_and_infinities_meet_the_bounds) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Tensor x = tensor({std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}, kDouble);
    x.requires_grad_();
    const Tensor y = quantized(x, 0.5);
    y.sum().backward();
    BOOST_TEST(std::isnan(y[0].item<double>()));
    BOOST_TEST(y[1].item<double>() == 2.5);
    BOOST_TEST(y[2].item<double>() == -5);
    for (std::int64_t i = 0; i < 3; ++i) BOOST_TEST(x.grad()[i].item<double>() == 0);
}

BOOST_AUTO_TEST_CASE(its_gradient_is_differentiable) {
    const Tensor x = tensor({0.3, 4.0}, kDouble).requires_grad_(), g = tensor({2.0, 3.0}, kDouble).requires_grad_();
    const Tensor first = autograd::grad({quantized(x)}, {x}, {g}, true, true)[0];
    BOOST_TEST(first[0].item<double>() == 2);
    BOOST_TEST(first[1].item<double>() == 0);
    const Tensor by_g = autograd::grad({first.sum()}, {g})[0];
    BOOST_TEST(by_g[0].item<double>() == 1);
    BOOST_TEST(by_g[1].item<double>() == 0);
}

BOOST_AUTO_TEST_CASE(impossible_ranges_are_refused) {
    const Tensor x = ones({2});
    const std::string op = "fake_quantize_per_tensor_affine: ";
    BOOST_TEST(message([&] { quantized(x, 0); }) == op + "scale is 0; expected a finite number but zero");
    BOOST_TEST(message([&] { quantized(x, 1, 0, 7, -8); }) == op + "quant_min is 7, larger than quant_max -8");
    BOOST_TEST(message([&] { quantized(x, 1, 9); }) ==
               op + "zero_point is 9; expected a number from quant_min -8 to quant_max 7");
    BOOST_CHECK_THROW(quantized(ones({2}, kLong)), Error);
}

BOOST_AUTO_TEST_SUITE_END()
